import TillCore

/// The location of PayPal's API. The REST host and the host of the vault and GraphQL belong together.
public struct PayPalEnvironment: Hashable, Sendable, CustomStringConvertible {
    /// `https` or, for a loopback address only, `http`.
    public let scheme: String
    /// The host, and the port if it is not the default.
    public let authority: String
    /// `true` if real money moves.
    public let isLive: Bool

    private init(scheme: String, authority: String, isLive: Bool) {
        self.scheme = scheme
        self.authority = authority
        self.isLive = isLive
    }

    /// PayPal's sandbox, without real money.
    public static let sandbox = PayPalEnvironment(
        scheme: "https", authority: "api-m.sandbox.paypal.com", isLive: false)
    /// PayPal's live environment, with real money.
    public static let live = PayPalEnvironment(scheme: "https", authority: "api-m.paypal.com", isLive: true)

    /// Creates an environment for another host, such as the stand-in shipped with Till: `http://127.0.0.1:12112`.
    /// - Throws: ``PayPalEnvironmentError`` for anything but a scheme and a host, and for `http` to a host other than
    ///   loopback.
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

    /// The scheme and host, as in a URL.
    public var description: String { "\(scheme)://\(authority)" }
}

/// An error for an unusable address. The sentences never repeat the input.
public enum PayPalEnvironmentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a scheme and a host.
    case unusableAddress
    /// `http` to another machine would expose the key and card data to every intermediary.
    case plainHTTP

    /// One sentence for display.
    public var description: String {
        switch self {
        case .unusableAddress: "PayPal's address must be a scheme and a host, such as https://api-m.paypal.com."
        case .plainHTTP: "PayPal's address must be https; http is for localhost only."
        }
    }
}
