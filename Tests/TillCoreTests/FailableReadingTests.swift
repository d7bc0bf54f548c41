import Testing
import TillCore

/// The failable readers say yes exactly where those that throw do.
@Suite struct FailableReadingTests {
    @Test("a currency is known or not", arguments: ["EUR", "eur", "XAU", "EURO", "", "E R", "ZZZ"])
    func currency(_ code: String) {
        #expect(Currency(ifValid: code) == (try? Currency(code: code)))
    }

    @Test("gold and what is no code have reasons of their own")
    func reasons() {
        #expect(throws: MoneyError.notPayable("XAU")) { try Currency(code: "xau") }
        #expect(throws: MoneyError.unknownCurrency("zzz")) { try Currency(code: "zzz") }
        #expect(throws: MoneyError.unknownCurrency("EURO")) { try Currency(code: "EURO") }
    }

    @Test("an amount is exact or none", arguments: ["12.50", "-3", "12.505", "1e3", "", "99999999999999999999"])
    func amount(_ text: String) {
        #expect(Money(ifValid: text, currency: .eur) == (try? Money(parsing: text, currency: .eur)))
    }

    @Test("an identifier is printable and short, or none", arguments: ["pay_1", "", "a b", "é"])
    func identifier(_ text: String) {
        #expect(PaymentID(ifValid: text) == (try? PaymentID(validating: text)))
    }

    @Test("a document is read strictly or not at all", arguments: [#"{"a":1}"#, "{", #"{"a":1,"a":2}"#, ""])
    func document(_ text: String) {
        #expect(JSONValue(ifValid: text.utf8) == (try? JSONValue(parsing: text.utf8)))
    }

    @Test("a sum of two currencies, or one that does not fit, is none")
    func sums() {
        let most = Money(minorUnits: .max, currency: .eur)
        let cent = Money(minorUnits: 1, currency: .eur)
        #expect(most.adding(ifExact: cent) == nil)
        #expect(Money(minorUnits: .min, currency: .eur).subtracting(ifExact: cent) == nil)
        #expect(cent.adding(ifExact: Money(minorUnits: 1, currency: .usd)) == nil)
        #expect(cent.subtracting(ifExact: Money(minorUnits: 1, currency: .usd)) == nil)
        #expect(cent.adding(ifExact: cent)?.minorUnits == 2)
        #expect(cent.subtracting(ifExact: cent)?.minorUnits == 0)
        #expect(throws: MoneyError.outOfRange) { try most.adding(cent) }
        #expect(throws: MoneyError.currencyMismatch(.eur, .usd)) {
            try cent.adding(Money(minorUnits: 1, currency: .usd))
        }
    }
}
