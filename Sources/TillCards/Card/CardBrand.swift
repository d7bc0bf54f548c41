/// A card network. Open: a word of a provider that is not known here keeps its raw value.
///
/// A brand that was found from a number is a hint for formatting and for the eye. It is never a reason to refuse a
/// card: ranges move between networks, and the provider's answer is the truth.
public struct CardBrand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// In small letters, as journals and receipts spell it.
    public let rawValue: String
    /// Takes the word as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Visa, with Visa Debit and Visa Electron.
    public static let visa = CardBrand(rawValue: "visa")
    public static let mastercard = CardBrand(rawValue: "mastercard")
    /// American Express; the only network with a code of four digits.
    public static let amex = CardBrand(rawValue: "amex")
    /// Diners Club; mostly 14 digits.
    public static let diners = CardBrand(rawValue: "diners")
    /// Discover; shares a range with UnionPay.
    public static let discover = CardBrand(rawValue: "discover")
    public static let jcb = CardBrand(rawValue: "jcb")
    /// UnionPay, of China; its numbers need no check digit.
    public static let unionpay = CardBrand(rawValue: "unionpay")
    /// Maestro, Mastercard's debit cards; 12 to 19 digits.
    public static let maestro = CardBrand(rawValue: "maestro")
    public static let elo = CardBrand(rawValue: "elo")
    public static let mir = CardBrand(rawValue: "mir")
    public static let hiper = CardBrand(rawValue: "hiper")
    public static let hipercard = CardBrand(rawValue: "hipercard")
    public static let troy = CardBrand(rawValue: "troy")
    public static let verve = CardBrand(rawValue: "verve")
    /// Tarjeta Naranja, of Argentina.
    public static let naranja = CardBrand(rawValue: "naranja")
    /// RuPay, of India; shares ranges with Discover and Maestro.
    public static let rupay = CardBrand(rawValue: "rupay")
    /// Dankort, mostly on cards that are Visa as well.
    public static let dankort = CardBrand(rawValue: "dankort")
    /// Cartes Bancaires: only beside another brand, never known from the number alone.
    public static let cartesBancaires = CardBrand(rawValue: "cartes_bancaires")
    /// eftpos Australia: only beside another brand, never known from the number alone.
    public static let eftposAU = CardBrand(rawValue: "eftpos_au")
}
