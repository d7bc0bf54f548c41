/// The configuration of a ``CardClient``: either ``CoreConfig``, which is safe in an app, or the server's
/// configuration, from a module not linked by apps. Functions that need the secret exist only for the latter.
public protocol CardClientConfig: Sendable {
    /// The client id; not a secret.
    var clientID: String { get }
    /// The sandbox, the live environment, or a custom host.
    var environment: PayPalEnvironment { get }
}

/// The configuration of an app; contains no secret.
public struct CoreConfig: CardClientConfig, Hashable {
    /// The client id; not a secret.
    public let clientID: String
    /// The sandbox, the live environment, or a custom host.
    public let environment: PayPalEnvironment

    /// Creates the configuration of an app.
    /// - Throws: ``CardClientError/configuration(_:)`` for an invalid client id.
    public init(clientID: String, environment: PayPalEnvironment) throws(CardClientError) {
        let isUsable = clientID.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
        guard (1...256).contains(clientID.utf8.count), isUsable else {
            throw .configuration("The client id must be printable ASCII without space and colon.")
        }
        self.clientID = clientID
        self.environment = environment
    }
}
