public import TillCore

/// One side of a movement of money, in the sense of double-entry bookkeeping. The postings of one event sum to zero.
public struct LedgerPosting: Hashable, Sendable {
    /// An account of the ledger.
    public enum Book: Hashable, Sendable {
        /// What a provider owes the shop: captured, not yet paid out.
        case clearing(ProviderName)
        case sales
    }

    /// By which event, as its place in the journal.
    public var sequence: Int64
    public var payment: PaymentID
    public var at: Timestamp
    public var book: Book
    /// Above zero a debit, below zero a credit.
    public var amount: Money

    /// The postings of a payment, from all its events: a capture debits the provider's clearing and credits sales, a
    /// refund does the reverse.
    /// - Parameter events: all events of one payment, oldest first.
    public static func postings(of events: [StoredEvent]) -> [LedgerPosting] {
        guard let first = events.first, case .created(let creation) = first.record.event else { return [] }
        var payment = Payment(creation, at: first.record.at)
        var postings: [LedgerPosting] = []
        var before: [String: Int64] = [:]
        for event in events.dropFirst() {
            payment.evolve(event.record)
            let after = movements(of: payment)
            for movement in after {
                let delta = movement.units.subtractingReportingOverflow(before[movement.name] ?? 0).partialValue
                guard delta != 0, delta != .min else { continue }
                for (book, units) in [(Book.clearing(movement.provider), delta), (.sales, -delta)] {
                    postings.append(
                        LedgerPosting(
                            sequence: event.sequence, payment: event.payment, at: event.record.at, book: book,
                            amount: Money(minorUnits: units, currency: payment.currency)))
                }
            }
            before = Dictionary(after.map { ($0.name, $0.units) }, uniquingKeysWith: { _, last in last })
        }
        return postings
    }

    private struct Movement {
        var name: String
        var provider: ProviderName
        var units: Int64
    }

    /// What each capture and each refund has moved so far.
    private static func movements(of payment: Payment) -> [Movement] {
        func provider(_ attempt: AttemptID, _ origin: OperationOrigin) -> ProviderName {
            if origin == .elsewhere { return ProviderName(rawValue: "elsewhere") }
            return payment.attempts.first { $0.id == attempt }?.provider ?? ProviderName(rawValue: "unknown")
        }
        let captures = payment.captures.map { capture in
            Movement(
                name: capture.id.rawValue, provider: provider(capture.attempt, capture.origin),
                units: capture.state.isSucceeded ? capture.amount.minorUnits : 0)
        }
        let refunds = payment.refunds.map { refund in
            Movement(
                name: refund.id.rawValue, provider: provider(refund.attempt, refund.origin),
                units: refund.state.isSucceeded ? 0 &- refund.amount.minorUnits : 0)
        }
        return captures + refunds
    }
}
