internal import TillCore

/// The ledger of one payment: turns each of its events into postings.
///
/// The payment's balances follow from its state alone (``balances(of:)``); the postings of an event are the change in
/// them. The sum over all events therefore equals the state, whatever their order, and the ledger cannot contradict the
/// payment.
struct PaymentLedger {
    private(set) var payment: Payment
    private var balances: [Place: Int64] = [:]

    /// An account in one currency.
    struct Place: Hashable {
        var account: LedgerAccount
        var currency: Currency
    }

    init(_ creation: PaymentEvent.Creation, at: Timestamp) { payment = Payment(creation, at: at) }

    /// Applies the payment's next event.
    /// - Returns: its postings, sorted by account; empty if no money moves.
    mutating func apply(_ record: RecordedEvent) -> [LedgerPosting] {
        payment.evolve(record)
        guard !payment.captures.isEmpty || !payment.refunds.isEmpty || !payment.disputes.isEmpty else { return [] }
        let after = PaymentLedger.balances(of: payment)
        guard after != balances else { return [] }
        var postings: [LedgerPosting] = []
        for place in Set(after.keys).union(balances.keys) {
            let (change, overflow) = (after[place] ?? 0).subtractingReportingOverflow(balances[place] ?? 0)
            guard change != 0, !overflow else { continue }
            postings.append(LedgerPosting(place.account, Money(minorUnits: change, currency: place.currency)))
        }
        balances = after
        return postings.sorted {
            ($0.account.name, $0.amount.currency.code) < ($1.account.name, $1.amount.currency.code)
        }
    }

    /// Returns the payment's balance in each account. The balances sum to zero in each currency.
    static func balances(of payment: Payment) -> [Place: Int64] {
        var sums: [Place: Int64] = [:]
        func add(_ account: LedgerAccount, _ units: Int64, _ currency: Currency) {
            guard units != 0 else { return }
            // Amounts of one payment are bounded by its rules; a journal that breaks them is reported, not trapped on.
            let place = Place(account: account, currency: currency)
            let sum = (sums[place] ?? 0) &+ units
            sums[place] = sum == 0 ? nil : sum
        }
        /// Debits one account and credits the other.
        func move(_ units: Int64, to debit: LedgerAccount, from credit: LedgerAccount, _ currency: Currency) {
            add(debit, units, currency)
            add(credit, 0 &- units, currency)
        }
        let currency = payment.currency
        let moved = Set(
            payment.captures.map(\.attempt) + payment.refunds.map(\.attempt) + payment.disputes.map(\.attempt))
        for id in moved {
            let attempt = payment.attempts.last { $0.id == id }
            let accounts = Accounts(attempt: attempt)
            let (taken, takenElsewhere) = split(
                payment.captures.lazy.filter { $0.attempt == id && $0.state.isSucceeded }
                    .map { ($0.amount, $0.origin) })
            let (back, backElsewhere) = split(
                payment.refunds.lazy.filter { $0.attempt == id && $0.state.isSucceeded }
                    .map { ($0.amount, $0.origin) })
            move(taken, to: accounts.holder, from: accounts[.sales], currency)
            move(takenElsewhere, to: accounts[.elsewhere], from: accounts[.sales], currency)
            move(back, to: accounts[.returns], from: accounts.holder, currency)
            move(backElsewhere, to: accounts[.returns], from: accounts[.elsewhere], currency)
            // The order counts as paid first and refunded first; anything above it is the tip.
            let tip = attempt?.tip(in: taken) ?? 0
            move(tip, to: accounts[.sales], from: accounts[.tips], currency)
            move(min(tip, max(0, back &- (taken &- tip))), to: accounts[.tips], from: accounts[.returns], currency)
            for dispute in payment.disputes where dispute.attempt == id {
                let kind: LedgerAccount.Kind = dispute.outcome == .lost ? .disputeLosses : .disputed
                move(
                    dispute.withdrawn.minorUnits, to: accounts[kind], from: accounts.holder,
                    dispute.withdrawn.currency)
            }
        }
        let accounts = Accounts(attempt: payment.settledAttempt ?? payment.attempts.last)
        move(payment.refundDue.minorUnits, to: accounts[.returns], from: accounts[.refundsDue], currency)
        move(writtenOff(of: payment), to: accounts[.returns], from: accounts[.writeOffs], currency)
        return sums
    }

    /// Returns the debts to the customer that staff has written off: refunded in the ledger, and kept by the shop.
    private static func writtenOff(of payment: Payment) -> Int64 {
        var sum: Int64 = 0
        for item in payment.attentionItems where item.closing?.resolution.kind == .writtenOff {
            guard case .refundReversed(let amount) = item.attention else { continue }
            sum = sum.addingReportingOverflow(amount.minorUnits).partialValue
        }
        let left = payment.captured.minorUnits &- payment.refunded.minorUnits &- payment.refundDue.minorUnits
        return max(0, min(sum, left))
    }

    /// Sums the amounts that went through the provider and those that did not.
    private static func split(
        _ amounts: some Sequence<(Money, OperationOrigin)>
    ) -> (provider: Int64, elsewhere: Int64) {
        var sums: (provider: Int64, elsewhere: Int64) = (0, 0)
        for (amount, origin) in amounts {
            switch origin {
            case .elsewhere: sums.elsewhere &+= amount.minorUnits
            case .till, .provider: sums.provider &+= amount.minorUnits
            }
        }
        return sums
    }

    /// The accounts of one attempt.
    private struct Accounts {
        /// `nil` only in a damaged journal, which `till journal verify` reports: the money then belongs to no known
        /// provider.
        let attempt: Attempt?

        subscript(kind: LedgerAccount.Kind) -> LedgerAccount {
            LedgerAccount(
                kind, provider: attempt?.provider ?? ProviderName(rawValue: "unknown"),
                providerAccount: attempt?.identity?.account, isTest: attempt?.isTest ?? false)
        }

        /// The account that holds the money after a capture.
        var holder: LedgerAccount { self[attempt?.provider == .cash ? .cash : .receivable] }
    }
}
