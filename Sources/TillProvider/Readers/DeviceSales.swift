public import TillCore

/// What an app with a provider's own SDK is given, so that it collects the card on a device of its own.
public protocol DeviceSales: Sendable {
    /// Who moves the money of such a sale.
    var provider: ProviderName { get }
    /// A token with which the SDK signs in.
    /// - Parameter location: the provider's name for the place; `nil` for all of them.
    func connectionToken(location: String?) async throws(ReaderError) -> DeviceToken
    /// The tender of a sale on a device: the payment then waits as `requires_action`.
    func tender(device: String) -> Tender
    /// What the SDK needs to collect for a payment whose provider's reference is this.
    func clientSecret(of reference: ProviderReference) async throws(ReaderError) -> Secret<String>
}

/// A token for a provider's SDK.
public struct DeviceToken: Sendable {
    public let secret: Secret<String>
    /// The place that it is for.
    public let location: String?

    public init(secret: Secret<String>, location: String?) {
        self.secret = secret
        self.location = location
    }
}
