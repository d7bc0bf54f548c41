/// Small versioned documents in named collections, beside the events and in the same commits: the storage of features
/// (receipts, baskets, mail, keys), each with its own format and without a table of its own.
///
/// ```swift
/// let id = RecordID("basket", "table-7")
/// let known = try await store.record(id)
/// let basket = Record(id, body: Array(#"{"items":["coffee"]}"#.utf8), fields: ["waiter": "ada"])
/// try await store.change([.put(basket, over: known)])
/// let ofAda = try await store.records(RecordQuery("basket", matching: RecordMatch("waiter", "ada")))
/// ```
///
/// Guarantees of every implementation:
/// - ``change(_:)`` is atomic, and durable when it returns. With ``JournalWrite/records`` the same holds for events and
///   records together.
/// - An update or a deletion names the version it was decided on. Of any number of writers, in any process, that name
///   the same version one succeeds; the others get ``JournalError/recordConflict(_:current:)`` and have changed
///   nothing.
/// - A read that starts after a change has returned sees it, in every process. A list is a consistent snapshot.
/// - A change that throws any error but ``JournalError/unavailable(_:)`` has changed nothing. After `unavailable` it
///   may have been made; the version of the record decides.
/// - A process holds the records that it wrote with ``Record/isHeld``. After its death, of whatever kind, they read as
///   ``RecordHolder/deadProcess``; those of a live process never do. A takeover is an update from the version that was
///   read, so only one process succeeds. An implementation may detect deaths late (by leases), never too early.
public protocol RecordStore: Sendable {
    /// Returns the current state of a record; `nil` if there is none.
    func record(_ id: RecordID) async throws(JournalError) -> KeptRecord?
    /// Returns records of a collection, in the requested order.
    func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord]
    /// Returns the number of records in a collection, or of those with a field value. Takes time linear in that number.
    func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int
    /// Applies all changes or none; durable when it returns.
    /// - Throws: ``JournalError/recordConflict(_:current:)`` for the first change that expects another version of its
    ///   record; ``JournalError/corrupted(_:)`` for changes beyond ``RecordLimits`` or two of one record.
    /// - Parameter notes: audit log entries, in the same commit.
    func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError)
}

extension RecordStore {
    /// Applies all changes or none; durable when it returns.
    public func change(_ changes: [RecordChange]) async throws(JournalError) { try await change(changes, noting: []) }
}

extension RecordStore where Self: Journal {
    /// Applies all changes or none, with their audit log entries; durable when it returns.
    public func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError) {
        try await write(JournalWrite(records: changes, audit: notes))
    }
}

/// Limits of the record store.
public enum RecordLimits {
    /// The maximum size of a body, in bytes.
    public static let maximumBodyBytes = 256 * 1_024
    /// The maximum size of a key or a field value, in bytes.
    public static let maximumKeyBytes = 512
    /// The maximum size of the name of a collection or a field, in bytes.
    public static let maximumNameBytes = 64
    /// The maximum number of indexed fields of a record.
    public static let maximumFields = 4
    /// The maximum number of changes in a write.
    public static let maximumChanges = 1_024
    /// The maximum number of records in a list.
    public static let maximumPage = 1_000
    /// The maximum number of records deleted by one retention change, so that it delays no write for long.
    public static let maximumForgotten = 256
}
