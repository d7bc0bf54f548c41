import GRDBSQLite
import TillCore
import TillJournal

/// The audit log's part of a write, in the same transaction: one read and one small write for each commit with notes.
extension SQLiteWriter {
    /// Appends entries; at least one.
    func append(_ notes: [AuditNote], at now: Timestamp) throws(SQLiteFailure) {
        var head = try openAuditHead()
        for note in notes {
            let entry = AuditEntry(note, at: now, after: head)
            try statement("INSERT INTO audit(sequence, at, body, link) VALUES (?, ?, ?, ?)")
                .run(.int(entry.sequence), .int(now.milliseconds), .utf8(entry.body), .blob(entry.link))
            head = entry.head
        }
        try statement("UPDATE audit_log SET sequence = ?, head = ? WHERE id = 1")
            .run(.int(head.sequence), .blob(head.hash))
    }

    /// Returns the head of the log.
    /// - Throws: a damage failure if the last entry does not match the head: nothing is appended to a truncated log.
    private func openAuditHead() throws(SQLiteFailure) -> ChainHead {
        let stated = try statement("SELECT sequence, head, base FROM audit_log WHERE id = 1")
            .first { (head: ChainHead(sequence: $0.int(0), hash: $0.bytes(1)), base: $0.int(2)) }
        guard let stated else {
            throw SQLiteFailure(damage: "the row that says where its audit log ends is missing")
        }
        guard stated.head.sequence > stated.base else { return stated.head }
        let link = try statement("SELECT link FROM audit WHERE sequence = ?")
            .first(.int(stated.head.sequence)) { $0.bytes(0) }
        guard link == stated.head.hash else {
            throw SQLiteFailure(
                damage: "the last entry of its audit log, \(stated.head.sequence), is missing or was changed")
        }
        return stated.head
    }

    /// Removes the oldest entries if they exceed the retention, and records that in the log. The link of the last
    /// removed entry is kept, and the remaining entries still continue from it.
    /// - Returns: `true` if there may be more.
    func purgeAudit(at now: Timestamp) throws(SQLiteFailure) -> Bool {
        let oldest = now.adding(Span(milliseconds: -AuditLimits.retention.milliseconds))
        let base = try statement("SELECT base FROM audit_log WHERE id = 1").first { $0.int(0) } ?? 0
        // In order, and up to the first that is kept: a clock that was behind causes no gap.
        let most = base + Int64(AuditLimits.maximumPurged)
        let kept = try statement(
            "SELECT sequence FROM audit WHERE sequence > ? AND sequence <= ? AND at >= ? ORDER BY sequence LIMIT 1"
        ).first(.int(base), .int(most), .int(oldest.milliseconds)) { $0.int(0) }
        let end = kept ?? most + 1
        let last = try statement("SELECT sequence, link FROM audit WHERE sequence < ? ORDER BY sequence DESC LIMIT 1")
            .first(.int(end)) { ChainHead(sequence: $0.int(0), hash: $0.bytes(1)) }
        guard let last, last.sequence > base else { return false }
        try append([.purged(from: base + 1, to: last.sequence)], at: now)
        try statement("DELETE FROM audit WHERE sequence <= ?").run(.int(last.sequence))
        try statement("UPDATE audit_log SET base = ?, base_link = ? WHERE id = 1")
            .run(.int(last.sequence), .blob(last.hash))
        return last.sequence - base >= Int64(AuditLimits.maximumPurged)
    }
}
