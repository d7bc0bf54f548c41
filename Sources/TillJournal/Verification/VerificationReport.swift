public import TillCore

/// What a check of the whole journal found.
public struct VerificationReport: Hashable, Sendable {
    /// What was taken and given back in one currency.
    public struct Balance: Hashable, Sendable {
        public var currency: Currency
        /// All that was ever taken, in minor units.
        public var captured: Int64
        /// What of it went back, in minor units.
        public var refunded: Int64
    }

    /// The most problems that are named; a journal with more is not worth listing.
    public static let maximumProblems = 1_000

    /// How many payments were queried.
    public var payments = 0
    public var events = 0
    /// For how many orders.
    public var orders = 0
    /// Which journal it is, as ``JournalHead/journal``; `nil` for one that keeps no chain.
    public var journal: String?
    /// Where the chain of hashes over all events ends; `nil` for a journal that keeps none.
    public var head: ChainHead?
    /// How many entries the audit log has.
    public var auditEntries = 0
    /// Where the chain of the audit log ends; `nil` for a journal that keeps none.
    public var auditHead: ChainHead?
    /// What is wrong, one sentence each; empty if all is well.
    public var problems: [String] = []
    /// How many of the problems say no more than that a clock was ahead when something was written.
    public internal(set) var misdated = 0
    /// By currency, sorted by code.
    public var balances: [Balance] = []

    public var isSound: Bool { problems.isEmpty }
    /// Nothing is wrong but times, so it can be gone on with.
    public var isIntact: Bool { problems.count <= misdated }
}
