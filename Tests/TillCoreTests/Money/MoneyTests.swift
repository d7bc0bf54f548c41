import Foundation
import Testing
import TillCore

@Suite("Money")
struct MoneyTests {
    @Test(
        "plain decimal text is read exactly",
        arguments: [
            ("12.50", 1_250), ("12.5", 1_250), ("12", 1_200), ("-3", -300), ("12.500000", 1_250), ("0", 0), ("-0", 0),
            ("0.01", 1), ("-0.05", -5), ("007", 700), ("92233720368547758.07", Int64.max),
            ("-92233720368547758.08", Int64.min), ("92233720368547758.0700000000000000000000000000000", Int64.max),
        ] as [(String, Int64)])
    func reads(text: String, cents: Int64) throws {
        let money = try Money(parsing: text, currency: .eur)
        #expect(money.minorUnits == cents)
        #expect(try Money(parsing: money.decimalString, currency: .eur) == money)
    }

    @Test(
        "anything but plain ASCII digits is refused",
        arguments: [
            "", " ", " 5", "5 ", "+5", "-", "--5", ".", ".5", "5.", "-.5", "1.2.3", "1,000", "1,50", "1e3", "NaN",
            "inf",
            "0x10", "٣", "５", "5\u{0}", "5\u{301}", "€5", "1_000",
        ])
    func refuses(text: String) {
        #expect(throws: MoneyError.notANumber(text)) { try Money(parsing: text, currency: .eur) }
    }

    @Test("more decimal places than the currency has are refused, never rounded")
    func tooPrecise() throws {
        #expect(throws: MoneyError.tooPrecise("12.505", .eur)) { try Money(parsing: "12.505", currency: .eur) }
        #expect(throws: MoneyError.tooPrecise("12.5", .jpy)) { try Money(parsing: "12.5", currency: .jpy) }
        #expect(try Money(parsing: "12.505", currency: .kwd).minorUnits == 12_505)
        #expect(try Money(parsing: "12.00", currency: .jpy).minorUnits == 12)
    }

    @Test(
        "what does not fit 64 bits is refused",
        arguments: [
            "92233720368547758.08", "-92233720368547758.09", "99999999999999999999", String(repeating: "9", count: 500),
        ])
    func outOfRange(text: String) {
        #expect(throws: MoneyError.outOfRange) { try Money(parsing: text, currency: .eur) }
    }

    @Test("sums are exact or refused")
    func arithmetic() throws {
        let most = Money(minorUnits: .max, currency: .eur)
        let least = Money(minorUnits: .min, currency: .eur)
        let cent = Money(minorUnits: 1, currency: .eur)
        #expect(try cent.adding(cent).minorUnits == 2)
        #expect(try cent.subtracting(cent) == .zero(.eur))
        #expect(try cent.negated().minorUnits == -1)
        #expect(throws: MoneyError.outOfRange) { try most.adding(cent) }
        #expect(throws: MoneyError.outOfRange) { try least.subtracting(cent) }
        #expect(throws: MoneyError.outOfRange) { try least.negated() }
        #expect(throws: MoneyError.currencyMismatch(.eur, .usd)) { try cent.adding(.zero(.usd)) }
        #expect(throws: MoneyError.currencyMismatch(.eur, .usd)) { try cent.subtracting(.zero(.usd)) }
    }

    @Test(
        "the decimal text of every amount reads back to it",
        arguments: [Int64.min, .min + 1, -100, -99, -5, -1, 0, 1, 9, 10, 99, 100, 101, 123_456, .max - 1, .max])
    func decimalStrings(minorUnits: Int64) throws {
        for currency in Currency.all {
            let money = Money(minorUnits: minorUnits, currency: currency)
            #expect(try Money(parsing: money.decimalString, currency: currency) == money)
        }
    }

    @Test("texts for wires and people")
    func texts() throws {
        #expect(Money(minorUnits: -5, currency: .eur).decimalString == "-0.05")
        #expect(Money(minorUnits: 1_250, currency: .eur).description == "12.50 EUR")
        #expect(Money(minorUnits: 12, currency: .jpy).description == "12 JPY")
        #expect(
            Money(minorUnits: 123_456, currency: .usd).formatted(locale: Locale(identifier: "en_US")) == "$1,234.56")
        let german = Money(minorUnits: -123_450, currency: .eur).formatted(locale: Locale(identifier: "de_DE"))
        #expect(german == "-1.234,50\u{A0}€")
        let dinar = Money(minorUnits: 1_234, currency: .kwd).formatted(locale: Locale(identifier: "en_US"))
        #expect(dinar.contains("1.234"))
        let most = Money(minorUnits: .max, currency: .usd).formatted(locale: Locale(identifier: "en_US"))
        #expect(most == "$92,233,720,368,547,758.07")
    }

    @Test("a hostile text is cut short and made printable in the error")
    func errors() {
        let text = MoneyError.notANumber("\u{1B}[2J" + String(repeating: "x", count: 500)).description
        #expect(!text.contains("\u{1B}"))
        #expect(text.count < 140)
    }
}
