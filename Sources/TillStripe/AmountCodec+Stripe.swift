public import TillCore

extension AmountCodec {
    /// Stripe's wire format: integers in its smallest unit ("Supported currencies", zero- and three-decimal sections).
    ///
    /// MGA has no decimals at Stripe although ISO gives it two. ISK and UGX have none in ISO, but Stripe keeps sending
    /// them as two-decimal amounts that must end in 00. Three-decimal amounts must end in 0. IQD and LYD are refused:
    /// they have three decimals and Stripe documents no form for them.
    public static let stripe: AmountCodec = {
        var exceptions: [String: Rule] = [:]
        let noDecimals = [
            "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
        ]
        for code in noDecimals { exceptions[code] = Rule(wireExponent: 0) }
        for code in ["ISK", "UGX"] { exceptions[code] = Rule(wireExponent: 2, multipleOf: 100) }
        for code in ["BHD", "JOD", "KWD", "OMR", "TND"] { exceptions[code] = Rule(wireExponent: 3, multipleOf: 10) }
        return AmountCodec(
            provider: "Stripe", exceptions: exceptions, unsupported: funds.union(["IQD", "LYD"]))
    }()
}
