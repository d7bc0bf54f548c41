public import TillCore

/// Provides the credentials and location that a reader service needs for its vendor. The app implements it; a reader
/// requests a token whenever the last one is spent, so each call fetches a fresh one.
///
/// A service bounds every call by ``CardReaderServiceLimits/connectionToken``, refuses an empty token, and never calls
/// the provider of an account that it has left.
public protocol CardReaderConfigProvider: Sendable {
    /// The account that the token belongs to. Every connection, intent and refund is bound to it.
    var account: AccountID { get }
    /// Returns a fresh connection token of the vendor.
    func connectionToken() async throws -> Secret<String>
    /// Returns the vendor's identifier of the reader's location, if it has one.
    func locationID() async throws -> String?
}

extension CardReaderConfigProvider {
    /// The account of a counter that serves one shop.
    public var account: AccountID { .main }
}

/// A configuration error that the merchant must fix before the app can provide a location.
public enum CardReaderConfigError: Error, Hashable, Sendable {
    /// The store's address is incomplete, with the URL for completing it, if the app knows it.
    case incompleteStoreAddress(adminURL: String?)
    /// The store's postal code is invalid.
    case invalidPostalCode
}

/// A configuration for readers that need no token, such as the simulated one.
public struct NoCardReaderConfig: CardReaderConfigProvider {
    /// The account that payments are bound to.
    public let account: AccountID
    public init(account: AccountID = .main) { self.account = account }
    public func connectionToken() async throws -> Secret<String> { Secret("") }
    /// Returns `nil`: by default readers belong to no location.
    public func locationID() async throws -> String? { nil }
}
