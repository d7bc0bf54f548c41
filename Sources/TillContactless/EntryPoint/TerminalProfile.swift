public import TillCore

/// What the terminal is and may do, as sent to the card. Source: EMV Contactless Book A, section 5, and Book 4.
public struct TerminalProfile: Sendable {
    /// The country, ISO 3166 numeric: 276 is Germany.
    public var countryCode: Int
    /// Starts of the application identifiers that are taken, in hexadecimal.
    public var acceptedPrefixes: [String]
    /// Price from which a tap needs the customer's verification, in minor units. Nil: never.
    public var verificationLimit: Int64?
    /// Price above which a tap is not offered. Nil: none.
    public var transactionLimit: Int64?
    /// Price from which a card must go online. Zero: always.
    public var floorLimit: Int64
    /// Terminal type, 22: attended, online and offline.
    public var terminalType: UInt8
    /// Terminal capabilities (tag 9F33): 3 bytes.
    public var capabilities: [UInt8]
    /// The merchant's name as sent to the card, at most 20 characters used.
    public var merchantName: String
    /// Which cards may continue to a payment.
    public var acceptance: CardAcceptance
    /// Reads the directory of cards with contacts when there is none for contactless: for recordings.
    public var usesContactDirectory: Bool
    /// The applications that are asked for one by one where a card has no directory at all.
    public var directApplications: [[UInt8]]

    /// Makes one: a terminal that always goes online and takes test cards only.
    public init(
        countryCode: Int = 276, acceptedPrefixes: [String] = Scheme.knownPrefixes, verificationLimit: Int64? = 5000,
        transactionLimit: Int64? = nil, floorLimit: Int64 = 0, terminalType: UInt8 = 0x22,
        capabilities: [UInt8] = [0x00, 0x08, 0x08], merchantName: String = "TILL",
        acceptance: CardAcceptance = .testCards, usesContactDirectory: Bool = false,
        directApplications: [[UInt8]] = Scheme.directApplications
    ) {
        self.countryCode = countryCode
        self.acceptedPrefixes = acceptedPrefixes
        self.verificationLimit = verificationLimit
        self.transactionLimit = transactionLimit
        self.floorLimit = floorLimit
        self.terminalType = terminalType
        self.capabilities = capabilities
        self.merchantName = merchantName
        self.acceptance = acceptance
        self.usesContactDirectory = usesContactDirectory
        self.directApplications = directApplications
    }
}

/// Which cards may continue to a payment. The kernels here are not certified, so the default takes test cards only.
public enum CardAcceptance: Hashable, Sendable {
    /// Numbers that schemes and providers publish for tests, by their first digits.
    case testCards
    /// Any card. For laboratories and closed loops, by a decision that someone wrote down.
    case anyCard

    /// The first digits of the test numbers that are taken.
    public static let testPrefixes = [
        "476173", "476134", "450644", "400000", "411111", "424242", "401288", "555555", "541333", "541330", "510510",
        "222300",
        "222100", "371449", "378282", "374245", "601111", "601100", "353011", "356600", "620000", "621094", "672000",
        "679999", "676770", "501800", "589999", "600999",
    ]

    func takes(_ number: String) -> Bool {
        self == .anyCard || CardAcceptance.testPrefixes.contains { number.hasPrefix($0) }
    }
}

/// What one tap is for.
public struct TapRequest: Sendable {
    /// What is bought or given back.
    public enum Kind: UInt8, Hashable, Sendable {
        /// Goods and services are paid.
        case purchase = 0x00
        /// Money goes back to the customer.
        case refund = 0x20
    }

    /// The price, not negative.
    public let amount: Money
    /// Whether the customer pays or gets money back (tag 9C).
    public let kind: Kind
    /// The time of the tap.
    public let time: Timestamp
    /// Four bytes that nobody can foresee.
    public let unpredictableNumber: [UInt8]
    /// The terminal's own count of taps.
    public let sequence: UInt32

    /// Makes one. The unpredictable number is drawn from the system unless given.
    public init(
        amount: Money, kind: Kind = .purchase, time: Timestamp, unpredictableNumber: [UInt8]? = nil,
        sequence: UInt32 = 1
    ) {
        self.amount = amount
        self.kind = kind
        self.time = time
        var generator = SystemRandomNumberGenerator()
        self.unpredictableNumber =
            unpredictableNumber ?? (0..<4).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.sequence = sequence
    }
}
