/// A card that was read without a connection: sealed for the provider and kept on this device. Nobody has authorized
/// anything; the goods are on the shop's risk until the provider has decided.
public struct StoredTap: Hashable, Sendable {
    /// Which record of which log, as `reference` of the attempt that it belongs to.
    public var record: ProviderReference
    /// When it was durable.
    public var storedAt: Timestamp
    /// Until when the provider takes it.
    public var expires: Timestamp

    public init(record: ProviderReference, storedAt: Timestamp, expires: Timestamp) {
        self.record = record
        self.storedAt = storedAt
        self.expires = expires
    }
}
