/// A card network. Open: an unknown name from a provider keeps its raw value.
///
/// A brand derived from a number is a hint for formatting and display, never a reason to reject a card: ranges move
/// between networks, and only the provider's answer is authoritative.
public struct CardBrand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Lowercase name, as written in journals and receipts.
    public let rawValue: String
    /// Creates a brand from any name, without validation.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Visa, with Visa Debit and Visa Electron.
    public static let visa = CardBrand(rawValue: "visa")
    public static let mastercard = CardBrand(rawValue: "mastercard")
    /// American Express; the only network with a four-digit code.
    public static let amex = CardBrand(rawValue: "amex")
    /// Diners Club; mostly 14 digits.
    public static let diners = CardBrand(rawValue: "diners")
    /// Discover; shares a range with UnionPay.
    public static let discover = CardBrand(rawValue: "discover")
    public static let jcb = CardBrand(rawValue: "jcb")
    /// UnionPay, of China; its numbers need not pass the Luhn check.
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
    /// Dankort, mostly cobadged with Visa.
    public static let dankort = CardBrand(rawValue: "dankort")
    /// Cartes Bancaires: only as a cobadge, never derived from the number alone.
    public static let cartesBancaires = CardBrand(rawValue: "cartes_bancaires")
    /// eftpos Australia: only as a cobadge, never derived from the number alone.
    public static let eftposAU = CardBrand(rawValue: "eftpos_au")
}
