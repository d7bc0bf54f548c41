public import TillCore

/// How a session for stored payments stands.
public struct StoreAndForwardStatus: Hashable, Sendable {
    /// How many reads are stored.
    public var readCount: Int
    /// When nothing more may be stored without having been online.
    public var expiration: Timestamp

    public init(readCount: Int, expiration: Timestamp) {
        (self.readCount, self.expiration) = (readCount, expiration)
    }
}
