public import TillCore

/// A query for entries of the audit log.
public struct AuditQuery: Hashable, Sendable {
    /// Only entries after this position.
    public var after: Int64
    /// Only entries before this position, the newest of them first; `nil` for all entries, oldest first.
    public var before: Int64?
    /// Only entries at or after this time.
    public var since: Timestamp?
    /// Only entries of actors with this kind, identifier or name.
    public var actor: String?
    public var limit: Int

    public init(
        after: Int64 = 0, before: Int64? = nil, since: Timestamp? = nil, actor: String? = nil,
        limit: Int = AuditLimits.maximumPage
    ) {
        self.after = after
        self.before = before
        self.since = since
        self.actor = actor
        self.limit = limit
    }

    /// `true` if an entry matches, regardless of its position.
    func takes(_ entry: AuditEntry) -> Bool {
        if let since, entry.at < since { return false }
        guard let actor else { return true }
        let who = entry.note.by.actor
        return actor == who.kind || actor == who.id || actor == who.name
    }
}

/// Entries in the order of their query, and the position to continue from.
public struct AuditPage: Hashable, Sendable {
    public private(set) var entries: [AuditEntry] = []
    /// The position after which, or before which, there may be more; `nil` if there are no more.
    public private(set) var next: Int64?

    package init() {}

    /// Creates a page with the matching entries of an ordered sequence.
    init(_ all: some Sequence<AuditEntry>, _ query: AuditQuery) {
        for entry in all where !add(entry, query) { return }
    }

    /// - Returns: `false` if the page is full.
    package mutating func add(_ entry: AuditEntry, _ query: AuditQuery) -> Bool {
        guard entries.count < min(max(query.limit, 1), AuditLimits.maximumPage) else {
            next = entries.last?.sequence
            return false
        }
        if query.takes(entry) { entries.append(entry) }
        return true
    }

    /// Ends the page early, after the maximum number of entries was read.
    package mutating func stop(behind place: Int64) { next = place }
}

/// The identity and extent of an audit log.
public struct AuditStanding: Hashable, Sendable {
    /// The link before the oldest remaining entry: the log's random start, or the link of the last removed entry.
    public var base: ChainHead
    /// The last entry's position and link: the end of the chain.
    public var head: ChainHead

    public init(base: ChainHead, head: ChainHead) {
        self.base = base
        self.head = head
    }
}

/// The log of actions at the counter other than payments: sign-ins, refusals, keys, decisions, restores, settings.
///
/// Guarantees of every implementation: entries are only appended, by ``JournalWrite/audit``, in the commit of the
/// change they describe; only the oldest are removed, once they exceed ``AuditLimits/retention``. Each entry is linked
/// to the previous one, so that changing, moving, removing or inserting one is detectable.
public protocol AuditLog: Sendable {
    /// Returns entries in the order of the query. Throws on a damaged entry; `verify` names it.
    func auditEntries(_ query: AuditQuery) async throws(JournalError) -> AuditPage
    /// Returns the current extent of the log.
    func auditStanding() async throws(JournalError) -> AuditStanding
}

extension Journal {
    /// Appends notes without any other change to the journal. Durable when it returns.
    public func note(_ notes: [AuditNote]) async throws(JournalError) {
        try await write(JournalWrite(audit: notes))
    }
}
