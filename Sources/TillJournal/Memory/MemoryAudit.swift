import TillCore

/// The audit log of the in-memory journal.
struct MemoryAudit: Sendable {
    private(set) var entries: [AuditEntry] = []
    private(set) var standing: AuditStanding

    init() {
        let start = ChainHead(sequence: 0, hash: EventLink.randomStart())
        standing = AuditStanding(base: start, head: start)
    }

    /// Appends entries, and removes expired ones.
    mutating func append(_ notes: [AuditNote], at now: Timestamp, forgets: Bool) {
        guard !notes.isEmpty else { return }
        for note in notes { add(note, at: now) }
        let oldest = now.adding(Span(milliseconds: -AuditLimits.retention.milliseconds))
        let old = forgets ? entries.prefix { $0.at < oldest }.prefix(AuditLimits.maximumPurged) : []
        guard let last = old.last else { return }
        let count = old.count
        add(.purged(from: standing.base.sequence + 1, to: last.sequence), at: now)
        entries.removeFirst(count)
        standing.base = last.head
    }

    private mutating func add(_ note: AuditNote, at now: Timestamp) {
        let entry = AuditEntry(note, at: now, after: standing.head)
        entries.append(entry)
        standing.head = entry.head
    }

    func walk(known: ChainHead?) -> AuditPass {
        var pass = AuditPass(base: standing.base, known: known)
        for entry in entries { pass.check(sequence: entry.sequence, body: entry.body, link: entry.link) }
        pass.finish(stated: standing.head)
        return pass
    }
}
