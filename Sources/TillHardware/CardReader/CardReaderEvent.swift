/// Something that a connected reader reports: its type, and what a person may read.
public struct CardReaderEvent: Hashable, Sendable {
    public let type: CardReaderEventType
    /// What the customer or the clerk may read, if there is something to say.
    public let message: String?
    /// How the reader takes the card, with ``CardReaderEventType/waitingForInput``.
    public let input: CardReaderInput?
    /// The attempt that it belongs to, if any. A service sets it; what an older attempt still says is not published.
    public var attempt: CardReaderAttemptID?

    /// Makes one; without a message it gets the default of its type.
    public init(_ type: CardReaderEventType, message: String? = nil, input: CardReaderInput? = nil) {
        self.type = type
        self.input = input
        self.message = message ?? input?.sentence ?? type.defaultMessage
    }
}

/// Names one command of one service: a discovery, a connection, a payment, a refund, an update. Later ones are greater.
public struct CardReaderAttemptID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 1 for the first command of a service.
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (left: CardReaderAttemptID, right: CardReaderAttemptID) -> Bool { left.number < right.number }
    /// `#` and the number.
    public var description: String { "#\(number)" }
}

/// What a reader reports. Open: a type that is not known keeps its raw value.
public struct CardReaderEventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The intent of the payment exists; no money was asked for.
    public static let intentCreated = CardReaderEventType(rawValue: "intent_created")
    /// The reader waits for a card.
    public static let waitingForInput = CardReaderEventType(rawValue: "waiting_for_input")
    /// A card is in the reader or was held to it.
    public static let cardInserted = CardReaderEventType(rawValue: "card_inserted")
    /// The card is gone.
    public static let cardRemoved = CardReaderEventType(rawValue: "card_removed")
    /// The customer should take the card.
    public static let removeCard = CardReaderEventType(rawValue: "remove_card")
    /// The reader shows a message of its own.
    public static let displayMessage = CardReaderEventType(rawValue: "display_message")
    /// The card's data is read and sealed.
    public static let cardDetailsCollected = CardReaderEventType(rawValue: "card_details_collected")
    /// The provider is being asked. From here on nothing can be canceled.
    public static let processing = CardReaderEventType(rawValue: "processing")
    /// The provider authorized the payment.
    public static let approved = CardReaderEventType(rawValue: "approved")
    /// The provider or the card declined.
    public static let declined = CardReaderEventType(rawValue: "declined")
    /// The collection was canceled.
    public static let canceled = CardReaderEventType(rawValue: "canceled")
    /// The provider was asked and its answer is not known.
    public static let outcomeUnknown = CardReaderEventType(rawValue: "outcome_unknown")
    /// The battery is low.
    public static let lowBattery = CardReaderEventType(rawValue: "low_battery")
    /// The battery is no longer low.
    public static let lowBatteryResolved = CardReaderEventType(rawValue: "low_battery_resolved")
    /// The reader went away; the message says why.
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
