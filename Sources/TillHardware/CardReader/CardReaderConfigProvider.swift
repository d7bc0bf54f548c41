public import TillCore

/// Gives a reader service what it needs to talk to its provider. A reader asks again whenever a token is spent, so
/// each call fetches a fresh one.
public protocol CardReaderConfigProvider: Sendable {
    /// A fresh connection token of the provider.
    func connectionToken() async throws -> Secret<String>
    /// The provider's name for the place where the reader stands, if it has one.
    func locationID() async throws -> String?
}

/// For readers that need no token, such as the simulated one.
public struct NoCardReaderConfig: CardReaderConfigProvider {
    /// Makes one.
    public init() {}
    /// An empty token.
    public func connectionToken() async throws -> Secret<String> { Secret("") }
    /// No place.
    public func locationID() async throws -> String? { nil }
}
