import Synchronization
package import TillCore
package import TillJournal

/// A journal with a planted fault.
package final class PlantedJournal: Journal, RecordStore {
    let base: any Journal
    let plant: PlantedFault
    let shadow: MemoryJournal
    private let withheld = Mutex<[PaymentID: JournalWrite.Append]>([:])

    package init(base: any Journal, plant: PlantedFault, shadow: MemoryJournal) {
        self.base = base
        self.plant = plant
        self.shadow = shadow
    }

    package func write(_ write: JournalWrite) async throws(JournalError) {
        switch plant {
        case .ignoresExpectedVersion: try await force(write)
        case .severalLivePerOrder:
            if let id = write.append?.payment.id, try await shadow.payment(id) != nil {
                return try await shadow.write(write)
            }
            do {
                try await base.write(write)
            } catch .orderOccupied {
                try await shadow.write(write)
            }
        case .attemptNotDurableBeforeCall: try await withhold(write, with: "attempt.started")
        case .renewalNotDurableBeforeCall: try await withhold(write, with: "renewal.started")
        case .incidentHoldsNothing:
            var free = write
            free.records.removeAll {
                if case .insert(let record) = $0 { return record.id.collection == OrderHold.collection }
                if case .update(let record, _) = $0 { return record.id.collection == OrderHold.collection }
                return false
            }
            try await base.write(free)
        default: try await base.write(write)
        }
    }

    private func force(_ write: JournalWrite) async throws(JournalError) {
        do {
            try await base.write(write)
        } catch .versionConflict {
            guard let append = write.append, var payment = try await base.payment(append.payment.id) else {
                throw .closed
            }
            var forced = write
            let version = payment.version
            for record in append.events { payment.evolve(record) }
            forced.append = JournalWrite.Append(
                payment: payment, expectedVersion: version, events: append.events, nextDue: payment.nextDue,
                holder: append.holder)
            try await base.write(forced)
        }
    }

    /// Withholds a write with this event until the one that follows it.
    private func withhold(_ write: JournalWrite, with event: String) async throws(JournalError) {
        guard var append = write.append else { return try await base.write(write) }
        let id = append.payment.id
        if let before = withheld.withLock({ $0.removeValue(forKey: id) }) {
            append.events = before.events + append.events
            append.expectedVersion = before.expectedVersion
        } else if append.events.contains(where: { $0.event.name == event }) {
            let kept = append
            withheld.withLock { $0[id] = kept }
            return
        }
        var whole = write
        whole.append = append
        try await base.write(whole)
    }

    package func holdsLease() async -> Bool { await base.holdsLease() }
    package func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        if let kept = withheld.withLock({ $0[id] }) { return kept.payment }
        if let payment = try await base.payment(id) { return payment }
        return plant == .severalLivePerOrder ? try await shadow.payment(id) : nil
    }
    package func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment? {
        try await base.livePayment(account: account, order: order)
    }
    package func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow] {
        try await base.payments(filter)
    }
    package func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        try await base.events(of: payment)
    }
    package func events(after sequence: Int64, account: AccountID?, limit: Int) async throws(JournalError)
        -> [StoredEvent]
    {
        try await base.events(after: sequence, account: account, limit: limit)
    }
    package func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment] {
        let due = try await base.due(at: moment, after: place, limit: limit)
        guard plant == .severalLivePerOrder else { return due }
        let both = due + (try await shadow.due(at: moment, after: place, limit: limit))
        return Array(both.sorted { $0.place < $1.place }.prefix(limit))
    }
    package func claim(
        _ payments: [PaymentID], at moment: Timestamp
    ) async throws(JournalError) -> Set<PaymentID> {
        let claimed = try await base.claim(payments, at: moment)
        guard plant == .severalLivePerOrder else { return claimed }
        return claimed.union(try await shadow.claim(payments, at: moment))
    }
    package func release(_ payment: PaymentID) async throws(JournalError) {
        try await base.release(payment)
        if plant == .severalLivePerOrder { try await shadow.release(payment) }
    }
    package func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        try await base.idempotency(scope)
    }
    package func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? {
        try await (base as? any RecordStore)?.record(id)
    }
    package func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
        try await (base as? any RecordStore)?.records(query) ?? []
    }
    package func count(
        _ collection: RecordCollection, matching match: RecordMatch?
    ) async throws(JournalError) -> Int {
        try await (base as? any RecordStore)?.count(collection, matching: match) ?? 0
    }
    package func newestMoment() async throws(JournalError) -> Timestamp? { try await base.newestMoment() }
    package func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace] {
        try await base.planned(after: place, limit: limit)
    }
}
