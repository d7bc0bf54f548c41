public import TillCore
public import TillJournal

/// The last moment at which the machine's clock was not in doubt: one record beside the journal's events, so that a clock
/// that is wrong at the next start is found out also where wrong entries were written meanwhile.
public struct ClockProof: Hashable, Sendable {
    /// Who vouched for the clock.
    public enum Voucher: String, Sendable {
        /// Nothing spoke against it.
        case clock
        /// A person who has looked at a watch.
        case person
    }

    /// The clock's time then.
    public var at: Timestamp
    /// Entries of the journal up to this time say nothing about the clock, though they may be later than it.
    public var overrules: Timestamp
    public var by: Voucher
    /// Of the record that was read; a person's word makes it one more.
    public private(set) var version = 0

    public init(at: Timestamp, overrules: Timestamp, by: Voucher) {
        self.at = at
        self.overrules = overrules
        self.by = by
    }
}

extension ClockProof: RecordDocument {
    /// Where it is kept.
    public static let collection: RecordCollection = "clock"
    /// The one record of the collection has this key.
    static let key = "proof"

    /// As it is written.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("at", at.milliseconds)
        writer.field("overrules", overrules.milliseconds)
        writer.field("by", by.rawValue)
        writer.endObject()
        return Record(RecordID(ClockProof.collection, ClockProof.key), body: writer.bytes)
    }

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let by = Voucher(rawValue: try body.text("by")) else { throw body.damaged("by") }
        self.init(
            at: Timestamp(milliseconds: try body.int("at")),
            overrules: Timestamp(milliseconds: try body.int("overrules")), by: by)
        version = stored.version
    }
}

extension WitnessedClock {
    /// How old a proof may get before the next one is written.
    public static let proofInterval = Span.hours(1)

    /// Holds the clock against what a journal knows, when a counter opens it.
    /// - Parameter hasWitnesses: whether providers are configured, whose answers carry the time.
    func compare(with journal: any CounterStore, hasWitnesses: Bool) async throws(JournalError) {
        let newest = try await journal.newestMoment()
        let proof = try await Records<ClockProof>(journal).document(ClockProof.key)
        var floor = newest
        if let proof, let entry = newest { floor = entry <= proof.overrules ? proof.at : max(entry, proof.at) }
        compare(floor: floor, proved: proof?.at, hasWitnesses: hasWitnesses)
    }

    /// Writes down that the clock is not in doubt now, if it is not and that was not done lately.
    func prove(in journal: any CounterStore) async throws(JournalError) {
        guard standing.isTrusted, let newest = try await journal.newestMoment() else { return }
        let at = now()
        let last = try await Records<ClockProof>(journal).document(ClockProof.key)
        if let last, at >= last.at, at.since(last.at) < WitnessedClock.proofInterval { return }
        try await Records<ClockProof>(journal).put(ClockProof(at: at, overrules: newest, by: .clock))
    }

    /// A person says that the machine's clock is right: takes it, here and in the counters on this journal that run.
    /// - Returns: the time that was taken.
    @discardableResult
    public func accept(in journal: any CounterStore) async throws(JournalError) -> Timestamp {
        confirm()
        let at = now()
        let newest = try await journal.newestMoment() ?? at
        try await Records<ClockProof>(journal).put(ClockProof(at: at, overrules: newest, by: .person))
        return at
    }
}
