public import TillPayPalClient
public import TillCore

/// The Braintree configuration of a shop's server.
public struct BraintreeConfig: Sendable {
    public let merchantID: String
    /// The public key. Not a secret.
    public let publicKey: String
    public let privateKey: Secret<String>
    /// The merchant account of each currency. Each has one permanent currency, and a transaction that names no account
    /// uses the default one, whatever its currency: so each transaction names its account, and a currency without one
    /// is refused.
    public let merchantAccounts: [Currency: String]
    /// The gateway for transactions.
    public let gateway: PayPalEnvironment
    /// The GraphQL endpoint that converts cards to nonces.
    public let graphQL: PayPalEnvironment

    /// Creates a configuration with the keys of one merchant, validated.
    /// - Parameters:
    ///   - merchantAccounts: the merchant account id of each accepted currency.
    ///   - url: an alternative address for both endpoints, such as the stand-in on this machine.
    ///   - isLive: selects Braintree's production environment instead of its sandbox.
    /// - Throws: ``BraintreeConfigError``.
    public init(
        merchantID: String, publicKey: String, privateKey: Secret<String>, merchantAccounts: [Currency: String],
        isLive: Bool = false, url: String? = nil
    ) throws(BraintreeConfigError) {
        for (name, text) in [
            ("merchant id", merchantID), ("public key", publicKey), ("private key", privateKey.reveal()),
        ] {
            let isUsable = text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
                    || $0 == 0x2D
            }
            guard (1...128).contains(text.utf8.count), isUsable else { throw .unusable(name) }
        }
        guard merchantAccounts.values.allSatisfy(BraintreeConfig.isAccount) else { throw .unusable("merchant account") }
        self.merchantAccounts = merchantAccounts
        self.merchantID = merchantID
        self.publicKey = publicKey
        self.privateKey = privateKey
        let host = isLive ? "" : "sandbox."
        do throws(PayPalEnvironmentError) {
            gateway = try .custom(url ?? "https://api.\(host)braintreegateway.com")
            graphQL = try .custom(url ?? "https://payments.\(host)braintree-api.com")
        } catch { throw .unusable("address") }
    }

    private static func isAccount(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
                    || $0 == 0x2D
            }
    }

    /// Parses the accounts of a text such as `EUR=shop_eur; JPY=shop_jpy`.
    /// - Throws: ``BraintreeConfigError``, also if a currency is named twice.
    public static func merchantAccounts(parsing text: String) throws(BraintreeConfigError) -> [Currency: String] {
        var accounts: [Currency: String] = [:]
        for pair in text.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0.filter { $0 != " " }) }
            guard parts.count == 2, let currency = Currency(ifValid: parts[0]), accounts[currency] == nil,
                isAccount(parts[1])
            else { throw .merchantAccounts }
            accounts[currency] = parts[1]
        }
        return accounts
    }
}

/// An invalid configuration. The description never repeats the input.
public enum BraintreeConfigError: Error, Hashable, Sendable, CustomStringConvertible {
    case unusable(String)
    /// The merchant accounts are malformed.
    case merchantAccounts

    /// A one-sentence description for display.
    public var description: String {
        switch self {
        case .unusable(let name): "Braintree's \(name) cannot be used."
        case .merchantAccounts:
            "Braintree's merchant accounts must be written as EUR=shop_eur; JPY=shop_jpy, each currency once."
        }
    }
}
