/// Small versioned documents in named collections, beside the events and in the same commits: what features keep
/// (prints, baskets, mail, keys), each in a form of its own, without a table of its own.
///
/// Guarantees of every implementation:
/// - ``change(_:)`` is all or nothing, and durable when it returns. With ``JournalWrite/records`` the same holds for
///   events and records together.
/// - An update or a delete names the version that it was decided on. Of any number of writers, in any process, that
///   name the same version one succeeds; the others get ``JournalError/recordConflict(_:current:)`` and have changed
///   nothing.
/// - Whoever reads after a change has returned sees it, in every process. A list is one moment's state.
/// - A change that throws anything but ``JournalError/unavailable(_:)`` has changed nothing. After `unavailable` it may
///   have been made; the version of the record tells.
/// - A process holds the records that it wrote with ``Record/isHeld``. When it dies, however it dies, they read as
///   ``RecordHolder/deadProcess``; a living process's records never do. A takeover is an update from the version that
///   was read, so one of several gets it. An implementation may find out about deaths late (by leases), never too
///   early.
public protocol RecordStore: Sendable {
    /// A record as it stands; `nil` if there is none.
    func record(_ id: RecordID) async throws(JournalError) -> KeptRecord?
    /// Records of a collection, in the order that is asked for.
    func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord]
    /// How many records a collection has, or how many of them carry a field's value. Takes time with their number.
    func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int
    /// Makes all changes or none; durable when it returns.
    /// - Throws: ``JournalError/recordConflict(_:current:)`` for the first change whose record is not as it says;
    ///   ``JournalError/corrupted(_:)`` for changes beyond ``RecordLimits`` or two of one record.
    /// - Parameter notes: entries of the audit log, in the same commit.
    func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError)
}

extension RecordStore {
    /// Makes all changes or none; durable when it returns.
    public func change(_ changes: [RecordChange]) async throws(JournalError) { try await change(changes, noting: []) }
}

extension RecordStore where Self: Journal {
    /// Makes all changes or none, with what is noted of them; durable when it returns.
    public func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError) {
        try await write(JournalWrite(records: changes, audit: notes))
    }
}

/// How large records may be, and how much is done with them at once.
public enum RecordLimits {
    /// Bytes of one body.
    public static let maximumBodyBytes = 256 * 1_024
    /// Bytes of a key, and of a field's value.
    public static let maximumKeyBytes = 512
    /// Bytes of the name of a collection or a field.
    public static let maximumNameBytes = 64
    /// Indexed fields of one record.
    public static let maximumFields = 4
    /// Changes of one write.
    public static let maximumChanges = 1_024
    /// Records of one list.
    public static let maximumPage = 1_000
    /// Records that one retention change removes, so that cleaning never makes a write wait long.
    public static let maximumForgotten = 256
}
