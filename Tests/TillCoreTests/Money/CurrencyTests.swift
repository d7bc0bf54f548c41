import Testing
import TillCore

@Suite("Currencies")
struct CurrencyTests {
    @Test("all active codes with a minor unit, sorted and once each")
    func all() {
        let codes = Currency.all.map(\.code)
        #expect(codes.count == 165)
        #expect(codes == Set(codes).sorted())
        #expect(Set(Currency.all.map(\.numericCode)).count == codes.count)
        #expect(Currency.all.allSatisfy { (0...4).contains($0.exponent) && (8...999).contains($0.numericCode) })
        #expect(Currency.all.allSatisfy { !$0.name.isEmpty })
    }

    @Test("a code is found in either case and nothing is trimmed")
    func lookUp() throws {
        #expect(try Currency(code: "eur") == .eur)
        #expect(try Currency(code: "EuR").code == "EUR")
        #expect(Currency.eur.numericCode == 978)
        #expect(Currency.eur.name == "Euro")
        for text in ["", "EU", "EURO", " EUR", "EUR ", "€", "ＥＵＲ", "E\u{0}R", "ZZZ", "DEM", "BGN", "HRK"] {
            #expect(throws: MoneyError.unknownCurrency(text)) { try Currency(code: text) }
        }
        for code in ["XXX", "XTS", "XAU", "XDR"] {
            #expect(throws: MoneyError.notPayable(code)) { try Currency(code: code) }
        }
        #expect(try Currency(code: "CLF").exponent == 4)
        #expect(try Currency(code: "UYW").exponent == 4)
    }

    @Test("the named ones are those of the table")
    func named() throws {
        for currency in [Currency.aud, .cad, .chf, .eur, .gbp, .jpy, .kwd, .sek, .usd] {
            #expect(try Currency(code: currency.code) == currency)
        }
    }
}
