import TillCore

/// One payment, and the money that it has moved so far.
struct DayPayment {
    /// Money in all its divisions.
    private struct Moved: Hashable {
        var lines: [DayFigures.Line: DaySums] = [:]
        var parts = DayParts()
    }

    private var payment: Payment
    private var moved = Moved()
    /// The captures and refunds that have succeeded, each counted once, whatever becomes of it.
    private var captures: Set<CaptureID> = []
    private var refunds: Set<RefundID> = []
    /// The capture that succeeded first: the discount counts in its line, and in its rows, for good.
    private var discounted: CaptureID?
    /// Whoever made the payment, and each of its refunds.
    private let seller: DayRow
    private var refunders: [RefundID: DayRow] = [:]
    private let shop: DayRow
    private let taxes: DayTaxes?

    /// - Parameter by: the attribution of the event that creates it.
    init(_ creation: PaymentEvent.Creation, at: Timestamp, by: Attribution?) {
        payment = Payment(creation, at: at)
        seller = DayRow.person(by)
        shop = DayRow.shop(creation.order.id)
        taxes = DayTaxes(creation.order)
    }

    /// `true` if an event contradicts those before it.
    var isBroken: Bool { payment.broken != nil }

    /// Applies the payment's next event.
    /// - Returns: the change that it makes in each line, and in each row of a table.
    mutating func apply(
        _ record: RecordedEvent
    ) -> (lines: [(DayFigures.Line, DaySums)], parts: [DayParts.Change]) {
        payment.evolve(record)
        if case .refundStarted(let refund, _, _, _) = record.event { refunders[refund] = DayRow.person(record.by) }
        if case .refundReported(let refund, _, _, _) = record.event { refunders[refund] = DayRow.person(record.by) }
        guard !payment.captures.isEmpty || !payment.refunds.isEmpty || !payment.disputes.isEmpty else {
            return ([], [])
        }
        captures.formUnion(payment.captures.lazy.filter { $0.state.isSucceeded }.map(\.id))
        refunds.formUnion(payment.refunds.lazy.filter { $0.state.isSucceeded }.map(\.id))
        if payment.discount != nil, discounted == nil {
            discounted = payment.captures.first { $0.state.isSucceeded }?.id
        }
        let after = found()
        guard after != moved else { return ([], []) }
        let before = moved
        moved = after
        let lines = Set(after.lines.keys).union(before.lines.keys).map { line in
            var change = (after.lines[line] ?? DaySums()) - (before.lines[line] ?? DaySums())
            (change.count, change.refundCount) = (max(0, change.count), max(0, change.refundCount))
            change.discountCount = max(0, change.discountCount)
            return (line, change)
        }
        return (lines, after.parts.changes(since: before.parts))
    }

    /// Returns the money that the payment has moved by now.
    private func found() -> Moved {
        var moved = Moved()
        func add(
            _ added: DaySums, of attempt: Attempt?, _ origin: OperationOrigin, in currency: Currency,
            by person: DayRow, from drawer: DrawerName? = nil
        ) {
            let line = DayPayment.line(of: attempt, origin, currency, drawer ?? attempt?.drawer)
            moved.lines[line] = (moved.lines[line] ?? DaySums()) + added
            moved.parts.add(added, to: DayRow.network(of: attempt, origin), of: .network, in: currency)
            moved.parts.add(added, to: person, of: .staff, in: currency)
            moved.parts.add(added, to: shop, of: .shop, in: currency)
        }
        var (captured, refunded): (Int64, Int64) = (0, 0)
        for capture in payment.captures where captures.contains(capture.id) {
            let attempt = payment.attempts.last { $0.id == capture.attempt }
            let units = capture.state.isSucceeded ? capture.amount.minorUnits : 0
            captured = captured.limitedSum(units)
            add(DaySums(count: 1, captured: units), of: attempt, capture.origin, in: payment.currency, by: seller)
        }
        for refund in payment.refunds where refunds.contains(refund.id) {
            let attempt = payment.attempts.last { $0.id == refund.attempt }
            let units = refund.state.isSucceeded ? refund.amount.minorUnits : 0
            refunded = refunded.limitedSum(units)
            let added = DaySums(refundCount: 1, refunded: units)
            let person = refunders[refund.id] ?? .notKnown
            // Cash comes out of the drawer that hands it out, which need not be that of the sale.
            add(added, of: attempt, refund.origin, in: payment.currency, by: person, from: refund.drawer)
            moved.parts.add(added, to: DayRow.named(refund.reason ?? ""), of: .refund, in: payment.currency)
        }
        for dispute in payment.disputes where !dispute.withdrawn.isZero {
            let attempt = payment.attempts.last { $0.id == dispute.attempt }
            let (added, currency) = (DaySums(disputed: dispute.withdrawn.minorUnits), dispute.withdrawn.currency)
            add(added, of: attempt, .till, in: currency, by: seller)
            // Which part of the price it is, nobody says.
            moved.parts.add(added, to: .notKnown, of: .tax, in: currency)
        }
        var tips = Tips()
        for attempt in payment.attempts {
            let taken = payment.captures.lazy
                .filter { $0.attempt == attempt.id && $0.state.isSucceeded && $0.origin != .elsewhere }
                .reduce(into: Int64(0)) { $0 = $0.limitedSum($1.amount.minorUnits) }
            let back = payment.refunds.lazy
                .filter { $0.attempt == attempt.id && $0.state.isSucceeded && $0.origin != .elsewhere }
                .reduce(into: Int64(0)) { $0 = $0.limitedSum($1.amount.minorUnits) }
            let its = DayPayment.tips(of: attempt, taken: taken, back: back)
            tips.taken = tips.taken.limitedSum(its.taken)
            tips.returned = tips.returned.limitedSum(its.returned)
            if its.left > 0 { add(DaySums(tips: its.left), of: attempt, .till, in: payment.currency, by: seller) }
        }
        if let discount = payment.discount, let first = payment.captures.first(where: { $0.id == discounted }) {
            // Once for the payment, whatever part of it was captured.
            let isTaken = payment.captures.contains { $0.state.isSucceeded }
            let attempt = payment.attempts.last { $0.id == first.attempt }
            let added = DaySums(discountCount: 1, discounts: isTaken ? discount.amount.minorUnits : 0)
            add(added, of: attempt, first.origin, in: payment.currency, by: seller)
            // Which taxes it would have had, nobody says.
            moved.parts.add(DayTable.tax.whole(added), to: .notKnown, of: .tax, in: payment.currency)
        }
        let sums = DaySums(captured: tips.taken, refunded: tips.returned, tips: tips.left)
        moved.parts.add(sums, to: .tips, of: .tax, in: payment.currency)
        for (row, units) in divided(captured.limitedDifference(tips.taken)) {
            moved.parts.add(DaySums(captured: units), to: row, of: .tax, in: payment.currency)
        }
        for (row, units) in divided(refunded.limitedDifference(tips.returned)) {
            moved.parts.add(DaySums(refunded: units), to: row, of: .tax, in: payment.currency)
        }
        return moved
    }

    /// Divides money that is no tip by the taxes of the order.
    private func divided(_ units: Int64) -> [(DayRow, Int64)] { taxes?.divided(units) ?? [(.notKnown, units)] }

    /// The tips of captures.
    private struct Tips {
        var taken: Int64 = 0
        var returned: Int64 = 0
        var left: Int64 { taken.limitedDifference(returned) }
    }

    /// Returns the tip in what was captured and in what was given back, as the ledger has it: the order counts as paid
    /// first and refunded first.
    private static func tips(of attempt: Attempt, taken: Int64, back: Int64) -> Tips {
        let tips = attempt.tip(in: taken)
        let returned = max(0, back.limitedDifference(taken.limitedDifference(tips)))
        return Tips(taken: tips, returned: min(tips, returned))
    }

    /// Returns the line of money. What moved outside the provider is no cash of the drawer's, as far as is known.
    private static func line(
        of attempt: Attempt?, _ origin: OperationOrigin, _ currency: Currency, _ drawer: DrawerName?
    ) -> DayFigures.Line {
        guard let attempt else {
            return DayFigures.Line(currency: currency, tender: DayFigures.other, provider: DayFigures.other)
        }
        let tender = origin == .elsewhere ? DayFigures.elsewhere : attempt.tender.kind.rawValue
        let isElsewhere = tender != TenderKind.cash.rawValue || drawer == .main
        return DayFigures.Line(
            currency: currency, tender: tender, provider: attempt.provider.rawValue, drawer: isElsewhere ? nil : drawer)
    }
}
