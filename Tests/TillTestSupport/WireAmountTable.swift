package import TillCore

/// What providers' documents say about amounts on their wires. Each provider's tests hold its codec against its column.
package enum WireAmountTable {
    /// A provider with a column of the table.
    package enum Provider: Int, Sendable {
        case stripe, payPal, adyen
    }

    /// One currency at one provider.
    package struct Row: CustomStringConvertible, Sendable {
        package let currency: Currency
        /// One major unit as the wire has it; `nil` if the provider refuses the currency.
        package let wire: Int64?
        package var description: String { currency.code }
    }

    /// A provider's column. Traps if the table does not have each currency once, with its decimal places.
    package static func rows(of provider: Provider) -> [Row] {
        let lines = golden.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        precondition(lines.map(\.[0]) == Currency.all.map(\.code), "a row for each currency, in order")
        return zip(lines, Currency.all).map { line, currency in
            precondition(line.count == 5 && Int(line[1]) == currency.exponent, "decimal places of \(currency)")
            return Row(currency: currency, wire: Int64(line[2 + provider.rawValue]))
        }
    }

    /// What a codec does with a currency that the table does not say, or that does not come back as it went; empty if
    /// all is well.
    package static func faults(of codec: AmountCodec, in row: Row) -> [String] {
        var faults: [String] = []
        func expect(_ isSo: Bool, _ what: String) { if !isSo { faults.append("\(row): \(what)") } }
        let one = try? Money(parsing: "1", currency: row.currency)
        let wire = one.flatMap { try? codec.wireAmount($0) }
        expect(wire == row.wire, "one is \(wire.map { "\($0)" } ?? "refused") on the wire")
        if let wire = row.wire {
            expect((try? codec.money(fromWire: wire, currency: row.currency)) == one, "\(wire) is not one")
        }
        let hostile: [Int64] = [
            .min, .min + 1, -1_000_000, -101, -100, -10, -1, 0, 1, 5, 9, 10, 11, 99, 100, 101, 1_005, 999_999_990,
            .max / 100, .max / 10, .max - 7, .max - 1, .max,
        ]
        for minorUnits in hostile {
            let money = Money(minorUnits: minorUnits, currency: row.currency)
            if let wire = try? codec.wireAmount(money) {
                let back = try? codec.money(fromWire: wire, currency: row.currency)
                expect(back == money, "\(money) comes back as \(back.map { "\($0)" } ?? "nothing")")
                let text = try? codec.wireDecimalString(money)
                let read = text.flatMap { try? Money(parsing: $0, currency: row.currency) }
                expect(read == money, "\(money) is written \(text ?? "not at all")")
            }
            if let read = try? codec.money(fromWire: minorUnits, currency: row.currency) {
                expect((try? codec.wireAmount(read)) == minorUnits, "\(minorUnits) of the wire does not go back")
            }
        }
        return faults
    }
}

/// Every currency at every provider, written out: code, ISO 4217 decimal places, and what one major unit is on the
/// wire of Stripe, PayPal and Adyen ("-": refused; PayPal's wire is decimal text, shown without its point).
private let golden = """
    AED 2 100 - 100
    AFN 2 100 - 100
    ALL 2 100 - 100
    AMD 2 100 - 100
    AOA 2 100 - 100
    ARS 2 100 - 100
    AUD 2 100 100 100
    AWG 2 100 - 100
    AZN 2 100 - 100
    BAM 2 100 - 100
    BBD 2 100 - 100
    BDT 2 100 - 100
    BHD 3 1000 - 1000
    BIF 0 1 - 1
    BMD 2 100 - 100
    BND 2 100 - 100
    BOB 2 100 - 100
    BOV 2 - - -
    BRL 2 100 100 100
    BSD 2 100 - 100
    BTN 2 100 - 100
    BWP 2 100 - 100
    BYN 2 100 - 100
    BZD 2 100 - 100
    CAD 2 100 100 100
    CDF 2 100 - 100
    CHE 2 - - -
    CHF 2 100 100 100
    CHW 2 - - -
    CLF 4 - - -
    CLP 0 1 - 100
    CNY 2 100 100 100
    COP 2 100 - 100
    COU 2 - - -
    CRC 2 100 - 100
    CUP 2 100 - 100
    CVE 2 100 - 1
    CZK 2 100 100 100
    DJF 0 1 - 1
    DKK 2 100 100 100
    DOP 2 100 - 100
    DZD 2 100 - 100
    EGP 2 100 - 100
    ERN 2 100 - 100
    ETB 2 100 - 100
    EUR 2 100 100 100
    FJD 2 100 - 100
    FKP 2 100 - 100
    GBP 2 100 100 100
    GEL 2 100 - 100
    GHS 2 100 - 100
    GIP 2 100 - 100
    GMD 2 100 - 100
    GNF 0 1 - 1
    GTQ 2 100 - 100
    GYD 2 100 - 100
    HKD 2 100 100 100
    HNL 2 100 - 100
    HTG 2 100 - 100
    HUF 2 100 1 100
    IDR 2 100 - 1
    ILS 2 100 100 100
    INR 2 100 - 100
    IQD 3 - - 1000
    IRR 2 100 - 100
    ISK 0 100 - 100
    JMD 2 100 - 100
    JOD 3 1000 - 1000
    JPY 0 1 1 1
    KES 2 100 - 100
    KGS 2 100 - 100
    KHR 2 100 - 100
    KMF 0 1 - 1
    KPW 2 100 - 100
    KRW 0 1 - 1
    KWD 3 1000 - 1000
    KYD 2 100 - 100
    KZT 2 100 - 100
    LAK 2 100 - 100
    LBP 2 100 - 100
    LKR 2 100 - 100
    LRD 2 100 - 100
    LSL 2 100 - 100
    LYD 3 - - 1000
    MAD 2 100 - 100
    MDL 2 100 - 100
    MGA 2 1 - 100
    MKD 2 100 - 100
    MMK 2 100 - 100
    MNT 2 100 - 100
    MOP 2 100 - 100
    MRU 2 100 - 100
    MUR 2 100 - 100
    MVR 2 100 - 100
    MWK 2 100 - 100
    MXN 2 100 100 100
    MXV 2 - - -
    MYR 2 100 100 100
    MZN 2 100 - 100
    NAD 2 100 - 100
    NGN 2 100 - 100
    NIO 2 100 - 100
    NOK 2 100 100 100
    NPR 2 100 - 100
    NZD 2 100 100 100
    OMR 3 1000 - 1000
    PAB 2 100 - 100
    PEN 2 100 - 100
    PGK 2 100 - 100
    PHP 2 100 100 100
    PKR 2 100 - 100
    PLN 2 100 100 100
    PYG 0 1 - 1
    QAR 2 100 - 100
    RON 2 100 - 100
    RSD 2 100 - 100
    RUB 2 100 - 100
    RWF 0 1 - 1
    SAR 2 100 - 100
    SBD 2 100 - 100
    SCR 2 100 - 100
    SDG 2 100 - 100
    SEK 2 100 100 100
    SGD 2 100 100 100
    SHP 2 100 - 100
    SLE 2 100 - 100
    SOS 2 100 - 100
    SRD 2 100 - 100
    SSP 2 100 - 100
    STN 2 100 - 100
    SVC 2 100 - 100
    SYP 2 100 - 100
    SZL 2 100 - 100
    THB 2 100 100 100
    TJS 2 100 - 100
    TMT 2 100 - 100
    TND 3 1000 - 1000
    TOP 2 100 - 100
    TRY 2 100 - 100
    TTD 2 100 - 100
    TWD 2 100 1 100
    TZS 2 100 - 100
    UAH 2 100 - 100
    UGX 0 100 - 1
    USD 2 100 100 100
    USN 2 - - -
    UYI 0 - - -
    UYU 2 100 - 100
    UYW 4 - - -
    UZS 2 100 - 100
    VED 2 100 - 100
    VES 2 100 - 100
    VND 0 1 - 1
    VUV 0 1 - 1
    WST 2 100 - 100
    XAD 2 - - -
    XAF 0 1 - 1
    XCD 2 100 - 100
    XCG 2 100 - 100
    XOF 0 1 - 1
    XPF 0 1 - 1
    YER 2 100 - 100
    ZAR 2 100 - 100
    ZMW 2 100 - 100
    ZWG 2 100 - 100
    """
