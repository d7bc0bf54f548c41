public import TillCore

/// Gives a reader service what it needs to talk to its vendor. The app implements it; a reader asks again whenever a
/// token is spent, so each call fetches a fresh one.
///
/// A service bounds every call by ``CardReaderServiceLimits/connectionToken``, refuses an empty token, and asks no
/// provider of an account that it has left.
public protocol CardReaderConfigProvider: Sendable {
    /// The account that the token belongs to. Every connection, intent and refund is bound to it.
    var account: AccountID { get }
    /// A fresh connection token of the vendor.
    func connectionToken() async throws -> Secret<String>
    /// The vendor's name for the place where the reader stands, if it has one.
    func locationID() async throws -> String?
}

extension CardReaderConfigProvider {
    /// The account of a counter that serves one shop.
    public var account: AccountID { .main }
}

/// Why an app cannot give a place: what the merchant must set right first.
public enum CardReaderConfigError: Error, Hashable, Sendable {
    /// The store's address lacks a part; where it can be completed, if the app knows.
    case incompleteStoreAddress(adminURL: String?)
    /// The store's postal code is none.
    case invalidPostalCode
}

/// For readers that need no token, such as the simulated one.
public struct NoCardReaderConfig: CardReaderConfigProvider {
    /// The account that payments are bound to.
    public let account: AccountID
    public init(account: AccountID = .main) { self.account = account }
    public func connectionToken() async throws -> Secret<String> { Secret("") }
    /// By default readers belong to no location.
    public func locationID() async throws -> String? { nil }
}
