import Crypto
public import TillCore

/// An entry of the audit log: a note with its position, time and link.
///
/// ``body`` is one JSON object and never changes. The link of an entry is SHA-256 over the previous link (32 bytes; for
/// the first entry the log's random start) and the bytes of ``body``. docs/AUDIT.md specifies this for independent
/// verification.
public struct AuditEntry: Hashable, Sendable {
    /// Its position: 1, 2, 3, … without gaps.
    public let sequence: Int64
    public let at: Timestamp
    public let note: AuditNote
    /// The stored and linked bytes.
    public let body: [UInt8]
    /// The hash of the chain up to this entry, made as described above; 32 bytes.
    public let link: [UInt8]

    /// Creates the next entry after a head.
    package init(_ note: AuditNote, at: Timestamp, after head: ChainHead) {
        let note = AuditEntry.kept(note)
        (sequence, self.at, self.note) = (head.sequence + 1, at, note)
        body = AuditEntry.encode(note, sequence: head.sequence + 1, at: at)
        link = AuditEntry.link(of: body, after: head.hash)
    }

    /// Decodes a stored entry.
    /// - Throws: ``JournalError/corrupted(_:)`` for a malformed body.
    package init(sequence: Int64, body: [UInt8], link: [UInt8]) throws(JournalError) {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: body) } catch {
            throw .corrupted("the entry \(sequence) of the audit log cannot be read. \(error)")
        }
        guard let note = AuditNote(json), json["sequence"]?.int64Value == sequence,
            let at = json["at"]?.stringValue.flatMap({ Timestamp(internetTime: $0) })
        else { throw .corrupted("the entry \(sequence) of the audit log is not as entries are") }
        (self.sequence, self.at, self.note, self.body, self.link) = (sequence, at, note, body, link)
    }

    /// The head of the chain after this entry.
    package var head: ChainHead { ChainHead(sequence: sequence, hash: link) }

    /// Returns the body of an entry without ``opening`` and its position, for a database that assigns the position.
    package static func bodyBehindPlace(_ note: AuditNote, at: Timestamp) -> [UInt8] {
        Array(encode(kept(note), sequence: 0, at: at).dropFirst(opening.utf8.count + 1))
    }

    /// The start of each body; the position follows.
    package static let opening = #"{"sequence":"#

    static func link(of body: [UInt8], after previous: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: previous)
        hash.update(data: body)
        return Array(hash.finalize())
    }

    private static func encode(_ note: AuditNote, sequence: Int64, at: Timestamp) -> [UInt8] {
        var writer = JSONWriter(reserving: 384)
        writer.beginObject()
        writer.field("sequence", sequence)
        writer.field("at", at.description)
        writer.field("action", note.action.rawValue)
        writer.field("outcome", note.outcome.rawValue)
        writer.key("by")
        note.by.write(into: &writer)
        if let account = note.account { writer.field("account", account.rawValue) }
        if let subject = note.subject { writer.field("subject", subject) }
        if let reason = note.reason { writer.field("reason", reason) }
        if note.count != 1 { writer.field("count", note.count) }
        if !note.changes.isEmpty { write(note.changes, into: &writer) }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ changes: [AuditChange], into writer: inout JSONWriter) {
        writer.key("changes")
        writer.beginArray()
        for change in changes.prefix(AuditLimits.maximumChanges) {
            writer.beginObject()
            writer.field("name", change.name)
            writer.field("before", change.before)
            writer.field("after", change.after)
            writer.endObject()
        }
        writer.endArray()
        let left = changes.count - AuditLimits.maximumChanges
        if left > 0 { writer.field("changes_left_out", left) }
    }

    /// Returns a note as stored: each text cut to its limit, and card numbers removed except from the subject.
    private static func kept(_ note: AuditNote) -> AuditNote {
        var note = note
        note.subject = note.subject.map(cut)
        note.reason = note.reason.map(kept)
        note.changes = note.changes.map { change in
            AuditChange(kept(change.name), from: change.before.map(kept), to: change.after.map(kept))
        }
        return note
    }

    /// Returns a text as stored: without card numbers, and cut to its limit.
    private static func kept(_ text: String) -> String { cut(CardNumberMask.maskedForPeople(text)) }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > AuditLimits.maximumTextBytes else { return text }
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count <= AuditLimits.maximumTextBytes else { break }
            kept.append(character)
        }
        return kept
    }
}

extension AuditNote {
    /// Decodes the body of an entry; `nil` if it is malformed.
    fileprivate init?(_ json: JSONValue) {
        guard let action = json["action"]?.stringValue.flatMap({ AuditAction(rawValue: $0) }),
            let outcome = json["outcome"]?.stringValue.flatMap({ AuditOutcome(rawValue: $0) }),
            let by = json["by"].flatMap({ Attribution($0) }), AuditNote.isText(json["account"]),
            AuditNote.isText(json["subject"]), AuditNote.isText(json["reason"]),
            let changes = AuditNote.changes(in: json["changes"])
        else { return nil }
        self.init(
            action, outcome, by: by, account: json["account"]?.stringValue.map { AccountID(rawValue: $0) },
            subject: json["subject"]?.stringValue, reason: json["reason"]?.stringValue,
            count: json["count"]?.int64Value.map { Int(clamping: $0) } ?? 1, changes: changes)
    }

    /// Decodes the changes of an entry; `nil` if they are malformed.
    private static func changes(in json: JSONValue?) -> [AuditChange]? {
        guard let json else { return [] }
        guard let all = json.arrayValue else { return nil }
        var changes: [AuditChange] = []
        for change in all {
            let (before, after) = (change["before"], change["after"])
            guard let name = change["name"]?.stringValue, isText(before), isText(after) else { return nil }
            changes.append(AuditChange(name, from: before?.stringValue, to: after?.stringValue))
        }
        return changes
    }

    /// Returns `true` for text, `null`, and a member that is missing.
    private static func isText(_ json: JSONValue?) -> Bool {
        guard let json else { return true }
        return json.isNull || json.stringValue != nil
    }
}
