/// What a ``CardClient`` is configured with: either ``CoreConfig``, which is safe in an app, or the server's
/// configuration of the module that apps do not link. Functions that need the secret exist for the latter only.
public protocol CardClientConfig: Sendable {
    /// The client id. Not a secret.
    var clientID: String { get }
    /// PayPal's sandbox, its live host, or a host of one's own.
    var environment: PayPalEnvironment { get }
}

/// The configuration of an app: nothing in it is a secret.
public struct CoreConfig: CardClientConfig, Hashable {
    /// The client id. Not a secret.
    public let clientID: String
    /// PayPal's sandbox, its live host, or a host of one's own.
    public let environment: PayPalEnvironment

    /// What a client needs to know of the shop.
    /// - Throws: ``CardClientError/configuration(_:)`` for a client id that can be none.
    public init(clientID: String, environment: PayPalEnvironment) throws(CardClientError) {
        let isUsable = clientID.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
        guard (1...256).contains(clientID.utf8.count), isUsable else {
            throw .configuration("The client id must be printable ASCII without space and colon.")
        }
        self.clientID = clientID
        self.environment = environment
    }
}
