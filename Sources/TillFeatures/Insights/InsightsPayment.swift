import TillCore

/// A capture or a refund that succeeded.
struct MovedMoney: Hashable {
    enum Kind: Hashable {
        case capture, refund
    }

    var kind: Kind
    /// The identifier of the capture or refund, unique in its payment.
    var id: String
    var units: Int64
    /// The tender's kind, or `elsewhere`; `other` for an attempt that is not known.
    var tender: String
    /// The reason of a refund; empty if none was given.
    var reason = ""

    /// Returns the sums of the money that came, or went back.
    func sums(isFirst: Bool) -> InsightsSums {
        var sums = InsightsSums()
        switch kind {
        case .capture: (sums.captures, sums.captured) = (isFirst ? 1 : 0, units)
        case .refund: (sums.refunds, sums.refunded) = (isFirst ? 1 : 0, units)
        }
        return sums
    }

    /// Returns the sums that take the money out again; the number of captures and refunds stays.
    var reversed: InsightsSums {
        var sums = InsightsSums()
        switch kind {
        case .capture: sums.captured = Int64(0).clampedDifference(units)
        case .refund: sums.refunded = Int64(0).clampedDifference(units)
        }
        return sums
    }
}

/// A payment while its events are read.
///
/// What it has moved follows from its state alone, and an event counts at its own time with the change that it makes.
/// The figures of adjoining ranges therefore add up to those of the whole, also where a capture or a refund fails
/// later.
struct InsightsPayment {
    /// A change of what was moved.
    struct Change {
        var at: Timestamp
        var money: MovedMoney
        var sums: InsightsSums
    }

    private(set) var payment: Payment
    private var moved: Set<MovedMoney> = []
    /// The captures and refunds that were counted, so that each is counted once.
    private var counted: Set<String> = []

    init(_ creation: PaymentEvent.Creation, at: Timestamp) { payment = Payment(creation, at: at) }

    /// Applies the payment's next event.
    /// - Returns: what it changes.
    mutating func apply(_ record: RecordedEvent) -> [Change] {
        payment.evolve(record)
        guard !payment.captures.isEmpty || !payment.refunds.isEmpty else { return [] }
        let after = InsightsPayment.moved(of: payment)
        guard after != moved else { return [] }
        var changes = moved.subtracting(after).map { Change(at: record.at, money: $0, sums: $0.reversed) }
        for money in after.subtracting(moved) {
            let isFirst = counted.insert(money.id).inserted
            changes.append(Change(at: record.at, money: money, sums: money.sums(isFirst: isFirst)))
        }
        moved = after
        return changes
    }

    private static func moved(of payment: Payment) -> Set<MovedMoney> {
        var moved: Set<MovedMoney> = []
        for capture in payment.captures where capture.state.isSucceeded {
            moved.insert(
                MovedMoney(
                    kind: .capture, id: "capture \(capture.id)", units: capture.amount.minorUnits,
                    tender: tender(of: capture.attempt, capture.origin, in: payment)))
        }
        for refund in payment.refunds where refund.state.isSucceeded {
            moved.insert(
                MovedMoney(
                    kind: .refund, id: "refund \(refund.id)", units: refund.amount.minorUnits,
                    tender: tender(of: refund.attempt, refund.origin, in: payment), reason: refund.reason ?? ""))
        }
        return moved
    }

    private static func tender(of id: AttemptID, _ origin: OperationOrigin, in payment: Payment) -> String {
        guard let attempt = payment.attempts.last(where: { $0.id == id }) else { return CurrencyInsights.other }
        return origin == .elsewhere ? CurrencyInsights.elsewhere : attempt.tender.kind.rawValue
    }
}
