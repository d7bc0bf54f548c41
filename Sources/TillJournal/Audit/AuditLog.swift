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
    /// `true` to name entries that cannot be read in ``AuditPage/unreadable``, whatever their time and actor;
    /// `false` to fail at the first.
    public var namesUnreadable: Bool

    public init(
        after: Int64 = 0, before: Int64? = nil, since: Timestamp? = nil, actor: String? = nil,
        limit: Int = AuditLimits.maximumPage, namesUnreadable: Bool = false
    ) {
        self.after = after
        self.before = before
        self.since = since
        self.actor = actor
        self.limit = limit
        self.namesUnreadable = namesUnreadable
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
    /// The positions of the entries that cannot be read, in the order of the query. They count toward its limit.
    public private(set) var unreadable: [Int64] = []
    /// The position after which, or before which, there may be more; `nil` if there are no more.
    public private(set) var next: Int64?
    /// The position of the last entry of the page, readable or not.
    private var last: Int64?

    package init() {}

    /// Creates a page with the matching entries of an ordered sequence.
    init(_ all: some Sequence<AuditEntry>, _ query: AuditQuery) {
        for entry in all where !add(entry, query) { return }
    }

    /// - Returns: `false` if the page is full.
    package mutating func add(_ entry: AuditEntry, _ query: AuditQuery) -> Bool {
        guard hasRoom(query) else { return false }
        if query.takes(entry) {
            entries.append(entry)
            last = entry.sequence
        }
        return true
    }

    /// Adds an entry as it is stored.
    /// - Returns: `false` if the page is full.
    /// - Throws: ``JournalError/corrupted(_:)`` for one that cannot be read, unless the query has it named.
    package mutating func add(
        sequence: Int64, body: [UInt8], link: [UInt8], _ query: AuditQuery
    ) throws(JournalError) -> Bool {
        let entry: AuditEntry
        do throws(JournalError) {
            entry = try AuditEntry(sequence: sequence, body: body, link: link)
        } catch {
            guard query.namesUnreadable else { throw error }
            guard hasRoom(query) else { return false }
            unreadable.append(sequence)
            last = sequence
            return true
        }
        return add(entry, query)
    }

    /// Returns `false` for a full page, which then continues from its last entry.
    private mutating func hasRoom(_ query: AuditQuery) -> Bool {
        guard entries.count + unreadable.count < min(max(query.limit, 1), AuditLimits.maximumPage) else {
            next = last
            return false
        }
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
    /// Returns entries in the order of the query. Throws on one that cannot be read, unless the query has it named;
    /// `verify` says what is damaged.
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
