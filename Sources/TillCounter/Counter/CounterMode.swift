import TillCheckout
public import TillCore
public import TillJournal
import TillProvider

/// The mode of a journal. It is stored once, when it is first known, and a counter of the other mode refuses to open
/// the journal: test payments must not mix with live ones.
public struct CounterMode: RecordDocument {
    public static let collection: RecordCollection = "counter_mode"
    private static let key = "mode"

    public var mode: PaymentMode

    /// Creates a mode to be stored.
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

    /// Returns the mode of a journal; `nil` if none is stored.
    public static func of(_ journal: any RecordStore) async throws(JournalError) -> PaymentMode? {
        try await Records<CounterMode>(journal).document(key)?.mode
    }

    /// Changes the mode of a journal unconditionally, as a deliberate step. Durable when it returns.
    public static func set(_ mode: PaymentMode, of journal: any RecordStore) async throws(JournalError) {
        let change = AuditChange("mode", from: try await of(journal)?.rawValue, to: mode.rawValue)
        try await Records<CounterMode>(journal).put(
            CounterMode(mode), noting: [AuditNote(.modeChanged, changes: [change])])
    }

    /// Returns a counter's mode: that of its credentials, else the configured one, else the journal's. It is stored if
    /// the journal has none; a journal without payments may change modes.
    /// - Throws: ``CounterError`` if credentials, setting and journal disagree.
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
        let kept = try await CounterError.of(journal) { () throws(JournalError) in try await of(journal) }
        if let kept, kept == wanted ?? kept { return kept }
        let isEmpty = try await CounterError.of(journal) { () throws(JournalError) in
            try await journal.readings(after: 0, account: nil, limit: 1).isEmpty
        }
        if let kept, let wanted, !isEmpty { throw .otherMode(journal.path, is: kept, configured: wanted) }
        // For a journal older than stored modes only credentials decide, so nothing is written without them.
        guard let mode = wanted ?? (isEmpty ? .test : nil) else { return .test }
        try await CounterError.of(journal) { () throws(JournalError) in try await CounterMode.set(mode, of: journal) }
        return mode
    }
}
