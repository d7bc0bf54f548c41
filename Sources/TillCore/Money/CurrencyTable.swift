/// The active codes of ISO 4217 (list one, as of January 2026) that have a minor unit.
enum CurrencyTable {
    /// One row of the standard.
    struct Entry: Sendable {
        let code: String
        let numericCode: Int
        let exponent: Int
        let name: String

        init(_ code: String, _ numericCode: Int, _ exponent: Int, _ name: String) {
            self.code = code
            self.numericCode = numericCode
            self.exponent = exponent
            self.name = name
        }
    }

    /// Codes that the standard lists without a minor unit: metals, bond-market units, drawing rights, testing, none.
    /// Amounts in them cannot be counted, so they cannot be used for payment.
    static let notPayable: Set<String> = [
        "XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX",
    ]

    /// The row number plus one for each of the 26³ possible codes; zero if there is none. Makes a lookup a single load.
    static let rowByPackedCode: [UInt8] = {
        var rows = [UInt8](repeating: 0, count: 26 * 26 * 26)
        for (row, entry) in entries.enumerated() {
            guard let packed = Currency.pack(entry.code.utf8), let number = UInt8(exactly: row + 1) else { continue }
            rows[Int(packed)] = number
        }
        return rows
    }()

    /// Returns the row of a packed code, or `nil` if the standard does not list it.
    static func entry(packed: UInt16) -> Entry? {
        guard Int(packed) < rowByPackedCode.count else { return nil }
        let row = Int(rowByPackedCode[Int(packed)])
        return row == 0 ? nil : entries[row - 1]
    }

    static let entries: [Entry] = [
        Entry("AED", 784, 2, "UAE Dirham"),
        Entry("AFN", 971, 2, "Afghani"),
        Entry("ALL", 8, 2, "Lek"),
        Entry("AMD", 51, 2, "Armenian Dram"),
        Entry("AOA", 973, 2, "Kwanza"),
        Entry("ARS", 32, 2, "Argentine Peso"),
        Entry("AUD", 36, 2, "Australian Dollar"),
        Entry("AWG", 533, 2, "Aruban Florin"),
        Entry("AZN", 944, 2, "Azerbaijan Manat"),
        Entry("BAM", 977, 2, "Convertible Mark"),
        Entry("BBD", 52, 2, "Barbados Dollar"),
        Entry("BDT", 50, 2, "Taka"),
        Entry("BHD", 48, 3, "Bahraini Dinar"),
        Entry("BIF", 108, 0, "Burundi Franc"),
        Entry("BMD", 60, 2, "Bermudian Dollar"),
        Entry("BND", 96, 2, "Brunei Dollar"),
        Entry("BOB", 68, 2, "Boliviano"),
        Entry("BOV", 984, 2, "Mvdol"),
        Entry("BRL", 986, 2, "Brazilian Real"),
        Entry("BSD", 44, 2, "Bahamian Dollar"),
        Entry("BTN", 64, 2, "Ngultrum"),
        Entry("BWP", 72, 2, "Pula"),
        Entry("BYN", 933, 2, "Belarusian Ruble"),
        Entry("BZD", 84, 2, "Belize Dollar"),
        Entry("CAD", 124, 2, "Canadian Dollar"),
        Entry("CDF", 976, 2, "Congolese Franc"),
        Entry("CHE", 947, 2, "WIR Euro"),
        Entry("CHF", 756, 2, "Swiss Franc"),
        Entry("CHW", 948, 2, "WIR Franc"),
        Entry("CLF", 990, 4, "Unidad de Fomento"),
        Entry("CLP", 152, 0, "Chilean Peso"),
        Entry("CNY", 156, 2, "Yuan Renminbi"),
        Entry("COP", 170, 2, "Colombian Peso"),
        Entry("COU", 970, 2, "Unidad de Valor Real"),
        Entry("CRC", 188, 2, "Costa Rican Colon"),
        Entry("CUP", 192, 2, "Cuban Peso"),
        Entry("CVE", 132, 2, "Cabo Verde Escudo"),
        Entry("CZK", 203, 2, "Czech Koruna"),
        Entry("DJF", 262, 0, "Djibouti Franc"),
        Entry("DKK", 208, 2, "Danish Krone"),
        Entry("DOP", 214, 2, "Dominican Peso"),
        Entry("DZD", 12, 2, "Algerian Dinar"),
        Entry("EGP", 818, 2, "Egyptian Pound"),
        Entry("ERN", 232, 2, "Nakfa"),
        Entry("ETB", 230, 2, "Ethiopian Birr"),
        Entry("EUR", 978, 2, "Euro"),
        Entry("FJD", 242, 2, "Fiji Dollar"),
        Entry("FKP", 238, 2, "Falkland Islands Pound"),
        Entry("GBP", 826, 2, "Pound Sterling"),
        Entry("GEL", 981, 2, "Lari"),
        Entry("GHS", 936, 2, "Ghana Cedi"),
        Entry("GIP", 292, 2, "Gibraltar Pound"),
        Entry("GMD", 270, 2, "Dalasi"),
        Entry("GNF", 324, 0, "Guinean Franc"),
        Entry("GTQ", 320, 2, "Quetzal"),
        Entry("GYD", 328, 2, "Guyana Dollar"),
        Entry("HKD", 344, 2, "Hong Kong Dollar"),
        Entry("HNL", 340, 2, "Lempira"),
        Entry("HTG", 332, 2, "Gourde"),
        Entry("HUF", 348, 2, "Forint"),
        Entry("IDR", 360, 2, "Rupiah"),
        Entry("ILS", 376, 2, "New Israeli Sheqel"),
        Entry("INR", 356, 2, "Indian Rupee"),
        Entry("IQD", 368, 3, "Iraqi Dinar"),
        Entry("IRR", 364, 2, "Iranian Rial"),
        Entry("ISK", 352, 0, "Iceland Krona"),
        Entry("JMD", 388, 2, "Jamaican Dollar"),
        Entry("JOD", 400, 3, "Jordanian Dinar"),
        Entry("JPY", 392, 0, "Yen"),
        Entry("KES", 404, 2, "Kenyan Shilling"),
        Entry("KGS", 417, 2, "Som"),
        Entry("KHR", 116, 2, "Riel"),
        Entry("KMF", 174, 0, "Comorian Franc"),
        Entry("KPW", 408, 2, "North Korean Won"),
        Entry("KRW", 410, 0, "Won"),
        Entry("KWD", 414, 3, "Kuwaiti Dinar"),
        Entry("KYD", 136, 2, "Cayman Islands Dollar"),
        Entry("KZT", 398, 2, "Tenge"),
        Entry("LAK", 418, 2, "Lao Kip"),
        Entry("LBP", 422, 2, "Lebanese Pound"),
        Entry("LKR", 144, 2, "Sri Lanka Rupee"),
        Entry("LRD", 430, 2, "Liberian Dollar"),
        Entry("LSL", 426, 2, "Loti"),
        Entry("LYD", 434, 3, "Libyan Dinar"),
        Entry("MAD", 504, 2, "Moroccan Dirham"),
        Entry("MDL", 498, 2, "Moldovan Leu"),
        Entry("MGA", 969, 2, "Malagasy Ariary"),
        Entry("MKD", 807, 2, "Denar"),
        Entry("MMK", 104, 2, "Kyat"),
        Entry("MNT", 496, 2, "Tugrik"),
        Entry("MOP", 446, 2, "Pataca"),
        Entry("MRU", 929, 2, "Ouguiya"),
        Entry("MUR", 480, 2, "Mauritius Rupee"),
        Entry("MVR", 462, 2, "Rufiyaa"),
        Entry("MWK", 454, 2, "Malawi Kwacha"),
        Entry("MXN", 484, 2, "Mexican Peso"),
        Entry("MXV", 979, 2, "Mexican Unidad de Inversion (UDI)"),
        Entry("MYR", 458, 2, "Malaysian Ringgit"),
        Entry("MZN", 943, 2, "Mozambique Metical"),
        Entry("NAD", 516, 2, "Namibia Dollar"),
        Entry("NGN", 566, 2, "Naira"),
        Entry("NIO", 558, 2, "Cordoba Oro"),
        Entry("NOK", 578, 2, "Norwegian Krone"),
        Entry("NPR", 524, 2, "Nepalese Rupee"),
        Entry("NZD", 554, 2, "New Zealand Dollar"),
        Entry("OMR", 512, 3, "Rial Omani"),
        Entry("PAB", 590, 2, "Balboa"),
        Entry("PEN", 604, 2, "Sol"),
        Entry("PGK", 598, 2, "Kina"),
        Entry("PHP", 608, 2, "Philippine Peso"),
        Entry("PKR", 586, 2, "Pakistan Rupee"),
        Entry("PLN", 985, 2, "Zloty"),
        Entry("PYG", 600, 0, "Guarani"),
        Entry("QAR", 634, 2, "Qatari Rial"),
        Entry("RON", 946, 2, "Romanian Leu"),
        Entry("RSD", 941, 2, "Serbian Dinar"),
        Entry("RUB", 643, 2, "Russian Ruble"),
        Entry("RWF", 646, 0, "Rwanda Franc"),
        Entry("SAR", 682, 2, "Saudi Riyal"),
        Entry("SBD", 90, 2, "Solomon Islands Dollar"),
        Entry("SCR", 690, 2, "Seychelles Rupee"),
        Entry("SDG", 938, 2, "Sudanese Pound"),
        Entry("SEK", 752, 2, "Swedish Krona"),
        Entry("SGD", 702, 2, "Singapore Dollar"),
        Entry("SHP", 654, 2, "Saint Helena Pound"),
        Entry("SLE", 925, 2, "Leone"),
        Entry("SOS", 706, 2, "Somali Shilling"),
        Entry("SRD", 968, 2, "Surinam Dollar"),
        Entry("SSP", 728, 2, "South Sudanese Pound"),
        Entry("STN", 930, 2, "Dobra"),
        Entry("SVC", 222, 2, "El Salvador Colon"),
        Entry("SYP", 760, 2, "Syrian Pound"),
        Entry("SZL", 748, 2, "Lilangeni"),
        Entry("THB", 764, 2, "Baht"),
        Entry("TJS", 972, 2, "Somoni"),
        Entry("TMT", 934, 2, "Turkmenistan New Manat"),
        Entry("TND", 788, 3, "Tunisian Dinar"),
        Entry("TOP", 776, 2, "Pa’anga"),
        Entry("TRY", 949, 2, "Turkish Lira"),
        Entry("TTD", 780, 2, "Trinidad and Tobago Dollar"),
        Entry("TWD", 901, 2, "New Taiwan Dollar"),
        Entry("TZS", 834, 2, "Tanzanian Shilling"),
        Entry("UAH", 980, 2, "Hryvnia"),
        Entry("UGX", 800, 0, "Uganda Shilling"),
        Entry("USD", 840, 2, "US Dollar"),
        Entry("USN", 997, 2, "US Dollar (Next day)"),
        Entry("UYI", 940, 0, "Uruguay Peso en Unidades Indexadas (UI)"),
        Entry("UYU", 858, 2, "Peso Uruguayo"),
        Entry("UYW", 927, 4, "Unidad Previsional"),
        Entry("UZS", 860, 2, "Uzbekistan Sum"),
        Entry("VED", 926, 2, "Bolívar Soberano"),
        Entry("VES", 928, 2, "Bolívar Soberano"),
        Entry("VND", 704, 0, "Dong"),
        Entry("VUV", 548, 0, "Vatu"),
        Entry("WST", 882, 2, "Tala"),
        Entry("XAD", 396, 2, "Arab Accounting Dinar"),
        Entry("XAF", 950, 0, "CFA Franc BEAC"),
        Entry("XCD", 951, 2, "East Caribbean Dollar"),
        Entry("XCG", 532, 2, "Caribbean Guilder"),
        Entry("XOF", 952, 0, "CFA Franc BCEAO"),
        Entry("XPF", 953, 0, "CFP Franc"),
        Entry("YER", 886, 2, "Yemeni Rial"),
        Entry("ZAR", 710, 2, "Rand"),
        Entry("ZMW", 967, 2, "Zambian Kwacha"),
        Entry("ZWG", 924, 2, "Zimbabwe Gold"),
    ]
}
