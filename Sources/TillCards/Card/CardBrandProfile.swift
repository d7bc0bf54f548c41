/// The card properties of a network.
public struct CardBrandProfile: Hashable, Sendable {
    /// The network's name in journals and receipts.
    public let brand: CardBrand
    /// The display name.
    public let name: String
    /// Valid number lengths, ascending.
    public let lengths: [Int]
    /// The network's name for its security code: CVV, CVC, CID, …
    public let codeName: String
    /// Number of digits of the security code.
    public let codeLength: Int
    /// `true` if some of the network's cards have no security code.
    public let codeIsOptional: Bool
    /// `true` if the network has numbers that fail the Luhn check, so that a mismatch is only worth a warning.
    public let toleratesWrongCheckDigit: Bool
    /// Digits per printed group, for networks that do not print groups of four; longer numbers fall back to fours.
    public let printedGroups: [Int]
    /// Ranges of leading digits (IIN); empty for a network that only appears as a cobadge.
    public let prefixes: [CardPrefixRange]

    init(
        _ brand: CardBrand, _ name: String, _ lengths: [Int], code: String = "CVV", codeLength: Int = 3,
        codeIsOptional: Bool = false, toleratesWrongCheckDigit: Bool = false, printedGroups: [Int] = [],
        _ prefixes: [CardPrefixRange]
    ) {
        self.brand = brand
        self.name = name
        self.lengths = lengths
        codeName = code
        self.codeLength = codeLength
        self.codeIsOptional = codeIsOptional
        self.toleratesWrongCheckDigit = toleratesWrongCheckDigit
        self.printedGroups = printedGroups
        self.prefixes = prefixes
    }

    /// Returns the digits per printed group for this many typed digits. The groups cover at least that many.
    public func groups(forDigits count: Int) -> [Int] {
        count <= printedGroups.reduce(0, +) ? printedGroups : CardBrandProfile.commonGroups
    }

    /// The grouping of most networks; longer numbers continue in groups of four.
    static let commonGroups = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
}

/// A range of leading digits (IIN range). Both bounds have the same number of digits and are inclusive.
public struct CardPrefixRange: Hashable, Sendable {
    /// The lowest prefix of the range.
    public let low: Int
    /// The highest prefix of the range, at least ``low``.
    public let high: Int
    /// Number of digits of both bounds, 1...8.
    public let length: Int

    init(_ low: Int, _ high: Int? = nil) {
        self.low = low
        self.high = high ?? low
        var length = 1
        var rest = low
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        self.length = length
    }

    /// Returns the number of typed digits that match this range: the full prefix length if all its digits are typed and
    /// inside, the typed count if it can still become a match, 0 otherwise.
    func match(_ prefix: TypedPrefix) -> Int {
        let count = min(prefix.count, length)
        let drop = TypedPrefix.powers[length - count]
        let value = prefix.values[count]
        return value >= low / drop && value <= high / drop ? count : 0
    }
}

/// The leading digits of a number as integers, so that ranges are compared without strings.
struct TypedPrefix {
    static let maximum = 8
    static let powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
    /// Number of digits, 0...8.
    let count: Int
    /// The first 0, 1, … 8 digits as a number.
    let values: [Int]

    init(_ digits: String) {
        var values = [0]
        values.reserveCapacity(TypedPrefix.maximum + 1)
        var value = 0
        for byte in digits.utf8.prefix(TypedPrefix.maximum) {
            value = value * 10 + Int(byte & 0x0F)
            values.append(value)
        }
        count = values.count - 1
        self.values = values
    }
}
