public import TillCore
public import TillHardware

/// Connection tokens and the location for a provider's SDK on this device, from the counter. The provider's secret key
/// stays at the counter.
///
/// ```swift
/// let client = try CounterClient(
///     address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
/// let config = CounterReaderConfig(client, location: "tml_example")
/// let token = try await config.connectionToken()  // a fresh one with each call
/// print(token)
/// ```
public struct CounterReaderConfig: CardReaderConfigProvider {
    /// The account that payments are bound to: the one of the counter's key.
    public let account: AccountID
    private let client: CounterClient
    private let location: String?

    /// Creates a configuration.
    /// - Parameter location: the provider's identifier of the readers' location, if there are several.
    public init(_ client: CounterClient, account: AccountID = .main, location: String? = nil) {
        self.client = client
        self.account = account
        self.location = location
    }

    /// Requests a fresh token of the counter.
    /// - Throws: ``CounterError``.
    public func connectionToken() async throws -> Secret<String> {
        try await client.connectionToken(location: location).secret
    }

    public func locationID() async throws -> String? { location }
}
