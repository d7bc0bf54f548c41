public import TillCore

/// What a shop's server needs for Adyen.
public struct AdyenConfig: Sendable {
    /// Where Adyen is.
    public enum Environment: Hashable, Sendable {
        /// Adyen's test platform.
        case test
        /// The real one; the prefix is the company's own, from the customer area.
        case live(prefix: String)
        /// Another address, such as the stand-in on this machine. `https`, or `http` to this machine.
        case custom(String)
    }

    /// The version of the Checkout interface that is spoken.
    public static let version = "v72"

    /// The key, which goes into every request's head.
    public let apiKey: Secret<String>
    /// The merchant account that all payments are made for.
    public let merchantAccount: String
    /// Keys that sign webhooks, as hexadecimal digits; two while one is being replaced.
    public let webhookKeys: [Secret<[UInt8]>]
    let scheme: String
    let authority: String
    /// Before the version: live hosts have one more step.
    let path: String

    /// A configuration.
    /// - Throws: ``AdyenConfigError``, which names the part and never repeats it.
    public init(
        apiKey: Secret<String>, merchantAccount: String, environment: Environment = .test,
        webhookKeys: [Secret<String>] = []
    ) throws(AdyenConfigError) {
        guard (8...512).contains(apiKey.reveal().utf8.count), apiKey.reveal().utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .unusable("API key") }
        guard (1...80).contains(merchantAccount.utf8.count), merchantAccount.utf8.allSatisfy(AdyenConfig.isNameByte)
        else { throw .unusable("merchant account") }
        var keys: [Secret<[UInt8]>] = []
        for key in webhookKeys {
            guard let bytes = Hex.decode(key.reveal()), bytes.count >= 16 else { throw .unusable("webhook key") }
            keys.append(Secret(bytes))
        }
        self.apiKey = apiKey
        self.merchantAccount = merchantAccount
        self.webhookKeys = keys
        switch environment {
        case .test: (scheme, authority, path) = ("https", "checkout-test.adyen.com", "")
        case .live(let prefix):
            guard (1...80).contains(prefix.utf8.count), prefix.utf8.allSatisfy({ AdyenConfig.isNameByte($0) && $0 != 0x5F })
            else { throw .unusable("live prefix") }
            (scheme, authority, path) = ("https", "\(prefix)-checkout-live.adyenpayments.com", "/checkout")
        case .custom(let url):
            (scheme, authority) = try AdyenConfig.parts(of: url)
            path = ""
        }
    }

    static func parts(of url: String) throws(AdyenConfigError) -> (String, String) {
        guard let split = url.firstRange(of: "://") else { throw .unusable("address") }
        let scheme = url[..<split.lowerBound].lowercased()
        var authority = url[split.upperBound...].lowercased()
        if authority.hasSuffix("/") { authority.removeLast() }
        let isUsable = authority.utf8.allSatisfy {
            AdyenConfig.isNameByte($0) || [0x2E, 0x3A, 0x5B, 0x5D].contains($0)
        }
        guard (1...255).contains(authority.utf8.count), isUsable,
            scheme == "https" || scheme == "http" && Loopback.isAuthority(authority)
        else { throw .unusable("address") }
        return (scheme, authority)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
            || byte == 0x2D || byte == 0x5F
    }
}

/// Why a configuration can not be used. The sentence never repeats what was given.
public enum AdyenConfigError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The named part.
    case unusable(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unusable(let name): "Adyen's \(name) can not be used."
        }
    }
}
