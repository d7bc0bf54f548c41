public import TillCore

/// The status of a session for stored payments.
public struct StoreAndForwardStatus: Hashable, Sendable {
    /// The number of stored reads.
    public var readCount: Int
    /// The time after which nothing more may be stored without having been online.
    public var expiration: Timestamp

    public init(readCount: Int, expiration: Timestamp) {
        (self.readCount, self.expiration) = (readCount, expiration)
    }
}
