/// A card network. Open: a word of a provider that is not known here keeps its raw value.
///
/// A brand that was found from a number is a hint for formatting and for the eye. It is never a reason to refuse a
/// card: ranges move between networks, and the provider's answer is the truth.
public struct CardBrand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// In small letters, as journals and receipts spell it.
    public let rawValue: String
    /// Takes the word as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }

    /// Visa.
    public static let visa = CardBrand(rawValue: "visa")
    /// Mastercard.
    public static let mastercard = CardBrand(rawValue: "mastercard")
    /// American Express.
    public static let amex = CardBrand(rawValue: "amex")
    /// Diners Club.
    public static let diners = CardBrand(rawValue: "diners")
    /// Discover.
    public static let discover = CardBrand(rawValue: "discover")
    /// JCB.
    public static let jcb = CardBrand(rawValue: "jcb")
    /// UnionPay.
    public static let unionpay = CardBrand(rawValue: "unionpay")
    /// Maestro.
    public static let maestro = CardBrand(rawValue: "maestro")
    /// Elo.
    public static let elo = CardBrand(rawValue: "elo")
    /// Mir.
    public static let mir = CardBrand(rawValue: "mir")
    /// Hiper.
    public static let hiper = CardBrand(rawValue: "hiper")
    /// Hipercard.
    public static let hipercard = CardBrand(rawValue: "hipercard")
    /// Troy.
    public static let troy = CardBrand(rawValue: "troy")
    /// Verve.
    public static let verve = CardBrand(rawValue: "verve")
    /// Tarjeta Naranja.
    public static let naranja = CardBrand(rawValue: "naranja")
    /// RuPay.
    public static let rupay = CardBrand(rawValue: "rupay")
    /// Dankort, mostly on cards that are Visa as well.
    public static let dankort = CardBrand(rawValue: "dankort")
    /// Cartes Bancaires: only beside another brand, never known from the number alone.
    public static let cartesBancaires = CardBrand(rawValue: "cartes_bancaires")
    /// eftpos Australia: only beside another brand, never known from the number alone.
    public static let eftposAU = CardBrand(rawValue: "eftpos_au")
}
