import TillCore
import TillJournal
import TillProvider

/// Finds the movement of the journal that a line shows.
///
/// A line is found by our own name for the payment where the provider repeats it, else by the provider's names; its kind
/// says which movement of the payment it can show. Amount and time never decide to whom a line belongs.
struct LineMatcher {
    let journal: any Journal & RecordStore
    let settlements: Settlements
    let clock: any TillClock

    /// What a line shows, and what is to be written of it beside the line.
    struct Match {
        var settlement: Settlement?
        var changes: [RecordChange] = []
    }

    /// Finds it, and says in the line what it is.
    func match(_ kept: inout KeptLine) async throws(JournalError) -> Match {
        switch kept.line.kind {
        case .fee, .payout, .payoutFailure, .transfer, .exchange:
            kept.state = .posted
            return Match()
        case .other: return unknown(kept, payment: nil)
        case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal: break
        }
        let payment = try await payment(of: kept)
        let shown = if let payment { try await candidates(of: payment, for: kept) } else { [Candidate]() }
        guard let first = shown.first?.settlement else { return unknown(kept, payment: payment) }
        var changes: [RecordChange] = []
        for (settlement, version) in shown {
            if settlement.state == .missing {
                changes += try await StatementBreak.resolve(
                    StatementBreak.ofSettlement(settlement), of: kept.provider, in: journal)
            }
            var matched = settlement
            matched.state = .matched
            matched.line = kept.id
            changes.append(.update(matched.record, from: version))
        }
        kept.settlement = first.id
        let settlement = LineMatcher.sum(shown).map { first.together($0) } ?? first
        if LinePostings.agree(kept.line, settlement) {
            kept.state = .matched
        } else {
            kept.state = .differs
            changes.append(.insertIfAbsent(StatementBreak.differs(kept, settlement, at: clock.now()).record))
        }
        return Match(settlement: settlement, changes: changes)
    }

    private typealias Candidate = (settlement: Settlement, version: Int)

    private func unknown(_ kept: KeptLine, payment: PaymentID?) -> Match {
        Match(changes: [.insertIfAbsent(StatementBreak.unknown(kept, payment: payment, at: clock.now()).record)])
    }

    private func payment(of kept: KeptLine) async throws(JournalError) -> PaymentID? {
        if let named = kept.line.payment, try await settlements.knows(named) { return named }
        return try await settlements.payment(kept.line.references, of: kept.provider)
    }

    /// The movement of a payment that a line shows: of its kind and not shown by another line; by the provider's name for
    /// it, then by the amount, then the oldest. All of them, where none has the amount and together they have: what the
    /// journal has only heard of may be one movement at the provider.
    private func candidates(of payment: PaymentID, for kept: KeptLine) async throws(JournalError) -> [Candidate] {
        let records = try await journal.records(
            RecordQuery(Settlement.collection, matching: Settlement.of(payment), .oldestFirst()))
        var open: [Candidate] = []
        for record in records {
            let settlement = try Settlement(record)
            guard settlement.kind == kept.line.kind, settlement.state != .matched,
                settlement.provider == kept.provider, settlement.isOf(account: kept.account)
            else { continue }
            open.append((settlement, record.version))
        }
        let agreeing = open.filter { LinePostings.agree(kept.line, $0.settlement) }
        func named(_ among: [Candidate]) -> Candidate? {
            among.first { $0.settlement.reference.map(kept.line.references.contains) ?? false }
        }
        if let one = named(agreeing) ?? agreeing.first { return [one] }
        if let sum = LineMatcher.sum(open), let first = open.first,
            LinePostings.agree(kept.line, first.settlement.together(sum))
        {
            return open
        }
        return (named(open) ?? open.first).map { [$0] } ?? []
    }

    /// `nil`: none, of several currencies, or more than can be counted.
    private static func sum(_ candidates: [Candidate]) -> Money? {
        guard let first = candidates.first else { return nil }
        do throws(MoneyError) {
            var sum = Money.zero(first.settlement.amount.currency)
            for (settlement, _) in candidates { sum = try sum.adding(settlement.amount) }
            return sum
        } catch { return nil }
    }
}
