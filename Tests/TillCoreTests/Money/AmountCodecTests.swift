import Testing
import TillCore

@Suite("Amounts on the wire of a provider")
struct AmountCodecTests {
    /// Dinars end in 0, krónur are sent in hundredths, of which there are none, and yen are refused.
    private let codec = AmountCodec(
        provider: "Example",
        exceptions: [
            "KWD": AmountCodec.Rule(wireExponent: 3, multipleOf: 10),
            "ISK": AmountCodec.Rule(wireExponent: 2, multipleOf: 100), "MGA": AmountCodec.Rule(wireExponent: 0),
        ], unsupported: ["JPY"])

    @Test("a currency without a rule of its own goes in ISO minor units")
    func usual() throws {
        #expect(try codec.wireAmount(Money(parsing: "12.50", currency: .eur)) == 1_250)
        #expect(try codec.wireDecimalString(Money(parsing: "12.5", currency: .eur)) == "12.50")
        #expect(throws: MoneyError.unsupportedCurrency(.jpy, provider: "Example")) {
            try codec.wireAmount(Money(minorUnits: 1, currency: .jpy))
        }
    }

    @Test("an amount that a provider would have to round is refused, and the error says which and why")
    func inexact() throws {
        #expect(try codec.wireAmount(Money(minorUnits: 12_510, currency: .kwd)) == 12_510)
        let ariary = try Currency(code: "MGA")
        #expect(throws: MoneyError.self) { try codec.wireAmount(Money(parsing: "10.20", currency: ariary)) }
        #expect(try codec.wireDecimalString(Money(parsing: "10", currency: ariary)) == "10")
        do {
            _ = try codec.wireAmount(Money(minorUnits: 12_505, currency: .kwd))
            Issue.record("it must throw")
        } catch {
            #expect(
                "\(error)" == "12.505 KWD cannot be sent to Example: its amounts in KWD must be multiples of 0.010.")
        }
    }

    @Test("a part of a krona does not come back from a wire in hundredths")
    func kronur() throws {
        let isk = try Currency(code: "ISK")
        #expect(throws: MoneyError.tooPrecise("10.50", isk)) { try Money(parsing: "10.50", currency: isk) }
        #expect(try codec.wireAmount(Money(parsing: "10", currency: isk)) == 1_000)
        #expect(throws: MoneyError.self) { try codec.money(fromWire: 1_050, currency: isk) }
    }
}
