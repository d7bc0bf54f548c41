public import TillCore

/// The payment method of an intent.
public enum PaymentMethod: Hashable, Sendable {
    /// A card that was not present, by its number.
    case card(CardSummary?)
    /// A card at a reader.
    case cardPresent(details: CardPresentTransactionDetails)
    /// A Canadian debit card at a reader. It is captured on confirmation, and its refund needs card and reader.
    case interacPresent(details: CardPresentTransactionDetails)
    /// Any other method, by the provider's name for it.
    case other(type: String)

    /// The details of a card at a reader.
    public var cardPresentDetails: CardPresentTransactionDetails? {
        switch self {
        case .cardPresent(let details), .interacPresent(let details): details
        case .card, .other: nil
        }
    }

    /// `true` if confirming captures the money at once, so that nothing is left to capture.
    public var isSingleMessage: Bool {
        if case .interacPresent = self { return true }
        return false
    }
}

/// A payment method that a reader may accept. Open: an unknown value keeps its raw value.
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
