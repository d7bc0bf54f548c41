public import TillCore

/// Which entries of the audit log.
public struct AuditQuery: Hashable, Sendable {
    /// Only behind this place.
    public var after: Int64
    /// Only from this moment on.
    public var since: Timestamp?
    /// Only of actors of whom the kind, the identifier or the name is this.
    public var actor: String?
    public var limit: Int

    public init(
        after: Int64 = 0, since: Timestamp? = nil, actor: String? = nil, limit: Int = AuditLimits.maximumPage
    ) {
        self.after = after
        self.since = since
        self.actor = actor
        self.limit = limit
    }

    /// Whether an entry is asked for, its place apart.
    func takes(_ entry: AuditEntry) -> Bool {
        if let since, entry.at < since { return false }
        guard let actor else { return true }
        let who = entry.note.by.actor
        return actor == who.kind || actor == who.id || actor == who.name
    }
}

/// Entries in their order, and from where to continue.
public struct AuditPage: Hashable, Sendable {
    public private(set) var entries: [AuditEntry] = []
    /// The place behind which there may be more; `nil`: there was no more.
    public private(set) var next: Int64?

    package init() {}

    /// What a query takes of entries that are in their order.
    init(_ all: some Sequence<AuditEntry>, _ query: AuditQuery) {
        for entry in all where !add(entry, query) { return }
    }

    /// - Returns: whether it takes more.
    package mutating func add(_ entry: AuditEntry, _ query: AuditQuery) -> Bool {
        guard entries.count < min(max(query.limit, 1), AuditLimits.maximumPage) else {
            next = entries.last?.sequence
            return false
        }
        if query.takes(entry) { entries.append(entry) }
        return true
    }

    /// It has read enough, although it found less than a page.
    package mutating func stop(behind place: Int64) { next = place }
}

/// What an audit log is known by, and from where to where it goes.
public struct AuditStanding: Hashable, Sendable {
    /// What the first entry that is still there is linked to: the log's random start, or the link of the last entry
    /// that was removed.
    public var base: ChainHead
    /// The last entry's place and link: the end of the chain.
    public var head: ChainHead

    public init(base: ChainHead, head: ChainHead) {
        self.base = base
        self.head = head
    }
}

/// Who did what at the counter, beside the payments: sign-ins, refusals, keys, decisions, restores, settings.
///
/// Guarantees of every implementation: entries are only ever added at the end, by ``JournalWrite/audit``, in the commit
/// of what they are about; removed are only the oldest, when they are older than ``AuditLimits/retention``. Each is
/// linked to the one before it, so that none can be changed, moved, taken out or put in unnoticed.
public protocol AuditLog: Sendable {
    /// Entries in their order. One that is damaged is an error: `verify` says which.
    func auditEntries(_ query: AuditQuery) async throws(JournalError) -> AuditPage
    /// From where to where it goes now.
    func auditStanding() async throws(JournalError) -> AuditStanding
}

extension Journal {
    /// Notes what changes nothing else in the journal. Durable when it returns.
    public func note(_ notes: [AuditNote]) async throws(JournalError) {
        try await write(JournalWrite(audit: notes))
    }
}
