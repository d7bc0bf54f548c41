/// The customer's means of payment, with its credential. Never stored: the journal keeps its ``TenderSummary``.
public enum Tender: Sendable {
    /// A card number typed by the customer or the cashier.
    case card(CardDetails)
    /// A card that the provider's own fields took, as the provider's reference to it.
    case token(CardToken)
    /// A card presented to a reader, as the reader's sealed result.
    case cardPresent(CardPresentPayload)
    /// A wallet's token: opened, or sealed for the provider.
    case wallet(WalletPayment)
    /// The customer's PayPal account: the customer approves the payment on PayPal's own page, which
    /// ``CustomerAction/url`` names.
    case payPal
    /// A card that PayPal's own fields attach to an order, which the provider prepares and ``CustomerAction/order``
    /// names. Neither the shop nor Till sees the number.
    case payPalCard
    /// A card that Adyen's components or SDK take in a session, which the provider opens and
    /// ``CustomerAction/session`` carries. Neither the shop nor Till sees the number.
    case adyenSession
    /// Cash. `tendered` is the amount handed over, if the cashier entered it; `tip` is above zero, what the customer
    /// leaves beside the amount due.
    case cash(tendered: Money?, tip: Money? = nil)

    /// The part that may be stored and displayed.
    public var summary: TenderSummary {
        switch self {
        case .card(let card):
            TenderSummary(kind: .card, card: card.summary)
        // Which card it is, the provider's answer says.
        case .token, .payPalCard, .adyenSession:
            TenderSummary(kind: .card)
        case .cardPresent(let payload):
            TenderSummary(kind: .reader, card: payload.card, reader: payload.reader)
        case .wallet(let payment):
            TenderSummary(kind: .wallet, card: payment.card)
        case .payPal:
            TenderSummary(kind: .payPal)
        case .cash(let tendered, _):
            TenderSummary(kind: .cash, tendered: tendered)
        }
    }
}

/// The kind of a tender, as in the JSON of a payment. Open: an unknown stored kind keeps its raw value.
public struct TenderKind: RawRepresentable, Hashable, Sendable {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A card number, typed here or in the provider's own fields.
    public static let card = TenderKind(rawValue: "card")
    public static let reader = TenderKind(rawValue: "reader")
    /// A wallet such as Apple Pay.
    public static let wallet = TenderKind(rawValue: "wallet")
    /// A PayPal account.
    public static let payPal = TenderKind(rawValue: "paypal")
    public static let cash = TenderKind(rawValue: "cash")
}

/// The part of a tender that may be stored and displayed: no number, no code, no expiry.
public struct TenderSummary: Hashable, Sendable {
    /// Card, reader or cash.
    public var kind: TenderKind
    /// The brand and last four digits, once known.
    public var card: CardSummary?
    /// The reader's label, if one was used.
    public var reader: String?
    /// The tendered cash; `nil` if it was not recorded, as in older journals.
    public var tendered: Money?

    public init(kind: TenderKind, card: CardSummary? = nil, reader: String? = nil, tendered: Money? = nil) {
        self.kind = kind
        self.card = card
        self.reader = reader
        self.tendered = tendered
    }
}

/// The part of a card's data that may be stored and displayed. The type cannot hold more than four digits of the
/// number.
public struct CardSummary: Hashable, Sendable {
    /// `visa`, `mastercard`, `amex`, `interac`, `eftpos_au`, … as the provider spells it.
    public var brand: String
    /// The network that carried the payment, if the provider reports it; it may differ from the brand of a co-branded
    /// card.
    public var network: String?
    /// The last four digits; any other text is cut down to its last four ASCII digits.
    public let lastFour: String
    /// The entry mode: `contact_emv`, `contactless_emv`, `keyed`, …
    public var entryMode: String?
    /// The data required on a chip card's receipt. Values are unmodified from the provider; a missing one stays
    /// missing.
    public var emv: EMVReceiptData?

    /// Creates a summary; keeps only the last four digits.
    public init(
        brand: String, lastFour: String, entryMode: String? = nil, emv: EMVReceiptData? = nil, network: String? = nil
    ) {
        self.brand = brand
        self.network = network
        // Nearly always four digits already: then no character has to be classified.
        let isPlain = lastFour.utf8.count <= 4 && lastFour.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self.lastFour = isPlain ? lastFour : String(lastFour.filter { $0.isASCII && $0.isNumber }.suffix(4))
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

    /// Creates empty data.
    public init() {}
}
