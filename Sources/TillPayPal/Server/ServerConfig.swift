public import TillPayPalClient
public import TillCore

/// The configuration of a shop's server for PayPal. It holds the secret and is therefore in a module not linked by
/// apps; an app uses `CoreConfig`, with which operations that need the secret do not compile.
public struct ServerConfig: CardClientConfig {
    /// The server's credential.
    public enum Credential: Sendable {
        /// Client id and secret, used to fetch access tokens as needed.
        case secret(Secret<String>)
        /// An access token obtained elsewhere.
        case accessToken(Secret<String>)
    }

    /// The client id; not a secret.
    public let clientID: String
    /// The server's credential.
    public let credential: Credential
    public let environment: PayPalEnvironment

    /// Creates a configuration with the client's secret.
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

    /// Creates a configuration with an access token that is renewed elsewhere.
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

    /// Returns the authorizer of the calls.
    package func authorizer(transport: any HTTPTransport, clock: any TillClock) -> any PayPalAuthorizer {
        switch credential {
        case .secret(let secret):
            AccessTokenSource(
                clientID: clientID, secret: secret, environment: environment, transport: transport, clock: clock)
        case .accessToken(let token): FixedAccessToken(token: token)
        }
    }

    /// Returns a connection to PayPal with this configuration.
    package func connection(transport: any HTTPTransport, clock: any TillClock) -> PayPalConnection {
        PayPalConnection(
            environment: environment, transport: transport,
            authorizer: authorizer(transport: transport, clock: clock), clock: clock)
    }
}

/// An error for an unusable configuration. The sentence never repeats the input.
public enum ServerConfigError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The named value is empty, too long or not printable ASCII.
    case unusable(String)

    /// One sentence for display.
    public var description: String {
        switch self {
        case .unusable(let name): "PayPal's \(name) must be printable ASCII without space and colon."
        }
    }
}

/// A token that is renewed elsewhere.
struct FixedAccessToken: PayPalAuthorizer {
    let token: Secret<String>
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        .success(Secret("Bearer " + token.reveal()))
    }
    func wasRefused(_ field: Secret<String>) async -> Bool { false }
}
