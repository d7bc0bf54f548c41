public import TillCore

/// The result of verifying the whole journal.
public struct VerificationReport: Hashable, Sendable {
    /// The amounts captured and refunded in one currency.
    public struct Balance: Hashable, Sendable {
        public var currency: Currency
        /// The total captured, in minor units.
        public var captured: Int64
        /// The total refunded, in minor units.
        public var refunded: Int64
    }

    /// The maximum number of reported problems; a journal with more is not worth listing.
    public static let maximumProblems = 1_000

    /// The number of verified payments.
    public var payments = 0
    public var events = 0
    /// The number of orders.
    public var orders = 0
    /// The identity of the journal, as ``JournalHead/journal``; `nil` for a journal without a chain.
    public var journal: String?
    /// The head of the hash chain over all events; `nil` for a journal without one.
    public var head: ChainHead?
    /// The number of audit log entries.
    public var auditEntries = 0
    /// The head of the audit log's chain; `nil` for a journal without one.
    public var auditHead: ChainHead?
    /// The problems, one sentence each; empty if there are none.
    public var problems: [String] = []
    /// The number of problems that are only times written by a clock that was ahead.
    public internal(set) var misdated = 0
    /// By currency, sorted by code.
    public var balances: [Balance] = []

    public var isSound: Bool { problems.isEmpty }
    /// `true` if only times are wrong, so that the journal remains usable.
    public var isIntact: Bool { problems.count <= misdated }
}
