/// A card read offline: sealed for the provider and stored on this device. Not authorized: the shop bears the risk for
/// the goods until the provider has decided.
public struct StoredTap: Hashable, Sendable {
    /// The record in its log, used as the attempt's `reference`.
    public var record: ProviderReference
    /// The time at which it became durable.
    public var storedAt: Timestamp
    /// The time until which the provider accepts it.
    public var expires: Timestamp

    public init(record: ProviderReference, storedAt: Timestamp, expires: Timestamp) {
        self.record = record
        self.storedAt = storedAt
        self.expires = expires
    }
}
