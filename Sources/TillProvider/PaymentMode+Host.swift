public import TillCore

extension PaymentMode {
    /// Returns the mode of an address. Live is the default; only loopback addresses, used by stand-ins, and hosts known
    /// to belong to a provider's test system are test.
    /// - Parameter testWord: a word contained in every host name of the provider's test system, and in no other.
    public static func at(_ authority: String, testWord: String) -> PaymentMode {
        Loopback.isAuthority(authority) || authority.contains(testWord) ? .test : .live
    }
}
