public import TillPayPalClient
public import TillCore

/// What a shop's server needs for Braintree.
public struct BraintreeConfig: Sendable {
    public let merchantID: String
    /// The public key. Not a secret.
    public let publicKey: String
    public let privateKey: Secret<String>
    /// Where transactions are made.
    public let gateway: PayPalEnvironment
    /// Where cards become nonces.
    public let graphQL: PayPalEnvironment

    /// A configuration.
    /// - Parameters:
    ///   - url: another address for both, such as the stand-in on this machine.
    ///   - isLive: Braintree's production instead of its sandbox.
    /// - Throws: ``BraintreeConfigError``.
    public init(
        merchantID: String, publicKey: String, privateKey: Secret<String>, isLive: Bool = false, url: String? = nil
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
        self.merchantID = merchantID
        self.publicKey = publicKey
        self.privateKey = privateKey
        let host = isLive ? "" : "sandbox."
        do throws(PayPalEnvironmentError) {
            gateway = try .custom(url ?? "https://api.\(host)braintreegateway.com")
            graphQL = try .custom(url ?? "https://payments.\(host)braintree-api.com")
        } catch { throw .unusable("address") }
    }
}

/// Why a configuration cannot be used. The sentence never repeats what was given.
public enum BraintreeConfigError: Error, Hashable, Sendable, CustomStringConvertible {
    case unusable(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unusable(let name): "Braintree's \(name) cannot be used."
        }
    }
}
