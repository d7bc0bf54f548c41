public import TillCore
public import TillJournal

/// A merchant-token event reported by Apple; its details are queried afterwards.
public struct MerchantTokenRecord: Hashable, Sendable {
    /// Apple's identifier of the event.
    public var id: String
    /// The time of the notification.
    public var receivedAt: Timestamp
    /// The details as JSON; `nil` until they are known.
    public var details: [UInt8]?
}

extension MerchantTokenRecord: RecordDocument {
    /// The record collection.
    public static let collection: RecordCollection = "wallet_token_event"
    /// The match for events without details.
    package static let waiting = RecordMatch("waiting", "1")

    /// The stored form.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("details")
        if let details { writer.raw(bytes: details) } else { writer.null() }
        writer.endObject()
        return Record(
            RecordID(MerchantTokenRecord.collection, id), body: writer.bytes,
            fields: details == nil ? [MerchantTokenRecord.waiting.field: MerchantTokenRecord.waiting.value] : [:])
    }

    /// Reads the stored form.
    public init(_ stored: KeptRecord) throws(JournalError) {
        self.init(
            id: stored.id.key, receivedAt: stored.createdAt,
            details: try RecordBody(stored).optionalDocument("details"))
    }
}

/// The merchant-token events reported by Apple, in a record store. Every change is durable on return.
public struct MerchantTokenLog: Sendable {
    /// The maximum number of events in a list, and of events without details.
    public static let maximum = 10_000

    private let records: Records<MerchantTokenRecord>
    private let clock: any TillClock

    /// The log in a store.
    public init(_ store: any RecordStore, clock: any TillClock) {
        records = Records(store)
        self.clock = clock
    }

    /// Records a notification of an event.
    /// - Returns: `false` if it was recorded before.
    /// - Throws: `JournalError/queueFull(limit:)` if too many events are without details.
    package func add(_ id: String) async throws(JournalError) -> Bool {
        if try await records.document(id) != nil { return false }
        guard try await records.count(matching: MerchantTokenRecord.waiting) < MerchantTokenLog.maximum else {
            throw .queueFull(limit: MerchantTokenLog.maximum)
        }
        do throws(JournalError) { try await records.insert(MerchantTokenRecord(id: id, receivedAt: clock.now())) } catch
        {
            guard case .recordConflict = error else { throw error }
            return false
        }
        return true
    }

    package func end(_ id: String, details: [UInt8]) async throws(JournalError) {
        try await records.update(id) { event in
            event.details = details
            return true
        }
    }

    /// Removes a forged event, which Apple does not know.
    package func forget(_ id: String) async throws(JournalError) {
        if let event = try await records.document(id), event.details == nil { _ = try await records.delete(id) }
    }

    /// Returns events without details, oldest first.
    package func waiting(limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        try await records.list(matching: MerchantTokenRecord.waiting, limit: limit)
    }

    /// Returns events, newest first, with their details if known.
    public func newest(_ limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        try await records.newest(min(max(limit, 1), MerchantTokenLog.maximum))
    }
}
