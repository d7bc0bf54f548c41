public import TillCore

/// The terminal's configuration and capabilities, as sent to the card. Source: EMV Contactless Book A, section 5, and
/// Book 4.
public struct TerminalProfile: Sendable {
    /// The country, ISO 3166 numeric: 276 is Germany.
    public var countryCode: Int
    /// Accepted application identifier prefixes, in hexadecimal.
    public var acceptedPrefixes: [String]
    /// Amount from which a tap requires cardholder verification, in minor units. `nil`: never.
    public var verificationLimit: Int64?
    /// Amount above which taps are not accepted. `nil`: no limit.
    public var transactionLimit: Int64?
    /// Amount from which a card must go online. Zero: always.
    public var floorLimit: Int64
    /// Terminal type, 22: attended, online and offline.
    public var terminalType: UInt8
    /// Terminal capabilities (tag 9F33): 3 bytes.
    public var capabilities: [UInt8]
    /// The merchant name sent to the card; at most 20 characters are used.
    public var merchantName: String
    /// The cards that may proceed to a payment.
    public var acceptance: CardAcceptance
    /// `true` to read the contact directory of cards without a contactless one: for recordings.
    public var usesContactDirectory: Bool
    /// Applications selected one by one on cards without a directory.
    public var directApplications: [[UInt8]]

    /// Creates a profile. By default the terminal always goes online and accepts only test cards.
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

/// The cards that may proceed to a payment. The kernels here are not certified, so the default accepts only test cards.
public enum CardAcceptance: Hashable, Sendable {
    /// Test numbers published by schemes and providers, by their leading digits.
    case testCards
    /// Any card. For laboratories and closed loops, by a documented decision.
    case anyCard

    /// The leading digits of accepted test numbers.
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

/// The transaction requested in one tap.
public struct TapRequest: Sendable {
    /// The transaction type.
    public enum Kind: UInt8, Hashable, Sendable {
        /// A payment for goods or services.
        case purchase = 0x00
        /// A refund to the customer.
        case refund = 0x20
    }

    /// The amount, not negative.
    public let amount: Money
    /// Purchase or refund (tag 9C).
    public let kind: Kind
    /// The time of the tap.
    public let time: Timestamp
    /// Four unpredictable bytes.
    public let unpredictableNumber: [UInt8]
    /// The terminal's transaction counter.
    public let sequence: UInt32

    /// Creates a request. The unpredictable number comes from the system's generator unless given.
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
