public import TillCore

/// A process that has the journal open and lives, or that is not known to have ended yet.
public struct JournalNode: Hashable, Sendable {
    /// Its number in the journal; never given twice.
    public var number: Int64
    /// Who it is, for people.
    public var description: String
    public var startedAt: Timestamp
    /// For how much longer it may stand still before others take over what it holds: of the whole lease on a file, of
    /// what is left of it in a database. `nil` where it is not known; negative where it is over, and nobody has taken
    /// over yet.
    public var lease: Span?
    /// It is the one that was asked.
    public var isThis: Bool

    public init(number: Int64, description: String, startedAt: Timestamp, lease: Span?, isThis: Bool) {
        self.number = number
        self.description = description
        self.startedAt = startedAt
        self.lease = lease
        self.isThis = isThis
    }
}
