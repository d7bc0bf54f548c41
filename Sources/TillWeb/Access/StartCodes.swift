public import TillCore
public import TillCounter
public import TillJournal

/// A code that starts one session of the counter's page. Only a digest of the code itself is stored.
package struct StartCodeRecord: Hashable, Sendable {
    /// The SHA-256 of the code.
    package var hash: [UInt8]
    /// The account of the new session.
    package var account: AccountID
    package var made: MeasuredMoment
    /// The version in the journal; 0 for a code that is not stored yet.
    private(set) var version = 0
}

extension StartCodeRecord: RecordDocument {
    /// The collection of stored codes.
    package static let collection: RecordCollection = "start_code"

    /// The stored form.
    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.moment("made", made)
        writer.endObject()
        return Record(
            RecordID(StartCodeRecord.collection, Hex.lowercase(hash)), body: writer.bytes,
            due: made.at.adding(StartCodes.lifetime))
    }

    /// Reads the stored form.
    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(hash: hash, account: AccountID(rawValue: try body.text("account")), made: try .init(body, "made"))
        version = stored.version
    }

    /// The removal of the code. It succeeds once: concurrent attempts to spend the code get a conflict.
    package var spent: RecordChange { .delete(record.id, from: version) }
}

/// Start codes: single-use, valid for ten minutes on the machine of their journal. Write access to the journal's file
/// suffices to create one.
public struct StartCodes: Sendable {
    /// The lifetime of a code.
    public static let lifetime = Span.minutes(10)
    /// The maximum number of stored codes; a further one removes the oldest.
    public static let maximumKept = 64

    private let store: any RecordStore
    private let clock: MeasuringClock

    /// Creates the start codes of a journal.
    public init(_ store: any RecordStore, clock: MeasuringClock) {
        self.store = store
        self.clock = clock
    }

    /// Creates a code for an account. Durable when it returns; the code itself is not stored.
    /// - Returns: 40 hexadecimal digits.
    public func make(for account: AccountID) async throws(JournalError) -> String {
        let code = SecretToken.make(bytes: SecretToken.startCodeBytes)
        let now = clock.now()
        let made = StartCodeRecord(hash: digest(code.utf8), account: account, made: now)
        var changes: [RecordChange] = [
            .insert(made.record), .keepNewest(StartCodes.maximumKept, of: StartCodeRecord.collection, matching: nil),
        ]
        if !clock.isInDoubt { changes.append(.forget(StartCodeRecord.collection, dueBy: now.at)) }
        try await store.change(changes)
        return code
    }

    /// Returns the code if it can be spent now; `nil` for a code that is unknown, spent or expired.
    package func find(_ code: String) async throws(JournalError) -> StartCodeRecord? {
        guard let found = try await Records<StartCodeRecord>(store).document(Hex.lowercase(digest(code.utf8))) else {
            return nil
        }
        return isGood(found) ? found : nil
    }

    /// A code lives for minutes on one machine, so the monotonic clock must always agree; the counter's time counts
    /// too, unless it is in doubt: then it may differ widely from that of the process that created the code.
    private func isGood(_ code: StartCodeRecord) -> Bool {
        let now = clock.now()
        guard code.made.runningAge(at: now) >= .milliseconds(0) else { return false }
        return (clock.isInDoubt ? code.made.runningAge(at: now) : code.made.age(at: now)) < StartCodes.lifetime
    }
}
