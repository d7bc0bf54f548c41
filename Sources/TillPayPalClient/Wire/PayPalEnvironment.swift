import TillCore

/// Where PayPal's interface is. The REST host and the host of the vault and GraphQL go together.
public struct PayPalEnvironment: Hashable, Sendable, CustomStringConvertible {
    /// `https` or, for this machine only, `http`.
    public let scheme: String
    /// Host, and port if it is not the default.
    public let authority: String
    /// Money is real there.
    public let isLive: Bool

    private init(scheme: String, authority: String, isLive: Bool) {
        self.scheme = scheme
        self.authority = authority
        self.isLive = isLive
    }

    /// PayPal's sandbox: no real money.
    public static let sandbox = PayPalEnvironment(
        scheme: "https", authority: "api-m.sandbox.paypal.com", isLive: false)
    /// PayPal's live host: real money.
    public static let live = PayPalEnvironment(scheme: "https", authority: "api-m.paypal.com", isLive: true)

    /// Another host, such as the stand-in that ships with Till: `http://127.0.0.1:12112`.
    /// - Throws: ``PayPalEnvironmentError`` for anything but a scheme and a host, and for `http` to another machine.
    public static func custom(_ url: String) throws(PayPalEnvironmentError) -> PayPalEnvironment {
        guard let split = url.firstRange(of: "://") else { throw .unusableAddress }
        let scheme = url[..<split.lowerBound].lowercased()
        var authority = url[split.upperBound...].lowercased()
        if authority.hasSuffix("/") { authority.removeLast() }
        let allowed = authority.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2E, 0x2D, 0x3A, 0x5B, 0x5D].contains($0)
        }
        guard !authority.isEmpty, allowed, authority.utf8.count <= 255 else { throw .unusableAddress }
        guard scheme == "https" || scheme == "http" else { throw .unusableAddress }
        guard scheme == "https" || Loopback.isAuthority(authority) else { throw .plainHTTP }
        return PayPalEnvironment(scheme: scheme, authority: authority, isLive: authority == live.authority)
    }

    /// Scheme and host, as in an address.
    public var description: String { "\(scheme)://\(authority)" }
}

/// Why an address cannot be used. The sentences never repeat what was given.
public enum PayPalEnvironmentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a scheme and a host.
    case unusableAddress
    /// `http` to another machine would show the key and the cards to everybody in between.
    case plainHTTP

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unusableAddress: "PayPal's address must be a scheme and a host, such as https://api-m.paypal.com."
        case .plainHTTP: "PayPal's address must be https; http is for localhost only."
        }
    }
}
