public import TillCore

/// The configuration of a shop's server for Adyen.
public struct AdyenConfig: Sendable {
    /// The version of the Checkout API.
    public static let version = "v71"
    /// Maximum number of HMAC keys: the current one and, during rotation, the next.
    public static let mostWebhookKeys = 2

    public let merchantAccount: String
    /// The API key.
    public let apiKey: Secret<String>
    /// `https` or, for a loopback address only, `http`.
    let scheme: String
    let authority: String
    /// The path before the version; present for live accounts.
    let prefix: String
    /// The HMAC keys, decoded from hexadecimal.
    let webhookKeys: [Secret<[UInt8]>]
    /// The return URL for a customer after an action at the issuer.
    let returnURL: String

    /// Creates a validated configuration of one merchant account.
    /// - Parameters:
    ///   - url: the API's address without version; `nil` for Adyen's test system. A live account has its own:
    ///     `https://PREFIX-checkout-live.adyenpayments.com/checkout`.
    ///   - webhookKeys: the HMAC keys of the webhook in hexadecimal, as shown by Adyen.
    /// - Throws: ``AdyenConfigError``, which never repeats the input.
    public init(
        merchantAccount: String, apiKey: Secret<String>, url: String? = nil, webhookKeys: [Secret<String>] = [],
        returnURL: String = "https://127.0.0.1/"
    ) throws(AdyenConfigError) {
        let isName = merchantAccount.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard (1...80).contains(merchantAccount.utf8.count), isName else { throw .unusable("merchant account") }
        let isKey = apiKey.reveal().utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard (1...1024).contains(apiKey.reveal().utf8.count), isKey else { throw .unusable("API key") }
        let address = url ?? "https://checkout-test.adyen.com"
        guard let split = address.firstRange(of: "://") else { throw .unusable("address") }
        let parts = address[split.upperBound...].split(separator: "/", maxSplits: 1)
        guard let host = parts.first else { throw .unusable("address") }
        scheme = address[..<split.lowerBound].lowercased()
        authority = host.lowercased()
        let path = parts.count > 1 ? parts[1].split(separator: "/").joined(separator: "/") : ""
        prefix = path.isEmpty ? "" : "/" + path
        let isPlain = (authority + path).utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || [0x2E, 0x2D, 0x3A, 0x5B, 0x5D, 0x2F, 0x5F].contains(byte)
        }
        guard isPlain, address.utf8.count <= 255, scheme == "https" || scheme == "http" else {
            throw .unusable("address")
        }
        guard scheme == "https" || Loopback.isAuthority(authority) else { throw .plainHTTP }
        guard webhookKeys.count <= AdyenConfig.mostWebhookKeys else { throw .unusable("HMAC key") }
        var keys: [Secret<[UInt8]>] = []
        for key in webhookKeys {
            guard let bytes = Hex.decode(key.reveal()), bytes.count >= 16 else { throw .unusable("HMAC key") }
            keys.append(Secret(Array(bytes)))
        }
        self.webhookKeys = keys
        self.merchantAccount = merchantAccount
        self.apiKey = apiKey
        self.returnURL = returnURL
    }
}

/// An error for an unusable configuration. The sentence never repeats the input.
public enum AdyenConfigError: Error, Hashable, Sendable, CustomStringConvertible {
    case unusable(String)
    /// `http` to another machine would expose the key and card data to every intermediary.
    case plainHTTP

    /// One sentence for display.
    public var description: String {
        switch self {
        case .unusable(let name): "Adyen's \(name) cannot be used."
        case .plainHTTP: "Adyen's address must be https; http is for localhost only."
        }
    }
}
