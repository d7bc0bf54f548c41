public import TillPayPalClient
public import TillCore

/// What a shop's server needs for PayPal. It holds the secret, so it lives in a module that apps do not link; an app
/// has `CoreConfig` instead, and what needs the secret does not compile with that.
public struct ServerConfig: CardClientConfig {
    /// How the server proves who it is.
    public enum Credential: Sendable {
        /// Client id and secret, for which access tokens are fetched as needed.
        case secret(Secret<String>)
        /// An access token from elsewhere.
        case accessToken(Secret<String>)
    }

    /// The client id. Not a secret.
    public let clientID: String
    /// How the server proves who it is.
    public let credential: Credential
    public let environment: PayPalEnvironment

    /// A configuration with the client's secret.
    /// - Throws: ``ServerConfigError``.
    public init(
        clientID: String, secret: Secret<String>, environment: PayPalEnvironment
    ) throws(ServerConfigError) {
        try ServerConfig.check(clientID, "client id")
        try ServerConfig.check(secret.reveal(), "secret")
        self.clientID = clientID
        self.environment = environment
        credential = .secret(secret)
    }

    /// A configuration with an access token that somebody else keeps fresh.
    /// - Throws: ``ServerConfigError``.
    public init(
        clientID: String, accessToken: Secret<String>, environment: PayPalEnvironment
    ) throws(ServerConfigError) {
        try ServerConfig.check(clientID, "client id")
        try ServerConfig.check(accessToken.reveal(), "access token")
        self.clientID = clientID
        self.environment = environment
        credential = .accessToken(accessToken)
    }

    private static func check(_ text: String, _ name: String) throws(ServerConfigError) {
        let isUsable = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
        guard (1...2048).contains(text.utf8.count), isUsable else { throw .unusable(name) }
    }

    /// What signs the calls.
    package func authorizer(transport: any HTTPTransport, clock: any TillClock) -> any PayPalAuthorizer {
        switch credential {
        case .secret(let secret):
            AccessTokenSource(
                clientID: clientID, secret: secret, environment: environment, transport: transport, clock: clock)
        case .accessToken(let token): FixedAccessToken(token: token)
        }
    }

    /// The wire to PayPal with this configuration.
    package func connection(transport: any HTTPTransport, clock: any TillClock) -> PayPalConnection {
        PayPalConnection(
            environment: environment, transport: transport,
            authorizer: authorizer(transport: transport, clock: clock), clock: clock)
    }
}

/// Why a configuration cannot be used. The sentence never repeats what was given.
public enum ServerConfigError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The named part is empty, too long or not printable ASCII.
    case unusable(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unusable(let name): "PayPal's \(name) must be printable ASCII without space and colon."
        }
    }
}

/// A token that somebody else keeps fresh.
struct FixedAccessToken: PayPalAuthorizer {
    let token: Secret<String>
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        .success(Secret("Bearer " + token.reveal()))
    }
    func wasRefused(_ field: Secret<String>) async -> Bool { false }
}
