/// An event of a connected reader: its type and, if any, a displayable message.
public struct CardReaderEvent: Hashable, Sendable {
    public let type: CardReaderEventType
    /// The message for the customer or the cashier, if any.
    public let message: String?
    /// The accepted input methods, with ``CardReaderEventType/waitingForInput``.
    public let input: CardReaderInput?
    /// The attempt that the event belongs to, if any. Set by the service; late events of an older attempt are not
    /// published.
    public var attempt: CardReaderAttemptID?

    /// Creates an event; without a message it gets the default of its type.
    public init(_ type: CardReaderEventType, message: String? = nil, input: CardReaderInput? = nil) {
        self.type = type
        self.input = input
        self.message = message ?? input?.sentence ?? type.defaultMessage
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

    /// The payment's intent exists; it is not confirmed.
    public static let intentCreated = CardReaderEventType(rawValue: "intent_created")
    /// The reader waits for a card.
    public static let waitingForInput = CardReaderEventType(rawValue: "waiting_for_input")
    /// A card was inserted or tapped.
    public static let cardInserted = CardReaderEventType(rawValue: "card_inserted")
    /// The card is gone.
    public static let cardRemoved = CardReaderEventType(rawValue: "card_removed")
    /// The customer should remove the card.
    public static let removeCard = CardReaderEventType(rawValue: "remove_card")
    /// The reader shows a message of its own.
    public static let displayMessage = CardReaderEventType(rawValue: "display_message")
    /// The card's data is read and sealed.
    public static let cardDetailsCollected = CardReaderEventType(rawValue: "card_details_collected")
    /// The payment is being confirmed with the provider. From here on nothing can be canceled.
    public static let processing = CardReaderEventType(rawValue: "processing")
    /// The provider authorized the payment.
    public static let approved = CardReaderEventType(rawValue: "approved")
    /// The provider or the card declined.
    public static let declined = CardReaderEventType(rawValue: "declined")
    /// The collection was canceled.
    public static let canceled = CardReaderEventType(rawValue: "canceled")
    /// The confirmation was sent and its outcome is unknown.
    public static let outcomeUnknown = CardReaderEventType(rawValue: "outcome_unknown")
    /// The battery is low.
    public static let lowBattery = CardReaderEventType(rawValue: "low_battery")
    /// The battery is no longer low.
    public static let lowBatteryResolved = CardReaderEventType(rawValue: "low_battery_resolved")
    /// The reader disconnected; the message gives the reason.
    public static let disconnected = CardReaderEventType(rawValue: "disconnected")

    var defaultMessage: String? {
        switch self {
        case .waitingForInput: "Insert or tap the card."
        case .cardInserted: "Leave the card in the reader."
        case .cardDetailsCollected: "The card was read."
        case .removeCard: "Remove the card."
        case .processing: "Processing…"
        case .approved: "Approved."
        case .declined: "Declined."
        case .canceled: "Canceled."
        case .outcomeUnknown: "It is not known yet whether the payment went through. Do not take another one."
        case .lowBattery: "The reader's battery is low. Charge it."
        default: nil
        }
    }
}
