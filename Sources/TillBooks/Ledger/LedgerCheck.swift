import TillCore
public import TillJournal

/// Whether the ledger is what the journal says, for `till journal verify`.
public struct LedgerCheck: Sendable {
    /// The most problems that are named.
    public static let maximumProblems = 100

    private let journal: any Journal & RecordStore

    public init(_ journal: any Journal & RecordStore) { self.journal = journal }

    /// Reads the whole ledger. Each entry must sum to zero, and what events have posted to providers, drawers and
    /// disputes must be what was captured less what was refunded.
    /// - Parameter balances: as the journal itself counts them.
    /// - Returns: one sentence for each problem; empty if all is well.
    public func problems(against balances: [VerificationReport.Balance]) async throws -> [String] {
        var problems: [String] = []
        var posted = LedgerBalances()
        try await Ledger(journal, account: nil).read { entry in
            if !entry.isBalanced, problems.count < LedgerCheck.maximumProblems {
                problems.append("the postings of \(entry.source) do not sum to zero")
            }
            guard case .event = entry.source else { return true }
            for posting in entry.postings { posted.add(posting) }
            return true
        }
        for balance in balances {
            let held = posted.sum(
                of: [.receivable, .cash, .elsewhere, .disputed, .disputeLosses], in: balance.currency)
            let net = Int128(balance.captured) - Int128(balance.refunded)
            if held != net {
                problems.append(
                    "the ledger has \(LedgerAmount.text(held, balance.currency)) \(balance.currency), and "
                        + "\(LedgerAmount.text(net, balance.currency)) were captured and not refunded")
            }
        }
        return problems
    }
}
