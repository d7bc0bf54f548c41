/// How the customer wants to pay. It holds the credential and so is never stored: the
/// journal keeps its ``TenderSummary``.
public enum Tender: Sendable {
    /// A card number typed by the customer or the clerk.
    case card(CardDetails)
    /// A card presented to a reader, as the reader's sealed result.
    case cardPresent(CardPresentPayload)
    /// A wallet's token: opened, or sealed for the provider.
    case wallet(WalletPayment)
    /// Notes and coins. `tendered` is what was handed over, if the clerk typed it.
    case cash(tendered: Money?)

    /// What may be stored and shown of it.
    public var summary: TenderSummary {
        switch self {
        case .card(let card):
            TenderSummary(kind: .card, card: card.summary)
        case .cardPresent(let payload):
            TenderSummary(kind: .reader, card: payload.card, reader: payload.reader)
        case .wallet(let payment):
            TenderSummary(kind: .wallet, card: payment.card)
        case .cash(let tendered):
            TenderSummary(kind: .cash, tendered: tendered)
        }
    }
}

/// The kind of a tender, as in the JSON of a payment. Open: a stored kind that is not known keeps its raw value.
public struct TenderKind: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A typed card number.
    public static let card = TenderKind(rawValue: "card")
    public static let reader = TenderKind(rawValue: "reader")
    /// A wallet such as Apple Pay.
    public static let wallet = TenderKind(rawValue: "wallet")
    public static let cash = TenderKind(rawValue: "cash")
}

/// What may be stored and shown of a tender: no number, no code, no expiry.
public struct TenderSummary: Hashable, Sendable {
    /// Card, reader or cash.
    public var kind: TenderKind
    /// Brand and last four, once known.
    public var card: CardSummary?
    /// The reader's label, if one was used.
    public var reader: String?
    /// The cash that was handed over; `nil` where it was not recorded, as in older journals.
    public var tendered: Money?

    public init(kind: TenderKind, card: CardSummary? = nil, reader: String? = nil, tendered: Money? = nil) {
        self.kind = kind
        self.card = card
        self.reader = reader
        self.tendered = tendered
    }
}

/// What may be stored and shown of a card. The type cannot hold more than four digits of the number.
public struct CardSummary: Hashable, Sendable {
    /// `visa`, `mastercard`, `amex`, `interac`, `eftpos_au`, … as the provider spells it.
    public var brand: String
    /// The network that carried it, where the provider reports it: not the brand where a card has two.
    public var network: String?
    /// The last four digits; anything else is cut down to its last four ASCII digits.
    public let lastFour: String
    /// How it was read: `contact_emv`, `contactless_emv`, `keyed`, …
    public var entryMode: String?
    /// What a chip card's receipt must show. Values are what the provider sent; a missing one stays missing.
    public var emv: EMVReceiptData?

    /// Makes one; keeps only the last four digits of what it is given.
    public init(
        brand: String, lastFour: String, entryMode: String? = nil, emv: EMVReceiptData? = nil, network: String? = nil
    ) {
        self.brand = brand
        self.network = network
        self.lastFour = String(lastFour.filter { $0.isASCII && $0.isNumber }.suffix(4))
        self.entryMode = entryMode
        self.emv = emv
    }
}

/// The fields of a chip read that a receipt shows, by their EMV and Stripe names. All may be missing.
public struct EMVReceiptData: Hashable, Sendable {
    /// Application preferred name (9F12), or label.
    public var applicationPreferredName: String?
    /// Application identifier (84), the AID.
    public var dedicatedFileName: String?
    /// `credit`, `checking`, `savings`, …
    public var accountType: String?
    /// Authorization response code (8A).
    public var authorizationResponseCode: String?
    /// The issuer's authorization code.
    public var authorizationCode: String?
    /// Application cryptogram (9F26), hex.
    public var applicationCryptogram: String?
    /// Terminal verification results (95), hex.
    public var terminalVerificationResults: String?
    /// Transaction status information (9B), hex.
    public var transactionStatusInformation: String?
    /// Cardholder verification: `offline_pin`, `online_pin`, `signature`, `approval`, `none`, …
    public var cardholderVerificationMethod: String?

    /// Makes an empty one.
    public init() {}
}
