public import TillCore

/// A process that has the journal open and is alive, or is not known to have ended.
public struct JournalNode: Hashable, Sendable {
    /// Its number in the journal; never reused.
    public var number: Int64
    /// A human-readable description of the process.
    public var description: String
    public var startedAt: Timestamp
    /// The time for which it may stall before others take over what it holds: the whole lease for a file, the remainder
    /// of it in a database. `nil` if unknown; negative if it has expired and no takeover has happened yet.
    public var lease: Span?
    /// `true` for the process that reads the list.
    public var isThis: Bool

    public init(number: Int64, description: String, startedAt: Timestamp, lease: Span?, isThis: Bool) {
        self.number = number
        self.description = description
        self.startedAt = startedAt
        self.lease = lease
        self.isThis = isThis
    }
}
