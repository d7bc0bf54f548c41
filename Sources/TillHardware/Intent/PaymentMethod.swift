public import TillCore

/// What an intent was paid with.
public enum PaymentMethod: Hashable, Sendable {
    /// A card that was not there, by its number.
    case card(CardSummary?)
    /// A card at a reader.
    case cardPresent(details: CardPresentTransactionDetails)
    /// A Canadian debit card at a reader. It is captured when it is confirmed, and its refund needs card and reader.
    case interacPresent(details: CardPresentTransactionDetails)
    /// Something else, by the provider's word for it.
    case other(type: String)

    /// The details of a card at a reader.
    public var cardPresentDetails: CardPresentTransactionDetails? {
        switch self {
        case .cardPresent(let details), .interacPresent(let details): details
        case .card, .other: nil
        }
    }

    /// True if confirming takes the money at once, so that nothing is left to capture.
    public var isSingleMessage: Bool {
        if case .interacPresent = self { return true }
        return false
    }
}

/// A way to pay that a reader may be asked to take. Open: a word that is not known keeps its raw value.
public struct PaymentMethodType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Cards of the international schemes, eftpos and Cartes Bancaires.
    public static let cardPresent = PaymentMethodType(rawValue: "card_present")
    /// Canadian debit cards; Canadian dollars only.
    public static let interacPresent = PaymentMethodType(rawValue: "interac_present")
}
