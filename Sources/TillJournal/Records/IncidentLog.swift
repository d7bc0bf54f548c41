public import TillCore

/// Keeps incidents together with the orders that they hold: both are written in one commit, and a resolution frees the
/// order in the commit in which it is written. Any number of processes may use it at once.
public struct IncidentLog: Sendable {
    /// How often a change is decided again because another writer came first.
    public static let maximumConflicts = 16

    private let store: any RecordStore

    public init(_ store: any RecordStore) { self.store = store }

    /// What is to be written so that an incident is kept and its order is held. Empty if it is kept already, resolved
    /// or not. Whoever writes it decides again on a ``JournalError/recordConflict(_:current:)``.
    public func changes(keeping incident: Incident) async throws(JournalError) -> [RecordChange] {
        guard try await store.record(incident.record.id) == nil else { return [] }
        var changes: [RecordChange] = [.insert(incident.record)]
        guard let owner = incident.owner, try await holds(incident) else { return changes }
        let known = try await store.record(OrderHold.id(account: owner.account, order: owner.order))
        var hold =
            try known.map { (kept) throws(JournalError) in try OrderHold(kept) }
            ?? OrderHold(account: owner.account, order: owner.order)
        guard hold.open.count < OrderHold.maximumIncidents else { return changes }
        hold.open.append(incident.id)
        changes.append(.put(hold.record, over: known))
        return changes
    }

    /// Incidents that are read at most when they are listed or counted.
    public static let maximumListed = 10_000

    /// What waits for a person, the oldest first, and how many there are, up to ``maximumListed``.
    /// - Parameters:
    ///   - account: what concerns it; an incident without an order concerns `main`. `nil`: of all.
    ///   - limit: how many of them are returned.
    public func open(
        account: AccountID?, limit: Int = RecordLimits.maximumPage
    ) async throws(JournalError) -> (first: [Incident], count: Int) {
        var (first, count): ([Incident], Int) = ([], 0)
        let open = Records<Incident>(store)
        try await open.forEach(matching: Incident.open, atMost: IncidentLog.maximumListed) { incident in
            guard account == nil || incident.owner?.account ?? .main == account else { return }
            count += 1
            if first.count < limit { first.append(incident) }
        }
        return (first, count)
    }

    /// Keeps an incident once. Durable when it returns.
    /// - Returns: `false` if it was kept before.
    @discardableResult
    public func keep(_ incident: Incident) async throws(JournalError) -> Bool {
        for tries in 1... {
            let changes = try await changes(keeping: incident)
            if changes.isEmpty { return false }
            do throws(JournalError) {
                try await store.change(changes)
                return true
            } catch { guard case .recordConflict = error, tries < IncidentLog.maximumConflicts else { throw error } }
        }
        return false
    }

    /// Keeps a payment that was met and cannot be read, once. Who only reads is answered although this cannot be
    /// written: recovery writes it as well, and so does whoever meets the payment next.
    public func keep(_ unreadable: UnreadablePayment, of provider: ProviderName?, at moment: Timestamp) async {
        let incident = Incident(unreadable: unreadable.id, of: provider, because: unreadable.reason, at: moment)
        do throws(JournalError) { try await keep(incident) } catch { return }
    }

    /// Writes changes of records together with whatever else belongs into the commit; `nil`: the changes alone.
    public typealias Commit = @Sendable ([RecordChange], Incident) async throws(JournalError) -> Void

    /// Writes what a person has found out. Durable when it returns; said again, the last word holds.
    /// - Returns: the incident as it is now; `nil` if there is none of that name.
    public func resolve(
        _ id: String, note: String, outcome: Incident.Outcome?, order: Incident.Owner? = nil
    ) async throws(JournalError) -> Incident? {
        try await resolve(id, IncidentResolution(note: note, outcome: outcome, order: order))?.incident
    }

    /// Writes what a person has found out. Durable when it returns.
    /// - Parameters:
    ///   - isFirstWord: one that was resolved stays as it is. Of any number of people who say it at once, one is heard.
    ///   - commit: writes it with what else belongs into the commit.
    /// - Returns: the incident as it is now, and whether this call has changed it; `nil` if there is none of that name.
    public func resolve(
        _ id: String, _ said: IncidentResolution, isFirstWord: Bool = false, commit: Commit? = nil
    ) async throws(JournalError) -> (incident: Incident, isChanged: Bool)? {
        for tries in 1... {
            guard let kept = try await store.record(RecordID(Incident.collection, id)) else { return nil }
            var incident = try Incident(kept)
            guard incident.isOpen || !isFirstWord else { return (incident, false) }
            incident.resolution = CardScrubbing.withoutNumbers(said.note)
            incident.resolvedBy = said.actor.map(CardScrubbing.withoutNumbers)
            incident.resolvedAt = said.at
            // What was given up stays so until it is said to have been found.
            incident.outcome = said.outcome ?? (incident.outcome == .writtenOff ? .writtenOff : nil)
            let corrected = incident.foundOrder
            incident.foundOrder = said.order ?? corrected
            var changes: [RecordChange] = [.update(incident.record, from: kept.version)]
            for owner in Set([incident.owner, corrected, incident.foundOrder].compactMap { $0 }) {
                // Where a person names another order than the provider's data, only the named one was paid.
                let isPaid = said.outcome == .paid && owner == incident.foundOrder ?? incident.owner
                if let change = try await change(of: owner, by: id, isPaid: isPaid) { changes.append(change) }
            }
            do throws(JournalError) {
                if let commit {
                    try await commit(changes, incident)
                } else {
                    try await store.change(changes, noting: [AuditNote(resolved: incident)])
                }
                return (incident, true)
            } catch { guard case .recordConflict = error, tries < IncidentLog.maximumConflicts else { throw error } }
        }
        return nil
    }

    /// What a resolved incident leaves of an order's hold.
    private func change(
        of owner: Incident.Owner, by incident: String, isPaid: Bool
    ) async throws(JournalError) -> RecordChange? {
        let id = OrderHold.id(account: owner.account, order: owner.order)
        let known = try await store.record(id)
        var hold =
            try known.map { (kept) throws(JournalError) in try OrderHold(kept) }
            ?? OrderHold(account: owner.account, order: owner.order)
        hold.open.removeAll { $0 == incident }
        hold.paid.removeAll { $0 == incident }
        if isPaid { hold.paid.append(incident) }
        guard hold.open.isEmpty, hold.paid.isEmpty else { return .put(hold.record, over: known) }
        return known.map { .delete(id, from: $0.version) }
    }

    /// Of webhooks about one payment the first that names an order does: what follows, such as the refund that a
    /// person makes in the provider's dashboard, must not hold an order again that a person has freed.
    private func holds(_ incident: Incident) async throws(JournalError) -> Bool {
        switch incident.kind {
        case .unknownCharge: true
        case .unknownPayment: try await !isHeldBefore(incident.payment)
        case .unreadablePayment, .absentProvider, .statement: false
        }
    }

    /// Whether an incident about the payment has held its order.
    private func isHeldBefore(_ payment: PaymentID) async throws(JournalError) -> Bool {
        var isHeld = false
        let about = RecordMatch("payment", payment.rawValue)
        try await Records<Incident>(store).forEach(matching: about, atMost: IncidentLog.maximumListed) { earlier in
            isHeld = isHeld || earlier.owner != nil
        }
        return isHeld
    }
}
