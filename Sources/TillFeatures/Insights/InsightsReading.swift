package import TillCore
package import TillJournal

/// What was read of an account's payments for a span of days.
package struct InsightsReading: Sendable {
    /// The limit that ended the reading.
    package enum Stop: String, Hashable, Sendable {
        case rows
        case payments
        case events
        /// The request was given up, or the counter ends.
        case canceled
    }

    package var currencies: [Currency: CurrencyInsights] = [:]
    package var attempts = AttemptInsights()
    package var attemptsBefore = AttemptInsights()
    package var declines: [DeclineInsight: Int64] = [:]
    package var disputes: Set<DisputeInsight> = []
    /// The number of payments that cannot be read, wholly or from an event on, and the first of them. Their money is in
    /// no sum.
    package private(set) var unreadable = 0
    package private(set) var unreadableNamed: [PaymentID] = []
    package var rows = 0
    package var payments = 0
    package var events = 0
    /// `nil` if everything was read.
    package var stop: Stop?
    /// The creation time of the oldest payment that was examined, if a limit ended the reading: what older payments
    /// moved is in no sum.
    package var backTo: Timestamp?

    package init() {}

    mutating func addUnreadable(_ id: PaymentID) {
        unreadable += 1
        if unreadableNamed.count < InsightsLimits.maximumNamed { unreadableNamed.append(id) }
    }

    mutating func decline(_ decline: DeclineInsight) {
        let isOther = declines[decline] == nil && declines.count >= InsightsLimits.maximumReasons
        declines[isOther ? .other : decline, default: 0] += 1
    }

    /// Adds a payment's changes and attempts.
    mutating func add(_ payment: Payment, _ changes: [InsightsPayment.Change], in span: InsightsSpan) {
        var sides: Set<InsightsSpan.Side> = []
        for change in changes {
            guard let place = span.place(of: change.at) else { continue }
            currencies[payment.currency, default: CurrencyInsights()].add(change.sums, of: change.money, at: place)
            if change.sums.captures > 0 { sides.insert(place.side) }
        }
        for side in sides { currencies[payment.currency, default: CurrencyInsights()].count(side) }
        for attempt in payment.attempts where attempt.tender.kind != .cash {
            guard let place = span.place(of: attempt.startedAt) else { continue }
            let outcome = AttemptInsights.Outcome(attempt)
            guard place.side == .now else {
                attemptsBefore.add(outcome)
                continue
            }
            attempts.add(outcome)
            if case .declined(let reason) = outcome { decline(reason) }
        }
        disputes.formUnion(DisputeInsight.all(of: payment))
    }
}

/// Reads an account's payments, newest first. A payment counts if it was changed since the beginning of the range
/// before, whenever it was created: a refund belongs to the day on which it was made.
package struct InsightsReader: Sendable {
    private let store: any Journal
    private let limits: InsightsLimits.Reading

    package init(_ store: any Journal, limits: InsightsLimits.Reading = .init()) {
        (self.store, self.limits) = (store, limits)
    }

    /// Returns what the account's payments moved in the range and in the one before.
    package func read(
        _ account: AccountID, in span: InsightsSpan
    ) async throws(JournalError) -> InsightsReading {
        var reading = InsightsReading()
        let (oldest, end) = (span.beforeStart, span.end)
        // Nothing that was created later can have moved money before the end.
        var place = PaymentID.make(at: end.adding(InsightsLimits.slack), random: (0, 0))
        while true {
            guard !Task.isCancelled else {
                reading.stop = .canceled
                return reading
            }
            let page = try await store.rowReadings(
                PaymentFilter(account: account, before: place, limit: JournalLimits.maximumPage))
            for row in page {
                if let stop = stop(before: row, reading, since: oldest) {
                    reading.stop = stop
                    return reading
                }
                try await read(row, since: oldest, in: span, &reading)
                (place, reading.rows, reading.backTo) = (row.id, reading.rows + 1, row.createdAt)
            }
            guard page.count == JournalLimits.maximumPage else { break }
        }
        reading.backTo = nil
        return reading
    }

    /// Returns the limit that a further payment would exceed.
    private func stop(
        before row: PaymentRowReading, _ reading: InsightsReading, since oldest: Timestamp
    ) -> InsightsReading.Stop? {
        if reading.rows >= limits.rows { return .rows }
        guard row.updatedAt >= oldest else { return nil }
        if reading.payments >= limits.payments { return .payments }
        return reading.events >= limits.events ? .events : nil
    }

    private func read(
        _ row: PaymentRowReading, since oldest: Timestamp, in span: InsightsSpan, _ reading: inout InsightsReading
    ) async throws(JournalError) {
        // A row that cannot be read may be of a payment whose events can.
        guard row.updatedAt >= oldest else { return }
        reading.payments += 1
        let events: [StoredEvent]
        do throws(JournalError) { events = try await store.events(of: row.id) } catch {
            guard case .corrupted = error else { throw error }
            return reading.addUnreadable(row.id)
        }
        reading.events += events.count
        guard let first = events.first?.record, case .created(let creation) = first.event else {
            return reading.addUnreadable(row.id)
        }
        var payment = InsightsPayment(creation, at: first.at)
        var changes: [InsightsPayment.Change] = []
        for event in events.dropFirst() { changes += payment.apply(event.record) }
        if payment.payment.broken != nil { reading.addUnreadable(row.id) }
        reading.add(payment.payment, changes, in: span)
    }
}

extension PaymentRowReading {
    /// The time of the payment's last event.
    fileprivate var updatedAt: Timestamp {
        switch self {
        case .row(let row): row.updatedAt
        case .unreadable(let row): row.updatedAt
        }
    }
}
