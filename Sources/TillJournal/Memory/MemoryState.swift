import TillCore

/// The tables of the in-memory journal.
struct MemoryState: Sendable {
    struct Place: Hashable, Sendable {
        var account: AccountID
        var order: OrderID
    }

    struct OutboxEntry: Sendable {
        var due: Timestamp?
        var owner: Int64?
    }

    struct WebhookName: Hashable, Sendable {
        var provider: ProviderName
        var id: String
    }

    var events: [StoredEvent] = []
    /// The indexes of each payment's events in `events`.
    var places: [PaymentID: [Int]] = [:]
    private(set) var rows: [PaymentID: (row: PaymentRow, isLive: Bool)] = [:]
    /// The keys of ``rows``, ascending. Identifiers begin with their time, so a new one is usually the last.
    private var identifiers: [PaymentID] = []
    var live: [Place: PaymentID] = [:]
    /// Payments that became live again while another one had their order.
    var returned: [Place: Set<PaymentID>] = [:]
    var outbox: [PaymentID: OutboxEntry] = [:]
    var idempotency: [IdempotencyScope: (record: IdempotencyRecord, owner: Int64?)] = [:]
    var webhooks: Set<WebhookName> = []
    var records = MemoryRecords()
    var audit = MemoryAudit()
    var lastOwner: Int64 = 0
    var living: Set<Int64> = []
    /// Processes that have not ended although their lease has expired.
    var fenced: Set<Int64> = []

    /// Payments as last read: the next read folds only newer events.
    private var folded: [PaymentID: Payment] = [:]

    /// Returns a payment as the fold of its events; `nil` if there is none.
    mutating func payment(_ id: PaymentID) -> Result<Payment?, JournalError> {
        guard let places = places[id], let first = places.first else { return .success(nil) }
        guard var payment = folded[id] ?? Payment(folding: [events[first].record]) else {
            return .failure(Payment.withoutCreation(id))
        }
        if payment.version < places.count {
            for place in places[payment.version...] { payment.evolve(events[place].record) }
            folded[id] = payment
        }
        do throws(JournalError) { return .success(try payment.sound()) } catch { return .failure(error) }
    }

    func events(of payment: PaymentID) -> [StoredEvent] { (places[payment] ?? []).map { events[$0] } }

    /// `true` if the payment has the origin that the filter asks for.
    func isOf(_ filter: PaymentFilter, _ payment: PaymentID) -> Bool {
        guard filter.seller != nil || filter.shop != nil else { return true }
        guard let place = places[payment]?.first else { return false }
        let first = events[place].record
        return (filter.seller.map { $0 == first.seller } ?? true) && (filter.shop.map { $0 == first.shop } ?? true)
    }

    func record(_ scope: IdempotencyScope) -> IdempotencyRecord? {
        guard let entry = idempotency[scope] else { return nil }
        var record = entry.record
        record.isHeldByLivingProcess = !record.isFinished && entry.owner.map { living.contains($0) } ?? false
        return record
    }

    mutating func apply(
        _ write: PreparedWrite, owner: Int64, clock: any TillClock
    ) -> Result<[StoredEvent], JournalError> {
        if let record = write.idempotency, write.mustBeFirst(record),
            let existing = self.record(record.scope), !existing.isExpired(by: clock), existing.refuses(record)
        {
            return .failure(.idempotencyExists(existing))
        }
        let webhook = write.webhook.map { WebhookName(provider: $0.provider, id: $0.id) }
        if let webhook, webhooks.contains(webhook) { return .failure(.webhookSeen) }
        if let append = write.append, let refusal = refusal(of: append) { return .failure(refusal) }
        if let refusal = records.refusal(of: write.records) { return .failure(refusal) }
        var stored: [StoredEvent] = []
        if let append = write.append { stored = insert(append, owner: owner) }
        if var record = write.idempotency {
            record.isHeldByLivingProcess = false
            idempotency[record.scope] = (record, record.isFinished ? nil : owner)
        }
        if let webhook { webhooks.insert(webhook) }
        if let (payment, moment) = write.wake, let due = outbox[payment]?.due, due > moment {
            outbox[payment]?.due = moment
        }
        records.apply(write.records, owner: owner, now: clock.now(), forgets: clock.standing.isTrusted)
        audit.append(write.audit, at: clock.now(), forgets: clock.standing.isTrusted)
        return .success(stored)
    }

    private func refusal(of append: PreparedWrite.Append) -> JournalError? {
        let current = rows[append.row.id]
        guard (current?.row.version ?? 0) == append.expectedVersion else {
            return .versionConflict(payment: append.row.id, current: current?.row.version ?? 0)
        }
        // Events of an existing payment are always written, even if its order has another payment meanwhile.
        guard append.isLive, append.expectedVersion == 0 else { return nil }
        return occupant(of: Place(account: append.row.account, order: append.row.order)).map { .orderOccupied(by: $0) }
    }

    /// Returns the payment that has the order; otherwise one that became live again while another one had it.
    func occupant(of place: Place) -> PaymentID? { live[place] ?? returned[place]?.min { $0.rawValue < $1.rawValue } }

    /// Returns the identifiers of older payments, oldest first; all of them for `nil`.
    func identifiers(before id: PaymentID?) -> ArraySlice<PaymentID> {
        identifiers[..<(id.map(position(of:)) ?? identifiers.count)]
    }

    /// Returns the index of an identifier, or its insertion point, by binary search.
    private func position(of id: PaymentID) -> Int {
        var (low, high) = (0, identifiers.count)
        if let last = identifiers.last, last.rawValue < id.rawValue { return high }
        while low < high {
            let middle = (low + high) / 2
            if identifiers[middle].rawValue < id.rawValue { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func insert(_ append: PreparedWrite.Append, owner: Int64) -> [StoredEvent] {
        let row = append.row
        var stored: [StoredEvent] = []
        for (offset, record) in append.events.enumerated() {
            let event = StoredEvent(
                sequence: Int64(events.count) + 1, payment: row.id, account: row.account,
                version: append.expectedVersion + offset + 1, record: record)
            places[row.id, default: []].append(events.count)
            events.append(event)
            stored.append(event)
        }
        let place = Place(account: row.account, order: row.order)
        let isReturned = returned[place]?.contains(row.id) ?? false
        if !append.isLive {
            if live[place] == row.id { live[place] = nil }
            if isReturned { returned[place]?.remove(row.id) }
        } else if live[place] == nil, !isReturned {
            live[place] = row.id
        } else if live[place] != row.id {
            returned[place, default: []].insert(row.id)
        }
        if rows.updateValue((row, append.isLive), forKey: row.id) == nil {
            identifiers.insert(row.id, at: position(of: row.id))
        }
        if append.isPending {
            let holder: Int64? =
                switch append.holder {
                case .nobody: nil
                case .thisProcess: owner
                case .unchanged: outbox[row.id]?.owner
                }
            outbox[row.id] = OutboxEntry(due: append.nextDue, owner: holder)
        } else {
            outbox[row.id] = nil
        }
        return stored
    }

    func verify() -> VerificationReport {
        var pass = VerificationPass()
        var liveCount: [Place: Int] = [:]
        var paidCount: [Place: Int] = [:]
        for id in places.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let projection = rows[id].map {
                VerificationPass.Projection(row: $0.row, isLive: $0.isLive, due: outbox[id]?.due)
            }
            pass.check(id, events: events(of: id), projection: projection)
            guard let (row, isLive) = rows[id] else { continue }
            let place = Place(account: row.account, order: row.order)
            liveCount[place, default: 0] += isLive && returned[place]?.contains(id) != true ? 1 : 0
            // A payment that became live again on a resold order needs staff; it is not an error of the journal.
            if returned[place]?.contains(id) == true { continue }
            paidCount[place, default: 0] += row.captured.minorUnits > row.refunded.minorUnits ? 1 : 0
        }
        for (place, count) in liveCount where count > 1 {
            pass.problem("\(place.order) is an order with several live payments")
        }
        for (place, count) in paidCount where count > 1 {
            pass.problem("\(place.order) is an order that was paid more than once")
        }
        let log = audit.walk(known: nil)
        for problem in log.problems { pass.problem(problem) }
        return pass.finished(orders: liveCount.count, audit: log)
    }
}
