public import TillCore

/// Sales collected on a device by an app with the provider's own SDK.
public protocol DeviceSales: Sendable {
    /// The provider of such sales.
    var provider: ProviderName { get }
    /// Returns a token for the SDK's sign-in.
    /// - Parameter location: the provider's identifier of the location; `nil` for all.
    func connectionToken(location: String?) async throws(ReaderError) -> DeviceToken
    /// Returns the tender of a sale on a device; the payment then waits in `requires_action`.
    func tender(device: String) -> Tender
    /// Returns the client secret that the SDK needs to collect the payment with this provider reference.
    func clientSecret(of reference: ProviderReference) async throws(ReaderError) -> Secret<String>
}

/// A connection token for a provider's SDK.
public struct DeviceToken: Sendable {
    public let secret: Secret<String>
    /// The location that the token is restricted to.
    public let location: String?

    public init(secret: Secret<String>, location: String?) {
        self.secret = secret
        self.location = location
    }
}
