import TillCheckout
import TillCore
import TillServer

extension ApplePayWeb {
    /// What a counter serves of Apple Pay: the sandbox and its demo shop, on a loopback address with the sandbox as
    /// provider; otherwise nothing.
    static func serving(_ provider: ProviderName, host: String, checkout: Checkout) throws -> ApplePayWeb? {
        guard provider == .sandbox, ["127.0.0.1", "localhost", "::1"].contains(host) else { return nil }
        return try .sandbox(checkout: checkout, provider: provider)
    }
}
