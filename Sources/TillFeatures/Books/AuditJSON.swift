public import TillCore
public import TillJournal

/// The JSON form of the audit log.
public enum AuditJSON {
    /// Encodes a page: each entry with its hash, and the entry itself byte for byte as hashed; each that cannot be read
    /// with its position.
    public static func write(_ page: AuditPage, _ standing: AuditStanding) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        members(page.entries, standing, into: &writer)
        writer.key("unreadable")
        writer.beginArray()
        for sequence in page.unreadable {
            writer.beginObject()
            writer.field("sequence", sequence)
            writer.field("message", "Entry \(sequence) of the audit log cannot be read.")
            writer.endObject()
        }
        writer.endArray()
        writer.key("next")
        if let next = page.next { writer.int(next) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }

    /// Writes the bounds of the log and some of its entries.
    public static func members(
        _ entries: [AuditEntry], _ standing: AuditStanding, into writer: inout JSONWriter
    ) {
        writer.field("base", standing.base.description)
        writer.field("head", standing.head.description)
        writer.key("entries")
        writer.beginArray()
        for entry in entries { line(entry, into: &writer) }
        writer.endArray()
    }

    /// Writes an entry with its hash.
    public static func line(_ entry: AuditEntry, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("hash", Hex.lowercase(entry.link))
        writer.key("entry")
        writer.raw(bytes: entry.body)
        writer.endObject()
    }
}
