import TillCore
import TillJournal
import TillStatements

/// Finds the movement in the journal that corresponds to a statement line.
///
/// A line is matched by Till's own payment identifier where the provider repeats it, otherwise by the provider's
/// references; its kind determines which movements of the payment qualify. Amount and time never decide which payment a
/// line belongs to.
struct LineMatcher {
    /// The maximum number of movements of one payment that one line may cover.
    static let maximumTogether = 200

    let journal: any Journal & RecordStore
    let settlements: Settlements
    let clock: any TillClock

    /// The matched movement, and the changes to write besides the line and the movements.
    struct Match {
        var settlement: Settlement?
        var changes: [RecordChange] = []
    }

    /// Finds the movement and sets the state of the line.
    /// - Parameter movements: the movements after the preceding lines; a match is recorded there.
    func match(
        _ kept: inout KeptLine, in movements: inout MovementCache
    ) async throws(JournalError) -> Match {
        switch kept.line.kind {
        case .fee, .payout, .payoutFailure, .transfer, .exchange:
            kept.state = .posted
            return Match()
        case .other: return unknown(kept, payment: nil)
        case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal: break
        }
        let payment = try await payment(of: kept, in: &movements)
        let shown =
            if let payment { candidates(try await movements.movements(of: payment), for: kept) } else { [Candidate]() }
        guard let first = shown.first?.settlement else { return unknown(kept, payment: payment) }
        var changes: [RecordChange] = []
        for movement in shown {
            if movement.settlement.state == .missing {
                changes += try await StatementBreak.resolve(
                    StatementBreak.ofSettlement(movement.settlement), of: kept.provider, in: journal)
            }
            movements.match(movement, with: kept.id)
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

    private typealias Candidate = MovementCache.Movement

    private func unknown(_ kept: KeptLine, payment: PaymentID?) -> Match {
        Match(changes: [.insertIfAbsent(StatementBreak.unknown(kept, payment: payment, at: clock.now()).record)])
    }

    private func payment(
        of kept: KeptLine, in movements: inout MovementCache
    ) async throws(JournalError) -> PaymentID? {
        if let named = kept.line.payment {
            let isMoved = try await !movements.movements(of: named).isEmpty
            if isMoved { return named }
            if try await settlements.knows(named) { return named }
        }
        return try await settlements.payment(kept.line.references, of: kept.provider)
    }

    /// Returns the movement of a payment that a line covers: of its kind and not covered by another line; selected by
    /// the provider's reference, then by amount, then by age, oldest first. Returns all open movements if none has the
    /// amount but their sum does: several operations reported to the journal may be one movement at the provider.
    private func candidates(_ movements: [Candidate], for kept: KeptLine) -> [Candidate] {
        let open = movements.filter { movement in
            movement.settlement.kind == kept.line.kind && movement.settlement.state != .matched
                && movement.settlement.provider == kept.provider && movement.settlement.isOf(account: kept.account)
        }
        let agreeing = open.filter { LinePostings.agree(kept.line, $0.settlement) }
        func named(_ among: [Candidate]) -> Candidate? {
            among.first { $0.settlement.reference.map(kept.line.references.contains) ?? false }
        }
        if let one = named(agreeing) ?? agreeing.first { return [one] }
        if open.count <= LineMatcher.maximumTogether, let sum = LineMatcher.sum(open), let first = open.first,
            LinePostings.agree(kept.line, first.settlement.together(sum))
        {
            return open
        }
        return (named(open) ?? open.first).map { [$0] } ?? []
    }

    /// `nil` for no movements, mixed currencies, or an overflow.
    private static func sum(_ candidates: [Candidate]) -> Money? {
        guard let first = candidates.first else { return nil }
        do throws(MoneyError) {
            var sum = Money.zero(first.settlement.amount.currency)
            for (settlement, _) in candidates { sum = try sum.adding(settlement.amount) }
            return sum
        } catch { return nil }
    }
}
