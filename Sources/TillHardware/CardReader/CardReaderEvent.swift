/// Something that a reader tells while a card is collected.
public struct CardReaderEvent: Hashable, Sendable {
    /// What happened.
    public let type: CardReaderEventType
    /// What the customer or the clerk may read, if there is something to say.
    public let message: String?

    /// Makes one; without a message it gets the usual one of its type.
    public init(_ type: CardReaderEventType, message: String? = nil) {
        self.type = type
        self.message = message ?? type.usualMessage
    }
}

/// What a reader tells. Open: a type that is not known keeps its raw value.
public struct CardReaderEventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The raw value.
    public var description: String { rawValue }
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
    /// The provider is being asked.
    public static let processing = CardReaderEventType(rawValue: "processing")
    /// The provider said yes.
    public static let approved = CardReaderEventType(rawValue: "approved")
    /// The provider or the card said no.
    public static let declined = CardReaderEventType(rawValue: "declined")
    /// The collection was called off.
    public static let canceled = CardReaderEventType(rawValue: "canceled")

    var usualMessage: String? {
        switch self {
        case .waitingForInput: "Insert or tap the card."
        case .cardInserted: "Leave the card in the reader."
        case .removeCard: "Remove the card."
        case .processing: "Processing…"
        case .approved: "Approved."
        case .declined: "Declined."
        case .canceled: "Canceled."
        default: nil
        }
    }
}
