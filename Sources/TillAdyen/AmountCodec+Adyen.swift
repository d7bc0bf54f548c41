public import TillCore

extension AmountCodec {
    /// Adyen's wire format: integers in minor units, with four currencies that differ from ISO 4217. CVE and IDR have
    /// no decimals, CLP and ISK have two.
    public static let adyen = AmountCodec(
        provider: "Adyen",
        exceptions: [
            "CVE": Rule(wireExponent: 0), "IDR": Rule(wireExponent: 0),
            "CLP": Rule(wireExponent: 2), "ISK": Rule(wireExponent: 2),
        ],
        unsupported: funds)
}
