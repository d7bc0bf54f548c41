import TillCheckout
public import TillCore
public import TillJournal
import TillProvider

/// In which mode a journal is. It is written once, when it is first known, and a counter of the other mode does not
/// open that journal: play money must not stand among sales, nor sales among play money.
public struct CounterMode: RecordDocument {
    public static let collection: RecordCollection = "counter_mode"
    private static let key = "mode"

    public var mode: PaymentMode

    /// A mode to be written.
    public init(_ mode: PaymentMode) { self.mode = mode }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let mode = PaymentMode(rawValue: try body.text("mode")) else { throw body.damaged("mode") }
        self.mode = mode
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("mode", mode.rawValue)
        writer.endObject()
        return Record(RecordID(CounterMode.collection, CounterMode.key), body: writer.bytes)
    }

    /// The mode of a journal; `nil` while it has none.
    public static func of(_ journal: any RecordStore) async throws(JournalError) -> PaymentMode? {
        try await Records<CounterMode>(journal).document(key)?.mode
    }

    /// Changes the mode of a journal, whatever it is: the deliberate step. Durable when it returns.
    public static func set(_ mode: PaymentMode, of journal: any RecordStore) async throws(JournalError) {
        let change = AuditChange("mode", from: try await of(journal)?.rawValue, to: mode.rawValue)
        try await Records<CounterMode>(journal).put(
            CounterMode(mode), noting: [AuditNote(.modeChanged, changes: [change])])
    }

    /// The mode of a counter: what its credentials say, else what is set, else its journal's. Written where the journal
    /// has none; a journal without payments takes the other one.
    /// - Throws: ``CounterError`` where credentials, setting and journal do not agree.
    static func settle(
        _ modules: [any ProviderModule], set: PaymentMode?, _ journal: any CounterStore
    ) async throws(CounterError) -> PaymentMode {
        func titles(_ mode: PaymentMode) -> [String] {
            modules.filter { $0.mode == mode }.map { type(of: $0).title }
        }
        let (live, test) = (titles(.live), titles(.test))
        guard live.isEmpty || test.isEmpty else { throw .mixedModes(live: live, test: test) }
        let found: PaymentMode? = live.isEmpty ? test.isEmpty ? nil : .test : .live
        if let set, let found, set != found { throw .modeContradicted(set: set, by: live + test) }
        let wanted = found ?? set
        let (kept, isEmpty) = try await CounterError.of(journal) { () throws(JournalError) in
            (try await of(journal), try await journal.readings(after: 0, account: nil, limit: 1).isEmpty)
        }
        if let kept, kept == wanted ?? kept { return kept }
        if let kept, let wanted, !isEmpty { throw .otherMode(journal.path, is: kept, configured: wanted) }
        // In a journal from before modes were kept only credentials decide, so nothing is written without them.
        guard let mode = wanted ?? (isEmpty ? .test : nil) else { return .test }
        try await CounterError.of(journal) { () throws(JournalError) in try await CounterMode.set(mode, of: journal) }
        return mode
    }
}
