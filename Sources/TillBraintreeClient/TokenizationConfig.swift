public import TillPayPalClient
import TillCore

/// The configuration of an app that creates nonces with Braintree: a tokenization key, which permits nothing else.
public struct TokenizationConfig: CardClientConfig {
    /// The merchant, as the key names it.
    public let clientID: String
    /// The environment of Braintree's GraphQL endpoint, named by the key.
    public let environment: PayPalEnvironment
    let key: Secret<String>

    /// Creates a configuration from a key such as `sandbox_9dbg82cq_dcpspy2brwdjr3qn`.
    /// - Parameter url: an alternative address, such as the stand-in on this machine.
    /// - Throws: `CardClientError.configuration`.
    public init(tokenizationKey: String, url: String? = nil) throws(CardClientError) {
        let parts = tokenizationKey.split(separator: "_", omittingEmptySubsequences: false)
        let isUsable = tokenizationKey.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard parts.count == 3, isUsable, tokenizationKey.utf8.count <= 256, !parts[1].isEmpty, !parts[2].isEmpty else {
            throw .configuration("The tokenization key must have the form environment_key_merchant.")
        }
        let defaultValue: String
        switch parts[0] {
        case "production": defaultValue = "https://payments.braintree-api.com"
        case "sandbox": defaultValue = "https://payments.sandbox.braintree-api.com"
        case "development" where url != nil: defaultValue = ""
        default: throw .configuration("The tokenization key is of no environment that is known.")
        }
        do throws(PayPalEnvironmentError) { environment = try .custom(url ?? defaultValue) } catch {
            throw .configuration("Braintree's address cannot be used: it must be https, or this machine.")
        }
        clientID = String(parts[2])
        key = Secret(tokenizationKey)
    }
}
