public import TillCore
public import TillJournal

/// An event of a merchant's token that Apple has reported; Apple is queried for the details afterwards.
public struct MerchantTokenRecord: Hashable, Sendable {
    /// Apple's identifier of it.
    public var id: String
    /// When it was reported.
    public var receivedAt: Timestamp
    /// What happened, JSON; `nil` as long as that is not known.
    public var details: [UInt8]?
}

extension MerchantTokenRecord: RecordDocument {
    /// Where they are kept.
    public static let collection: RecordCollection = "wallet_token_event"
    /// The field of those whose details are not known.
    static let waiting = RecordMatch("waiting", "1")

    /// As it is written.
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

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) {
        self.init(
            id: stored.id.key, receivedAt: stored.createdAt,
            details: try RecordBody(stored).optionalDocument("details"))
    }
}

/// What Apple reported of merchants' tokens, in a record store. Every change is durable when its method returns.
public struct MerchantTokenLog: Sendable {
    /// Most events of one list, and most that may wait for their details.
    public static let maximum = 10_000

    private let records: Records<MerchantTokenRecord>
    private let clock: any TillClock

    /// That of a store.
    public init(_ store: any RecordStore, clock: any TillClock) {
        records = Records(store)
        self.clock = clock
    }

    /// Records that an event was reported.
    /// - Returns: `false` if it was reported before.
    /// - Throws: ``JournalError/queueFull(limit:)`` if too many wait for their details.
    func add(_ id: String) async throws(JournalError) -> Bool {
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

    func end(_ id: String, details: [UInt8]) async throws(JournalError) {
        try await records.update(id) { event in
            event.details = details
            return true
        }
    }

    /// Forgets an event that Apple does not know: somebody made it up.
    func forget(_ id: String) async throws(JournalError) {
        if let event = try await records.document(id), event.details == nil { _ = try await records.delete(id) }
    }

    /// Events without details, oldest first.
    func waiting(limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        try await records.list(matching: MerchantTokenRecord.waiting, limit: limit)
    }

    /// Events, newest first, with their details where they are known.
    public func newest(_ limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        try await records.newest(min(max(limit, 1), MerchantTokenLog.maximum))
    }
}
