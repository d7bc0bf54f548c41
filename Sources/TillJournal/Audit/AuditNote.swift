public import TillCore

/// Limits of the audit log.
public enum AuditLimits {
    /// The retention: longer than the twelve months that PCI DSS 4.0.1 (10.5.1) requires.
    public static let retention = Span.days(400)
    /// The maximum number of entries that one purge removes, so that it delays no write for long.
    public static let maximumPurged = 256
    /// The interval between purges; each adds one entry.
    public static let purgeInterval = Span.days(1)
    /// The maximum size of one text in an entry, in bytes; longer texts are cut.
    public static let maximumTextBytes = 512
    /// The maximum number of changes in one entry; further ones are omitted and counted.
    public static let maximumChanges = 256
    /// The maximum number of entries in one write.
    public static let maximumNotes = 64
    /// The maximum number of entries in one page.
    public static let maximumPage = 500
    /// The maximum number of entries read for one page if a filter skips many.
    package static let maximumRead = 20_000
}

/// A change: a name with its value before and after. Never contains a secret.
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

/// A note for the audit log that has no position yet.
public struct AuditNote: Hashable, Sendable {
    public var action: AuditAction
    public var outcome: AuditOutcome
    /// The actor to which the action is attributed.
    public var by: Attribution
    /// The account concerned; `nil` for the whole counter.
    public var account: AccountID?
    /// The object of the action: a key, a payment, an incident, a file.
    public var subject: String?
    /// The reason, or the code of a refusal.
    public var reason: String?
    /// The number of occurrences, where identical ones are counted.
    public var count: Int
    public var changes: [AuditChange]

    /// - Parameter by: the actor; defaults to that of the current task.
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

    /// Creates the note for entries removed because they exceed the retention.
    package static func purged(from first: Int64, to last: Int64) -> AuditNote {
        AuditNote(
            .purged, by: Attribution(.till(.housekeeping)), subject: "\(first) to \(last)",
            reason: "older than \(AuditLimits.retention.milliseconds / Span.days(1).milliseconds) days",
            count: Int(clamping: last - first + 1))
    }
}
