public import TillCore

/// The details that a provider reports about a card-present transaction. Every field that a provider may omit is
/// optional.
public struct CardPresentTransactionDetails: Hashable, Sendable {
    public var brand: CardBrand
    /// The last four digits, if reported.
    public var lastFour: String?
    /// The card's expiry month, 1 to 12. For the shop's screen, never for a receipt.
    public var expiryMonth: Int?
    /// The card's expiry year, four digits.
    public var expiryYear: Int?
    /// The name on the card. Never print it.
    public var cardholderName: String?
    /// `credit`, `debit`, `prepaid`, …
    public var funding: String?
    /// The read method.
    public var readMethod: CardReadMethod?
    /// A reusable card that the provider generated from it.
    public var generatedCard: String?
    /// The fields that the receipt must show.
    public var receipt: ReceiptDetails?
    /// The phone or watch that holds the card.
    public var wallet: Wallet?
    /// The network that processed the payment; for eftpos and Cartes Bancaires it can differ from ``brand``.
    public var network: CardBrand?
    /// All networks that the card supports.
    public var availableNetworks: [CardBrand]
    /// The card's preferred languages, in order: `fr`, `en`.
    public var preferredLocales: [String]
    /// The network's transaction identifier.
    public var networkTransactionID: String?
    /// `true` if the hold supports incremental authorization.
    public var isIncrementSupported: Bool?
    /// `true` if more than the hold can be captured.
    public var isOvercaptureSupported: Bool?

    /// Creates the details; keeps only the last four digits of `lastFour`.
    public init(
        brand: CardBrand, lastFour: String?, expiryMonth: Int? = nil, expiryYear: Int? = nil,
        readMethod: CardReadMethod? = nil, receipt: ReceiptDetails? = nil, wallet: Wallet? = nil,
        network: CardBrand? = nil
    ) {
        self.brand = brand
        let digits = lastFour.map { String($0.filter { $0.isASCII && $0.isNumber }.suffix(4)) }
        self.lastFour = digits == "" ? nil : digits
        self.expiryMonth = expiryMonth
        self.expiryYear = expiryYear
        self.readMethod = readMethod
        self.receipt = receipt
        self.wallet = wallet
        self.network = network
        availableNetworks = []
        preferredLocales = []
    }

    /// The summary that the journal and the receipt keep.
    public var summary: CardSummary {
        CardSummary(
            brand: brand.rawValue, lastFour: lastFour ?? "", entryMode: readMethod?.rawValue,
            emv: receipt, network: network?.rawValue)
    }

    /// The missing fields that a chip card's receipt must show. Empty for cards without a chip read.
    package var missingReceiptFields: [String] {
        guard readMethod?.isEMV == true else { return [] }
        var missing: [String] = []
        if receipt?.applicationPreferredName?.isEmpty ?? true { missing.append("application_preferred_name") }
        if receipt?.dedicatedFileName?.isEmpty ?? true { missing.append("dedicated_file_name") }
        return missing
    }
}

/// The method by which a card was read. Open: an unknown value keeps its raw value.
public struct CardReadMethod: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Chip inserted into the reader.
    public static let contactEMV = CardReadMethod(rawValue: "contact_emv")
    /// Chip read by a tap.
    public static let contactlessEMV = CardReadMethod(rawValue: "contactless_emv")
    /// Magnetic stripe, after the chip could not be read.
    package static let magneticStripeFallback = CardReadMethod(rawValue: "magnetic_stripe_fallback")

    /// `true` if a chip was read, so that the receipt must name its application.
    public var isEMV: Bool { self == .contactEMV || self == .contactlessEMV }
}

/// A card's brand or network. Open: an unknown value keeps its raw value.
public struct CardBrand: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let visa = CardBrand(rawValue: "visa")
    public static let mastercard = CardBrand(rawValue: "mastercard")
    public static let amex = CardBrand(rawValue: "amex")
    public static let discover = CardBrand(rawValue: "discover")
    public static let diners = CardBrand(rawValue: "diners")
    public static let jcb = CardBrand(rawValue: "jcb")
    public static let unionpay = CardBrand(rawValue: "unionpay")
    public static let interac = CardBrand(rawValue: "interac")
    public static let eftposAU = CardBrand(rawValue: "eftpos_au")
    public static let cartesBancaires = CardBrand(rawValue: "cartes_bancaires")
    public static let link = CardBrand(rawValue: "link")
    /// A brand unknown to the provider.
    public static let unknown = CardBrand(rawValue: "unknown")

    /// Every known brand.
    public static let known: [CardBrand] = [
        .visa, .mastercard, .amex, .discover, .diners, .jcb, .unionpay, .interac, .eftposAU, .cartesBancaires, .link,
        .unknown,
    ]

    /// The brand's name on a receipt.
    public var name: String {
        switch self {
        case .visa: "Visa"
        case .mastercard: "Mastercard"
        case .amex: "American Express"
        case .discover: "Discover"
        case .diners: "Diners Club"
        case .jcb: "JCB"
        case .unionpay: "UnionPay"
        case .interac: "Interac"
        case .eftposAU: "eftpos"
        case .cartesBancaires: "Cartes Bancaires"
        case .link: "Link"
        case .unknown: "Card"
        default: rawValue
        }
    }
}

/// The phone or watch that holds a card. Open: an unknown value keeps its raw value.
public struct Wallet: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let applePay = Wallet(rawValue: "apple_pay")
}

/// A shorter name for the details of a payment method.
public typealias CardPresentDetails = CardPresentTransactionDetails
