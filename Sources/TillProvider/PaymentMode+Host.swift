public import TillCore

extension PaymentMode {
    /// The mode of an address. Real money is the default: only this machine, where a stand-in runs, and hosts that are
    /// known to be a provider's test system are test.
    /// - Parameter testWord: what stands in the name of each host of the provider's test system, and of no other.
    public static func at(_ authority: String, testWord: String) -> PaymentMode {
        Loopback.isAuthority(authority) || authority.contains(testWord) ? .test : .live
    }
}
