/// What is known of a network's cards.
public struct CardBrandProfile: Hashable, Sendable {
    /// The network's name in journals and receipts.
    public let brand: CardBrand
    /// Its name as people write it.
    public let name: String
    /// How many digits its numbers have, rising.
    public let lengths: [Int]
    /// What it calls its security code: CVV, CVC, CID, …
    public let codeName: String
    /// How many digits the security code has.
    public let codeLength: Int
    /// Some of its cards have no security code.
    public let codeIsOptional: Bool
    /// Numbers whose check digit does not fit exist, so a misfit is only worth a warning.
    public let toleratesWrongCheckDigit: Bool
    /// How many digits each printed group has, where they are not groups of four; longer numbers are in fours again.
    public let printedGroups: [Int]
    /// The ranges of first digits; empty for a network that is only ever a second brand on a card.
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

    /// How many digits each printed group has, for this many typed digits. The groups make up at least that many.
    public func groups(forDigits count: Int) -> [Int] {
        count <= printedGroups.reduce(0, +) ? printedGroups : CardBrandProfile.commonGroups
    }

    /// The groups of most networks; a longer number goes on in groups of four.
    static let commonGroups = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
}

/// A range of first digits: both ends have the same number of digits and are inside.
public struct CardPrefixRange: Hashable, Sendable {
    /// The lowest prefix of the range.
    public let low: Int
    /// The highest prefix of the range, at least ``low``.
    public let high: Int
    /// How many digits both have, 1...8.
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

    /// How many of the typed digits speak for this range: all of its digits if they are typed and inside, the typed
    /// ones if they can still become such; 0 if they cannot.
    func match(_ prefix: TypedPrefix) -> Int {
        let count = min(prefix.count, length)
        let drop = TypedPrefix.powers[length - count]
        let value = prefix.values[count]
        return value >= low / drop && value <= high / drop ? count : 0
    }
}

/// The first digits of a number as integers, so that ranges are compared without text.
struct TypedPrefix {
    static let maximum = 8
    static let powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
    /// How many digits there are, 0...8.
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
