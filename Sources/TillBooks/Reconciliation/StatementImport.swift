import TillCore
import TillJournal

/// That a file or a page was imported to its end. Its lines would double nothing without it: they are kept by their own
/// names. With it they are not looked up again.
struct StatementImport: RecordDocument {
    static let collection: RecordCollection = "statement-import"
    /// As many are kept; a file that is older is looked up line by line.
    static let maximumKept = 10_000

    /// The provider and the file's ``Reconciliation/Statement/fingerprint``, so that a file is imported once.
    let id: String
    let lines: Int
    let at: Timestamp

    init(_ statement: Reconciliation.Statement, at: Timestamp) {
        id = "\(statement.provider) \(statement.fingerprint)"
        lines = statement.lines.count
        self.at = at
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        id = stored.id.key
        lines = Int(clamping: try body.int("lines"))
        at = Timestamp(milliseconds: try body.int("at"))
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("lines", Int64(lines))
        writer.field("at", at.milliseconds)
        writer.endObject()
        return Record(RecordID(StatementImport.collection, id), body: writer.bytes)
    }
}
