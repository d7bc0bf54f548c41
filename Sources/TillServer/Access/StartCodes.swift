public import TillCore
public import TillJournal

/// A code that begins one session of the counter's page. Of the code itself only a digest is kept.
struct StartCodeRecord: Hashable, Sendable {
    /// The SHA-256 of the code.
    var hash: [UInt8]
    /// Whose session it begins.
    var account: AccountID
    var made: MeasuredMoment
    /// Its version in the journal; 0 for one that is not written yet.
    private(set) var version = 0
}

extension StartCodeRecord: RecordDocument {
    /// Where they are kept.
    static let collection: RecordCollection = "start_code"

    /// As it is written.
    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.moment("made", made)
        writer.endObject()
        return Record(
            RecordID(StartCodeRecord.collection, Hex.lowercase(hash)), body: writer.bytes,
            due: made.at.adding(StartCodes.lifetime))
    }

    /// As it was read.
    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(hash: hash, account: AccountID(rawValue: try body.text("account")), made: try .init(body, "made"))
        version = stored.version
    }

    /// Removes it, once: of several who spend it at the same moment one does, the others get a conflict.
    var spent: RecordChange { .delete(record.id, from: version) }
}

/// Start codes: each is good once and for ten minutes, on the machine whose journal it is in. Whoever can write the
/// journal's file can make one.
public struct StartCodes: Sendable {
    /// How long a code is good.
    public static let lifetime = Span.minutes(10)
    /// Codes kept at most; a further one removes the oldest.
    public static let maximumKept = 64

    private let store: any RecordStore
    private let clock: MeasuringClock

    /// Those of a journal.
    public init(_ store: any RecordStore, clock: MeasuringClock) {
        self.store = store
        self.clock = clock
    }

    /// Makes a code for an account. Durable when it returns; the code itself is kept nowhere.
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

    /// The code, if it can be spent now; `nil` for one that is unknown, spent or too old.
    func find(_ code: String) async throws(JournalError) -> StartCodeRecord? {
        guard let found = try await Records<StartCodeRecord>(store).document(Hex.lowercase(digest(code.utf8))) else {
            return nil
        }
        return isGood(found) ? found : nil
    }

    /// A code lives in minutes on one machine, so the clock that nobody sets must agree in any case; the counter's time
    /// counts, too, unless it is in doubt: then it may be far from that of the process that made the code.
    private func isGood(_ code: StartCodeRecord) -> Bool {
        let now = clock.now()
        guard code.made.runningAge(at: now) >= .milliseconds(0) else { return false }
        return (clock.isInDoubt ? code.made.runningAge(at: now) : code.made.age(at: now)) < StartCodes.lifetime
    }
}
