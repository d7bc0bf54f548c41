import TillCore
import TillJournal

/// A record of a file or page that was imported completely. It is an optimization: lines are deduplicated by their own
/// keys, and with this record they need not be searched again.
struct StatementImport: RecordDocument {
    static let collection: RecordCollection = "statement-import"
    /// The maximum number of records; older files are checked line by line.
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
