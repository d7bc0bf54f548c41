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
    /// The number of answers of Apple's that told nothing of it.
    var tries = 0
    /// The time of the last of these answers.
    var triedAt: Timestamp?

    /// The maximum number of answers that tell nothing; then Apple is not asked about the event any more.
    package static let maximumTries = 24
    /// The shortest time between two of these answers, so that tries last for a day at least.
    static let retryGap = Span.hours(1)

    /// `true` if Apple is not asked any more, and the details stay unknown.
    public var isGivenUp: Bool { details == nil && tries >= MerchantTokenRecord.maximumTries }

    /// Returns `true` if Apple may be asked about the event.
    func isDue(at now: Timestamp) -> Bool {
        guard let triedAt else { return true }
        return now < triedAt || now.since(triedAt) >= MerchantTokenRecord.retryGap
    }
}

extension MerchantTokenRecord: RecordDocument {
    /// The record collection.
    public static let collection: RecordCollection = "wallet_token_event"
    /// The match for events without details that Apple has told nothing of yet.
    package static let waiting = RecordMatch("waiting", "1")
    /// The match for events that Apple has told nothing of, and is asked about again.
    package static let missed = RecordMatch("waiting", "2")
    /// The match for events that were given up.
    package static let givenUp = RecordMatch("waiting", "0")

    /// The stored form.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("details")
        if let details { writer.raw(bytes: details) } else { writer.null() }
        if tries > 0 { writer.field("tries", Int64(tries)) }
        if let triedAt { writer.field("triedAt", triedAt.milliseconds) }
        writer.endObject()
        return Record(
            RecordID(MerchantTokenRecord.collection, id), body: writer.bytes,
            fields: details == nil ? [match.field: match.value] : [:])
    }

    /// The match of an event without details.
    private var match: RecordMatch {
        if isGivenUp { return MerchantTokenRecord.givenUp }
        return tries > 0 ? MerchantTokenRecord.missed : MerchantTokenRecord.waiting
    }

    /// Reads the stored form.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            id: stored.id.key, receivedAt: stored.createdAt, details: body.optionalDocument("details"),
            tries: Int(clamping: body.optionalInt("tries") ?? 0),
            triedAt: body.optionalInt("triedAt").map { Timestamp(milliseconds: $0) })
    }
}

/// The merchant-token events reported by Apple, in a record store. Every change is durable on return.
public struct MerchantTokenLog: Sendable {
    /// The maximum number of events in a list, and of events without details.
    public static let maximum = 10_000
    /// The maximum number of events that are kept after they were given up; the oldest is removed first.
    static let maximumGivenUp = 1_000
    /// The maximum number of events that Apple has told nothing of, oldest first, among which those due are looked for.
    static let maximumConsidered = 100

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
        let waiting = try await records.count(matching: MerchantTokenRecord.waiting)
        let missed = try await records.count(matching: MerchantTokenRecord.missed)
        guard waiting + missed < MerchantTokenLog.maximum else { throw .queueFull(limit: MerchantTokenLog.maximum) }
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

    /// Records an answer of Apple's that told nothing of an event.
    /// - Returns: `true` if it was the last one: Apple is not asked about the event any more.
    package func missed(_ id: String) async throws(JournalError) -> Bool {
        let now = clock.now()
        let changed = try await records.update(id) { event in
            guard event.details == nil else { return false }
            event.tries += 1
            event.triedAt = now
            return true
        }
        guard let changed, changed.isGivenUp else { return false }
        let count = try await records.count(matching: MerchantTokenRecord.givenUp)
        if count > MerchantTokenLog.maximumGivenUp,
            let oldest = try await records.list(matching: MerchantTokenRecord.givenUp, limit: 1).first
        {
            _ = try await records.delete(oldest.id)
        }
        return true
    }

    /// Returns events that Apple may be asked about now. New ones come first, so that those it has told nothing of,
    /// which wait an hour, do not keep them waiting; each kind is oldest first.
    package func due(limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        let now = clock.now()
        let new = try await records.list(matching: MerchantTokenRecord.waiting, limit: limit)
        guard new.count < limit else { return new }
        let missed = try await records.list(
            matching: MerchantTokenRecord.missed, limit: MerchantTokenLog.maximumConsidered)
        return new + missed.filter { $0.isDue(at: now) }.prefix(limit - new.count)
    }

    /// Returns events without details that were not given up, new ones first; each kind is oldest first.
    package func waiting(limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        let new = try await records.list(matching: MerchantTokenRecord.waiting, limit: limit)
        guard new.count < limit else { return new }
        return new + (try await records.list(matching: MerchantTokenRecord.missed, limit: limit - new.count))
    }

    /// Returns events, newest first, with their details if known.
    public func newest(_ limit: Int) async throws(JournalError) -> [MerchantTokenRecord] {
        try await records.newest(min(max(limit, 1), MerchantTokenLog.maximum))
    }
}
