public import TillCore

/// How much the audit log keeps and takes at once.
public enum AuditLimits {
    /// How long entries are kept: longer than the twelve months that PCI DSS 4.0.1 (10.5.1) asks for.
    public static let retention = Span.days(400)
    /// Entries that one pass of cleaning removes, so that it never makes a write wait long.
    public static let maximumPurged = 256
    /// How often there is such a pass: each is one entry more.
    public static let purgeInterval = Span.days(1)
    /// Bytes of one text of an entry; longer ones are cut.
    public static let maximumTextBytes = 512
    /// What changed, of one entry; more are left out and counted.
    public static let maximumChanges = 256
    /// Entries of one write.
    public static let maximumNotes = 64
    /// Entries of one page.
    public static let maximumPage = 500
    /// Entries that one page reads through, where a filter passes over many.
    package static let maximumRead = 20_000
}

/// What changed: a name, and its value before and after. Never a secret.
public struct AuditChange: Hashable, Sendable {
    public var name: String
    public var before: String?
    public var after: String?

    public init(_ name: String, from before: String? = nil, to after: String?) {
        self.name = name
        self.before = before
        self.after = after
    }
}

/// Something for the audit log, which has no place in it yet.
public struct AuditNote: Hashable, Sendable {
    public var action: AuditAction
    public var outcome: AuditOutcome
    /// Whom it is attributed to.
    public var by: Attribution
    /// Whose account it is about; `nil`: the whole counter's.
    public var account: AccountID?
    /// What it was done to: a key, a payment, an incident, a file.
    public var subject: String?
    /// Why, or the code of a refusal.
    public var reason: String?
    /// How often it happened, where equal ones are counted.
    public var count: Int
    public var changes: [AuditChange]

    /// - Parameter by: whom it is attributed to; by itself whoever the running task works for.
    public init(
        _ action: AuditAction, _ outcome: AuditOutcome = .done, by: Attribution? = nil, account: AccountID? = nil,
        subject: String? = nil, reason: String? = nil, count: Int = 1, changes: [AuditChange] = []
    ) {
        self.action = action
        self.outcome = outcome
        self.by = by ?? Attribution.current ?? Attribution(.unattributed)
        self.account = account
        self.subject = subject
        self.reason = reason
        self.count = count
        self.changes = changes
    }

    /// That entries were removed because they are older than the retention.
    package static func purged(from first: Int64, to last: Int64) -> AuditNote {
        AuditNote(
            .purged, by: Attribution(.till(.housekeeping)), subject: "\(first) to \(last)",
            reason: "older than \(AuditLimits.retention.milliseconds / Span.days(1).milliseconds) days",
            count: Int(clamping: last - first + 1))
    }
}
