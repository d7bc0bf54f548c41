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
    /// - Parameter report: what the journal itself counts, and up to where: sales continue meanwhile.
    /// - Returns: one sentence for each problem; empty if all is well. A ledger that cannot be read is one.
    public func problems(against report: VerificationReport) async -> [String] {
        var problems: [String] = []
        var posted = LedgerBalances()
        let position: Ledger.Position
        do {
            (position, _) = try await Ledger(journal, account: nil).read { entry in
                if !entry.isBalanced, problems.count < LedgerCheck.maximumProblems {
                    problems.append("the postings of \(entry.source) do not sum to zero")
                }
                guard case .event(let sequence) = entry.source else { return true }
                if let head = report.head, sequence > head.sequence { return false }
                for posting in entry.postings { posted.add(posting) }
                return true
            }
        } catch {
            problems.append("the ledger cannot be read: \(error)")
            return problems
        }
        if !position.unreadable.isEmpty {
            let names = position.unreadable.map(\.rawValue).sorted().prefix(LedgerCheck.maximumProblems)
            problems.append("not whole in the ledger, since they cannot be read: \(names.joined(separator: ", "))")
        }
        for balance in report.balances {
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
