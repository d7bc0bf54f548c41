import TillCore
public import TillJournal

/// The ledger entry of an imported statement line, as a record: written once, in the commit that imports the line, and
/// never changed. A later correction is another record.
public struct StatementEntry: RecordDocument, Hashable {
    public static let collection: RecordCollection = "ledger-entry"
    /// The line's key and a number, which make the write idempotent.
    public let id: String
    public let entry: LedgerEntry

    /// - Parameter number: 1 for the first entry of the line.
    public init(line: String, number: Int, _ entry: LedgerEntry) {
        id = StatementEntry.id(of: line, number)
        self.entry = entry
    }

    static func id(of line: String, _ number: Int) -> String { "\(line)#\(number)" }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        id = stored.id.key
        var postings: [LedgerPosting] = []
        for posting in body.json["postings"]?.arrayValue ?? [] {
            guard let account = LedgerAccount(posting),
                let currency = posting["currency"]?.stringValue.flatMap({ try? Currency(code: $0) }),
                let units = posting["amount"]?.int64Value
            else { throw body.damaged("postings") }
            postings.append(LedgerPosting(account, Money(minorUnits: units, currency: currency)))
        }
        guard !postings.isEmpty else { throw body.damaged("postings") }
        entry = LedgerEntry(
            source: .statement(position: stored.position, line: try body.text("line")),
            at: Timestamp(milliseconds: try body.int("at")),
            account: AccountID(rawValue: try body.text("account")),
            payment: body.optionalText("payment").map { PaymentID(rawValue: $0) },
            orderNumber: body.optionalText("order"), what: try body.text("what"),
            decision: body.optionalText("words").map {
                LedgerEntry.Decision(words: $0, actor: body.optionalText("actor"))
            }, postings: postings)
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        if case .statement(_, let line) = entry.source { writer.field("line", line) }
        writer.field("at", entry.at.milliseconds)
        writer.field("account", entry.account.rawValue)
        writer.field("payment", entry.payment?.rawValue)
        writer.field("order", entry.orderNumber)
        writer.field("what", entry.what)
        if let decision = entry.decision {
            writer.field("words", decision.words)
            writer.field("actor", decision.actor)
        }
        writer.key("postings")
        writer.beginArray()
        for posting in entry.postings {
            writer.beginObject()
            posting.account.write(to: &writer, with: posting.amount.currency)
            writer.field("amount", posting.amount.minorUnits)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Record(
            RecordID(StatementEntry.collection, id), body: writer.bytes, fields: ["account": entry.account.rawValue])
    }
}

/// The ledger entries of statements, read page by page.
struct StatementEntries {
    private let records: any RecordStore
    private let match: RecordMatch?
    private var page: ArraySlice<KeptRecord> = []
    private var read: Int64
    private var isAtEnd = false
    /// The position of the last entry returned.
    private(set) var position: Int64

    init(_ records: any RecordStore, account: AccountID?, after position: Int64) {
        self.records = records
        match = account.map { RecordMatch("account", $0.rawValue) }
        read = position
        self.position = position
    }

    /// Returns the next entry imported before `moment`; `nil` if there is none.
    mutating func next(before moment: Timestamp?) async throws(JournalError) -> LedgerEntry? {
        if page.isEmpty, !isAtEnd {
            page = try await records.records(
                RecordQuery(StatementEntry.collection, matching: match, .oldestFirst(after: read)))[...]
            isAtEnd = page.isEmpty
            read = page.last?.position ?? read
        }
        guard let first = page.first else { return nil }
        let entry = try StatementEntry(first).entry
        if let moment, entry.at >= moment { return nil }
        page.removeFirst()
        position = first.position
        return entry
    }
}
