package import TillCore

/// Verifies one payment at a time, so that memory use is bounded for a journal of any size.
package struct VerificationPass {
    /// The data stored beside the events of a payment.
    package struct Projection {
        package var row: PaymentRow
        package var isLive: Bool
        /// The due time in the outbox, if there is a row with one.
        package var due: Timestamp?

        package init(row: PaymentRow, isLive: Bool, due: Timestamp?) {
            (self.row, self.isLive, self.due) = (row, isLive, due)
        }
    }

    package private(set) var report = VerificationReport()
    private var balances: [Currency: VerificationReport.Balance] = [:]

    package init() {}

    package mutating func problem(_ text: String) {
        if report.problems.count < VerificationReport.maximumProblems { report.problems.append(text) }
    }

    /// Reports an entry dated by a clock that was ahead.
    package mutating func misdated(_ text: String) {
        let before = report.problems.count
        problem(text)
        report.misdated += report.problems.count - before
    }

    /// Verifies one payment: all its events, oldest first, and the data stored beside them.
    package mutating func check(_ id: PaymentID, events: [StoredEvent], projection: Projection?) {
        report.payments += 1
        report.events += events.count
        for (index, event) in events.enumerated() where event.version != index + 1 {
            problem("\(id): version \(index + 1) is missing")
            break
        }
        if events.contains(where: { $0.account != events.first?.account }) {
            problem("\(id): its events belong to several accounts")
        }
        if !zip(events, events.dropFirst()).allSatisfy({ $0.sequence < $1.sequence }) {
            problem("\(id): its events are not in the order of the journal")
        }
        guard let payment = Payment(folding: events.lazy.map(\.record)), payment.id == id else {
            problem("\(id): it does not begin with its creation")
            return
        }
        if let broken = payment.broken {
            problem("\(id): \(broken)")
            return
        }
        check(projection, of: payment)
        count(payment)
    }

    /// Returns the complete report; the storage counts `orders` and walks the chains.
    package func finished(orders: Int, chain: ChainPass? = nil, audit: AuditPass? = nil) -> VerificationReport {
        var report = report
        report.journal = chain?.journal
        report.head = chain?.head
        report.auditEntries = audit?.entries ?? 0
        report.auditHead = audit?.head
        report.orders = orders
        report.balances = balances.values.sorted { $0.currency.code < $1.currency.code }
        return report
    }

    private mutating func check(_ projection: Projection?, of payment: Payment) {
        let id = payment.id
        guard let projection else {
            problem("\(id): it has events and no row")
            return
        }
        if projection.row != PaymentRow(payment) { problem("\(id): its row is not the fold of its events") }
        if projection.isLive != payment.isLive { problem("\(id): its row says otherwise whether it is live") }
        switch (payment.nextDue, projection.due) {
        case (nil, nil): break
        // A webhook makes it earlier; nothing makes it later.
        case (let planned?, let due?) where due <= planned: break
        case (let planned?, let due?):
            problem("\(id): something is to be done at \(planned), and the outbox says \(due)")
        case (_?, nil): problem("\(id): something is left to be done, and it is not in the outbox")
        case (nil, _?): problem("\(id): nothing is left to be done, and it is in the outbox")
        }
    }

    private mutating func count(_ payment: Payment) {
        let currency = payment.currency
        var balance =
            balances[currency] ?? VerificationReport.Balance(currency: currency, captured: 0, refunded: 0)
        let (captured, first) = balance.captured.addingReportingOverflow(payment.captured.minorUnits)
        let (refunded, second) = balance.refunded.addingReportingOverflow(payment.refunded.minorUnits)
        if first || second { problem("\(payment.id): the sums in \(currency) cannot be counted any more") }
        balance.captured = captured
        balance.refunded = refunded
        balances[currency] = balance
    }
}
