/// An event of a connected reader: its type and, if any, a displayable message.
public struct CardReaderEvent: Hashable, Sendable {
    public let type: CardReaderEventType
    /// The message for the customer or the cashier, if any.
    public let message: String?
    /// The accepted input methods, with ``CardReaderEventType/waitingForInput``; the one that was used, if the reader
    /// says so, with ``CardReaderEventType/cardInserted``.
    public let input: CardReaderInput?
    /// The part of an update that is done, 0 to 100, with ``CardReaderEventType/updating``.
    public let percent: Int?
    /// The attempt that the event belongs to, if any. Set by the service; late events of an older attempt are not
    /// published.
    public var attempt: CardReaderAttemptID?

    /// Creates an event; without a message it gets the default of its type.
    public init(
        _ type: CardReaderEventType, message: String? = nil, input: CardReaderInput? = nil, percent: Int? = nil
    ) {
        self.type = type
        self.input = input
        self.percent = percent
        self.message = message ?? (type == .waitingForInput ? input?.sentence : nil) ?? type.defaultMessage
    }
}

/// Identifies one command of one service: a discovery, a connection, a payment, a refund, an update. Later ones are
/// greater.
public struct CardReaderAttemptID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 1 for the first command of a service.
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (left: CardReaderAttemptID, right: CardReaderAttemptID) -> Bool { left.number < right.number }
    /// `#` and the number.
    public var description: String { "#\(number)" }
}

/// The type of a reader event. Open: an unknown type keeps its raw value.
public struct CardReaderEventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Every type with a name here. A type of this contract is a case first, so that ``known`` and the default messages
    /// miss none.
    enum Known: String, CaseIterable {
        case intentCreated = "intent_created"
        case waitingForInput = "waiting_for_input"
        case readRetry = "read_retry"
        case checkPhone = "check_phone"
        case cardInserted = "card_inserted"
        case cardRemoved = "card_removed"
        case removeCard = "remove_card"
        case displayMessage = "display_message"
        case cardDetailsCollected = "card_details_collected"
        case processing
        case approved
        case declined
        case canceled
        case outcomeUnknown = "outcome_unknown"
        case lowBattery = "low_battery"
        case lowBatteryResolved = "low_battery_resolved"
        case updating
        case disconnected
        case reconnecting
        case reconnected
    }

    private init(_ known: Known) { rawValue = known.rawValue }

    /// The payment's intent exists; it is not confirmed.
    public static let intentCreated = CardReaderEventType(.intentCreated)
    /// The reader waits for a card.
    public static let waitingForInput = CardReaderEventType(.waitingForInput)
    /// The card could not be read and must be presented again.
    public static let readRetry = CardReaderEventType(.readRetry)
    /// The customer must look at the phone that holds the card.
    public static let checkPhone = CardReaderEventType(.checkPhone)
    /// A card was inserted or tapped.
    public static let cardInserted = CardReaderEventType(.cardInserted)
    /// The card is gone.
    public static let cardRemoved = CardReaderEventType(.cardRemoved)
    /// The customer should remove the card.
    public static let removeCard = CardReaderEventType(.removeCard)
    /// The reader shows a message of its own.
    public static let displayMessage = CardReaderEventType(.displayMessage)
    /// The card's data is read and sealed.
    public static let cardDetailsCollected = CardReaderEventType(.cardDetailsCollected)
    /// The payment is being confirmed with the provider. From here on nothing can be canceled.
    public static let processing = CardReaderEventType(.processing)
    /// The provider authorized the payment.
    public static let approved = CardReaderEventType(.approved)
    /// The provider or the card declined.
    public static let declined = CardReaderEventType(.declined)
    /// The collection was canceled.
    public static let canceled = CardReaderEventType(.canceled)
    /// The confirmation was sent and its outcome is unknown.
    public static let outcomeUnknown = CardReaderEventType(.outcomeUnknown)
    /// The battery is low.
    public static let lowBattery = CardReaderEventType(.lowBattery)
    /// The battery is no longer low.
    public static let lowBatteryResolved = CardReaderEventType(.lowBatteryResolved)
    /// Software is being installed on the reader, also while it is being connected; with ``CardReaderEvent/percent``.
    public static let updating = CardReaderEventType(.updating)
    /// The reader disconnected and is not being reconnected; the message gives the advice.
    public static let disconnected = CardReaderEventType(.disconnected)
    /// The reader disconnected and is being reconnected.
    public static let reconnecting = CardReaderEventType(.reconnecting)
    /// The reader is connected again.
    public static let reconnected = CardReaderEventType(.reconnected)

    /// Every known type, in the order of a payment; the reader's own state last.
    public static let known: [CardReaderEventType] = Known.allCases.map { CardReaderEventType($0) }

    var defaultMessage: String? {
        switch Known(rawValue: rawValue) {
        case .waitingForInput: "Insert or tap the card."
        case .readRetry: "The card was not read. Try again."
        case .checkPhone: "The customer must look at the phone."
        case .cardInserted: "Leave the card in the reader."
        case .cardRemoved: "The card was removed."
        case .cardDetailsCollected: "The card was read."
        case .removeCard: "Remove the card."
        case .processing: "Processing…"
        case .approved: "Approved."
        case .declined: "Declined."
        case .canceled: "Canceled."
        case .outcomeUnknown: "It is not known yet whether the payment went through. Do not take another one."
        case .lowBattery: "The reader's battery is low. Charge it."
        case .lowBatteryResolved: "The reader's battery is no longer low."
        case .updating: "The reader is being updated. Leave it on."
        case .reconnecting: "The reader's connection was lost. It is being connected again."
        case .reconnected: "The reader is connected again."
        case .intentCreated, .displayMessage, .disconnected, nil: nil
        }
    }
}
