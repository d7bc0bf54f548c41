/// A currency of ISO 4217 in which an amount can be paid.
///
/// ```swift
/// let yen = try Currency(code: "JPY")
/// print(yen.name, yen.numericCode, yen.exponent)  // Yen 392 0
/// let accepted = ["EUR", "CHF", "XAU"].compactMap { Currency(ifValid: $0) }  // without gold
/// ```
///
/// Four bytes in size; comparing two is comparing integers. A value exists only for an active code with a minor unit,
/// so every `Currency` has a definite ``exponent``.
public struct Currency: Hashable, Sendable {
    /// The three letters read as a number in base 26, below 17,576.
    private let packed: UInt16
    private let digits: UInt8

    /// Finds a currency by its code, in upper or lower case. Nothing is trimmed.
    /// - Throws: ``MoneyError/unknownCurrency(_:)`` for a code that is not active in ISO 4217,
    ///   ``MoneyError/notPayable(_:)`` for one without a minor unit, such as gold.
    public init(code: String) throws(MoneyError) {
        guard let currency = Currency(ifValid: code) else {
            let upper = Currency.pack(code.utf8).map { Currency.unpack($0) }
            throw upper.map { CurrencyTable.notPayable.contains($0) } == true
                ? .notPayable(upper ?? code) : .unknownCurrency(code)
        }
        self = currency
    }

    /// Finds a currency by its code, in upper or lower case; `nil` for any code that ``init(code:)`` rejects.
    public init?(ifValid code: String) {
        guard let packed = Currency.pack(code.utf8), let entry = CurrencyTable.entry(packed: packed) else { return nil }
        self.packed = packed
        self.digits = UInt8(truncatingIfNeeded: entry.exponent)
    }

    private init(_ code: StaticString, _ digits: UInt8) {
        let packed = code.withUTF8Buffer { Currency.pack($0) }
        self.packed = packed ?? 0
        self.digits = digits
    }

    /// The alphabetic code, in capitals: `"EUR"`.
    public var code: String { Currency.unpack(packed) }
    /// The numeric code, 8...999: 978 for the euro.
    public var numericCode: Int { CurrencyTable.entry(packed: packed)?.numericCode ?? 0 }
    /// The number of decimal places of the minor unit, 0...4: 2 for the euro, 0 for the yen, 3 for the Kuwaiti dinar.
    public var exponent: Int { Int(digits) }
    /// The English name in the standard.
    public var name: String { CurrencyTable.entry(packed: packed)?.name ?? code }

    /// Every payable currency, sorted by code; funds codes such as CLF and UYW are among them.
    public static let all: [Currency] = CurrencyTable.entries.compactMap { Currency(ifValid: $0.code) }

    /// Packs three ASCII letters, either case, into a base-26 number; `nil` for anything else.
    static func pack(_ letters: some Collection<UInt8>) -> UInt16? {
        guard letters.count == 3 else { return nil }
        var packed: UInt16 = 0
        for letter in letters {
            let upper = letter & 0xDF
            guard letter & 0x40 != 0, upper >= 0x41, upper <= 0x5A else { return nil }
            packed = packed * 26 + UInt16(upper - 0x41)
        }
        return packed
    }

    private static func unpack(_ packed: UInt16) -> String {
        // Written in place: three letters are held in the text itself, and an amount is written several times a sale.
        String(unsafeUninitializedCapacity: 3) { letters in
            letters[0] = UInt8(truncatingIfNeeded: packed / 676) &+ 0x41
            letters[1] = UInt8(truncatingIfNeeded: packed / 26 % 26) &+ 0x41
            letters[2] = UInt8(truncatingIfNeeded: packed % 26) &+ 0x41
            return 3
        }
    }
}

extension Currency: CustomStringConvertible {
    public var description: String { code }
}

extension Currency {
    /// Dirham of the United Arab Emirates.
    public static let aed = Currency("AED", 2)
    public static let aud = Currency("AUD", 2)
    public static let cad = Currency("CAD", 2)
    public static let chf = Currency("CHF", 2)
    public static let eur = Currency("EUR", 2)
    public static let gbp = Currency("GBP", 2)
    /// Yen: no decimal places.
    public static let jpy = Currency("JPY", 0)
    /// Kuwaiti dinar: three decimal places.
    public static let kwd = Currency("KWD", 3)
    public static let sek = Currency("SEK", 2)
    public static let usd = Currency("USD", 2)
}
