import TillCore
public import TillJournal

/// A check of the ledger against the journal, for `till journal verify`.
public struct LedgerCheck: Sendable {
    /// The maximum number of reported problems.
    public static let maximumProblems = 100

    private let journal: any Journal & RecordStore

    public init(_ journal: any Journal & RecordStore) { self.journal = journal }

    /// Reads the whole ledger. Each entry must sum to zero, and the postings of events to providers, drawers and
    /// disputes must equal the captured less the refunded amounts.
    /// - Parameter report: the journal's own totals and the head they go up to, since sales continue meanwhile.
    /// - Returns: one sentence for each problem; empty if there is none. An unreadable ledger is one problem.
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
