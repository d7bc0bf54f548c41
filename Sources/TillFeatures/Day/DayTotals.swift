import Synchronization
import TillCore
import TillJournal

/// Folds the journal's events between two positions into the money that they moved.
///
/// A payment's sums follow from its state alone, and an event counts with the change that it makes in them. The figures
/// of adjoining spans therefore add up to those of the whole, also where a capture or a refund fails in a later span.
final class DayTotals: Sendable {
    /// A span that was read, from which a later request reads on.
    private struct Known {
        var after: Int64
        var last: Int64
        var figures: DayFigures
    }

    private let store: any Journal & RecordStore
    private let known = Mutex<[AccountID: Known]>([:])

    init(_ store: any Journal & RecordStore) { self.store = store }

    /// Returns the money that an account's events moved.
    /// - Parameters:
    ///   - start: the position after which events count.
    ///   - end: the position of the last event that counts; `nil` for all that are there.
    /// - Returns: the figures, and the position that they reach.
    /// - Throws: ``DayError/tooManyEvents``, ``DayError/tooManyUnreadable``, ``DayError/journal(_:)``.
    func figures(
        of account: AccountID, after start: Int64, until end: Int64? = nil
    ) async throws(DayError) -> (figures: DayFigures, last: Int64) {
        var span = Known(after: start, last: start, figures: DayFigures())
        if let before = known.withLock({ $0[account] }), before.after == start, before.last <= end ?? .max {
            span = before
        }
        var payments = DayPayments(store)
        var read = 0
        reading: while span.last < end ?? .max {
            let page: [EventReading]
            do throws(JournalError) {
                page = try await store.readings(
                    after: span.last, account: account, limit: JournalLimits.maximumPage)
            } catch { throw .journal(error) }
            guard !page.isEmpty else { break }
            read += page.count
            guard read <= DayLimits.maximumEvents else { throw .tooManyEvents }
            for event in page {
                if let end, event.sequence > end { break reading }
                do throws(JournalError) { try await payments.add(event, to: &span.figures) } catch {
                    throw .journal(error)
                }
                span.last = event.sequence
            }
            guard span.figures.unreadable.count <= DayLimits.maximumUnreadable else { throw .tooManyUnreadable }
        }
        let reached = span
        known.withLock { known in
            if known[account] == nil, known.count >= DayLimits.maximumKnown { known = [:] }
            known[account] = reached
        }
        return (span.figures, end ?? span.last)
    }
}

/// The states of payments while events are read, in two generations: a payment that is not used within the lifetime of
/// the younger one is read again.
struct DayPayments {
    private let store: any Journal
    private var young: [PaymentID: DayPayment] = [:]
    private var old: [PaymentID: DayPayment] = [:]

    init(_ store: any Journal) { self.store = store }

    /// Adds what an event moved.
    mutating func add(_ reading: EventReading, to figures: inout DayFigures) async throws(JournalError) {
        guard case .event(let event) = reading, !figures.unreadable.contains(event.payment) else {
            figures.unreadable.insert(reading.payment)
            return
        }
        do throws(JournalError) {
            guard var payment = try await payment(before: event) else { return }
            for (line, sums) in payment.apply(event.record) { figures.add(sums, to: line) }
            if payment.isBroken { figures.unreadable.insert(event.payment) }
            keep(payment, of: event.payment)
        } catch {
            guard case .corrupted = error else { throw error }
            figures.unreadable.insert(event.payment)
        }
    }

    /// Returns the payment's state before the event; `nil` for the event that creates it.
    private mutating func payment(before event: StoredEvent) async throws(JournalError) -> DayPayment? {
        if case .created(let creation) = event.record.event {
            keep(DayPayment(creation, at: event.record.at), of: event.payment)
            return nil
        }
        if let known = young[event.payment] ?? old[event.payment] { return known }
        let events = try await store.events(of: event.payment)
        guard let first = events.first, case .created(let creation) = first.record.event else {
            throw .corrupted("the first event of \(event.payment) does not create it")
        }
        var payment = DayPayment(creation, at: first.record.at)
        for earlier in events.dropFirst() where earlier.version < event.version { _ = payment.apply(earlier.record) }
        return payment
    }

    private mutating func keep(_ payment: DayPayment, of id: PaymentID) {
        if young.count >= DayLimits.maximumFoldedPayments / 2 {
            old = young
            young = [:]
        }
        young[id] = payment
    }
}

/// One payment, and the money that it has moved so far.
struct DayPayment {
    private var payment: Payment
    private var sums: [DayFigures.Line: DaySums] = [:]
    /// The captures and refunds that have succeeded, each counted once, whatever becomes of it.
    private var captures: Set<CaptureID> = []
    private var refunds: Set<RefundID> = []

    init(_ creation: PaymentEvent.Creation, at: Timestamp) { payment = Payment(creation, at: at) }

    /// `true` if an event contradicts those before it.
    var isBroken: Bool { payment.broken != nil }

    /// Applies the payment's next event.
    /// - Returns: the change that it makes in each line.
    mutating func apply(_ record: RecordedEvent) -> [(DayFigures.Line, DaySums)] {
        payment.evolve(record)
        guard !payment.captures.isEmpty || !payment.refunds.isEmpty || !payment.disputes.isEmpty else { return [] }
        captures.formUnion(payment.captures.lazy.filter { $0.state.isSucceeded }.map(\.id))
        refunds.formUnion(payment.refunds.lazy.filter { $0.state.isSucceeded }.map(\.id))
        let after = found()
        guard after != sums else { return [] }
        let before = sums
        sums = after
        return Set(after.keys).union(before.keys).map { line in
            let (old, new) = (before[line] ?? DaySums(), after[line] ?? DaySums())
            return (
                line,
                DaySums(
                    count: max(0, new.count - old.count), captured: new.captured.limitedDifference(old.captured),
                    refundCount: max(0, new.refundCount - old.refundCount),
                    refunded: new.refunded.limitedDifference(old.refunded), tips: new.tips.limitedDifference(old.tips),
                    disputed: new.disputed.limitedDifference(old.disputed))
            )
        }
    }

    /// Returns the money that the payment has moved by now.
    private func found() -> [DayFigures.Line: DaySums] {
        var sums: [DayFigures.Line: DaySums] = [:]
        func add(_ added: DaySums, of attempt: Attempt?, _ origin: OperationOrigin, in currency: Currency) {
            let line = DayPayment.line(of: attempt, origin, currency)
            sums[line] = (sums[line] ?? DaySums()) + added
        }
        for capture in payment.captures where captures.contains(capture.id) {
            let attempt = payment.attempts.last { $0.id == capture.attempt }
            let added = DaySums(count: 1, captured: capture.state.isSucceeded ? capture.amount.minorUnits : 0)
            add(added, of: attempt, capture.origin, in: payment.currency)
        }
        for refund in payment.refunds where refunds.contains(refund.id) {
            let attempt = payment.attempts.last { $0.id == refund.attempt }
            let added = DaySums(refundCount: 1, refunded: refund.state.isSucceeded ? refund.amount.minorUnits : 0)
            add(added, of: attempt, refund.origin, in: payment.currency)
        }
        for dispute in payment.disputes where !dispute.withdrawn.isZero {
            let attempt = payment.attempts.last { $0.id == dispute.attempt }
            add(DaySums(disputed: dispute.withdrawn.minorUnits), of: attempt, .till, in: dispute.withdrawn.currency)
        }
        for attempt in payment.attempts {
            let taken = payment.captures.lazy
                .filter { $0.attempt == attempt.id && $0.state.isSucceeded && $0.origin != .elsewhere }
                .reduce(into: Int64(0)) { $0 = $0.limitedSum($1.amount.minorUnits) }
            let back = payment.refunds.lazy
                .filter { $0.attempt == attempt.id && $0.state.isSucceeded && $0.origin != .elsewhere }
                .reduce(into: Int64(0)) { $0 = $0.limitedSum($1.amount.minorUnits) }
            let tips = DayPayment.tips(of: attempt, taken: taken, back: back)
            if tips > 0 { add(DaySums(tips: tips), of: attempt, .till, in: payment.currency) }
        }
        return sums
    }

    /// Returns the tip in what was captured and not given back, as the ledger has it: the order counts as paid first
    /// and refunded first.
    private static func tips(of attempt: Attempt, taken: Int64, back: Int64) -> Int64 {
        guard let tip = attempt.authorization?.tip, tip.isPositive, let base = attempt.approved else { return 0 }
        let tips = max(0, min(tip.minorUnits, taken.limitedDifference(base.minorUnits)))
        let returned = max(0, back.limitedDifference(taken.limitedDifference(tips)))
        return tips.limitedDifference(min(tips, returned))
    }

    /// Returns the line of money. What moved outside the provider is no cash of the drawer's, as far as is known.
    private static func line(
        of attempt: Attempt?, _ origin: OperationOrigin, _ currency: Currency
    ) -> DayFigures.Line {
        guard let attempt else {
            return DayFigures.Line(currency: currency, tender: DayFigures.other, provider: DayFigures.other)
        }
        let tender = origin == .elsewhere ? DayFigures.elsewhere : attempt.tender.kind.rawValue
        return DayFigures.Line(currency: currency, tender: tender, provider: attempt.provider.rawValue)
    }
}
