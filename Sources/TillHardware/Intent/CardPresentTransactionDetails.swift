public import TillCore

/// What a provider reports about a card that was at a reader. All that the provider may leave out is optional.
public struct CardPresentTransactionDetails: Hashable, Sendable {
    public var brand: CardBrand
    /// The last four digits, if reported.
    public var lastFour: String?
    /// The month in which the card ends, 1 to 12. For the shop's screen, never for a receipt.
    public var expiryMonth: Int?
    /// The year in which the card ends, four digits.
    public var expiryYear: Int?
    /// The name on the card. Print it nowhere.
    public var cardholderName: String?
    /// `credit`, `debit`, `prepaid`, …
    public var funding: String?
    /// How the card was read.
    public var readMethod: CardReadMethod?
    /// A reusable card that the provider made from it.
    public var generatedCard: String?
    /// What the receipt must show.
    public var receipt: ReceiptDetails?
    /// The phone or watch that the card is in.
    public var wallet: Wallet?
    /// The network that the payment went over; for eftpos and Cartes Bancaires it can differ from ``brand``.
    public var network: CardBrand?
    /// All networks that the card could go over.
    public var availableNetworks: [CardBrand]
    /// The card's languages, first preferred: `fr`, `en`.
    public var preferredLocales: [String]
    /// The network's number for the transaction.
    public var networkTransactionID: String?
    /// Whether the hold can be raised later.
    public var isIncrementSupported: Bool?
    /// Whether more than the hold can be captured.
    public var isOvercaptureSupported: Bool?

    /// Makes one; keeps only the last four digits of what it is given.
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

    /// What the journal and the receipt keep of it.
    public var summary: CardSummary {
        CardSummary(
            brand: brand.rawValue, lastFour: lastFour ?? "", entryMode: readMethod?.rawValue,
            emv: receipt, network: network?.rawValue)
    }

    /// The fields that a chip card's receipt must show and that are missing. Empty for cards without a chip read.
    package var missingReceiptFields: [String] {
        guard readMethod?.isEMV == true else { return [] }
        var missing: [String] = []
        if receipt?.applicationPreferredName?.isEmpty ?? true { missing.append("application_preferred_name") }
        if receipt?.dedicatedFileName?.isEmpty ?? true { missing.append("dedicated_file_name") }
        return missing
    }
}

/// How a card was read. Open: a word that is not known keeps its raw value.
public struct CardReadMethod: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Its chip was put into the reader.
    public static let contactEMV = CardReadMethod(rawValue: "contact_emv")
    /// Its chip was held to the reader.
    public static let contactlessEMV = CardReadMethod(rawValue: "contactless_emv")
    /// Its stripe, after its chip could not be read.
    package static let magneticStripeFallback = CardReadMethod(rawValue: "magnetic_stripe_fallback")

    /// True if a chip was read, so that the receipt must name its application.
    public var isEMV: Bool { self == .contactEMV || self == .contactlessEMV }
}

/// A card's brand or network. Open: a word that is not known keeps its raw value.
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
    /// The provider does not know it.
    public static let unknown = CardBrand(rawValue: "unknown")

    /// Every brand that is known.
    public static let known: [CardBrand] = [
        .visa, .mastercard, .amex, .discover, .diners, .jcb, .unionpay, .interac, .eftposAU, .cartesBancaires, .link,
        .unknown,
    ]

    /// What a receipt calls it.
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

/// The phone or watch that a card is in. Open: a word that is not known keeps its raw value.
public struct Wallet: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let applePay = Wallet(rawValue: "apple_pay")
}

/// The shorter name that a payment method's details go by.
public typealias CardPresentDetails = CardPresentTransactionDetails
