public import TillCore

/// Stores incidents together with the holds on their orders: both are written in one commit, and a resolution releases
/// the order in its own commit. Any number of processes may use it at once.
public struct IncidentLog: Sendable {
    /// The maximum number of attempts at a change after conflicts with other writers.
    public static let maximumConflicts = 16

    private let store: any RecordStore

    public init(_ store: any RecordStore) { self.store = store }

    /// Returns the changes that store an incident and hold its order. Empty if it is stored already, resolved or not.
    /// On a ``JournalError/recordConflict(_:current:)`` the caller must compute them again.
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

    /// The maximum number of incidents read for a list or a count.
    public static let maximumListed = 10_000

    /// Returns open incidents, oldest first, and their number, up to ``maximumListed``.
    /// - Parameters:
    ///   - account: limits them to one account; an incident without an order belongs to `main`. `nil`: all accounts.
    ///   - limit: the maximum number of returned incidents.
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

    /// Stores an incident once. Durable when it returns.
    /// - Returns: `false` if it was stored before.
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

    /// Stores an incident for an unreadable payment, once. A failed write is ignored, so that reads still succeed:
    /// recovery also writes it, and so does the next read of the payment.
    public func keep(_ unreadable: UnreadablePayment, of provider: ProviderName?, at moment: Timestamp) async {
        let incident = Incident(unreadable: unreadable.id, of: provider, because: unreadable.reason, at: moment)
        do throws(JournalError) { try await keep(incident) } catch { return }
    }

    /// Writes record changes together with other changes of the same commit; `nil`: the record changes alone.
    public typealias Commit = @Sendable ([RecordChange], Incident) async throws(JournalError) -> Void

    /// Stores a resolution by staff. Durable when it returns; a later resolution replaces it.
    /// - Returns: the updated incident; `nil` if there is none of that name.
    public func resolve(
        _ id: String, note: String, outcome: Incident.Outcome?, order: Incident.Owner? = nil
    ) async throws(JournalError) -> Incident? {
        try await resolve(id, IncidentResolution(note: note, outcome: outcome, order: order))?.incident
    }

    /// Stores a resolution by staff. Durable when it returns.
    /// - Parameters:
    ///   - isFirstWord: `true` to leave a resolved incident unchanged. Of any number of concurrent resolutions, one
    ///     wins.
    ///   - commit: writes the changes together with others of the same commit.
    /// - Returns: the current incident, and `isChanged`, which is `true` if this call has changed it; `nil` if there is
    ///   none of that name.
    public func resolve(
        _ id: String, _ said: IncidentResolution, isFirstWord: Bool = false, commit: Commit? = nil
    ) async throws(JournalError) -> (incident: Incident, isChanged: Bool)? {
        for tries in 1... {
            guard let kept = try await store.record(RecordID(Incident.collection, id)) else { return nil }
            var incident = try Incident(kept)
            guard incident.isOpen || !isFirstWord else { return (incident, false) }
            incident.resolution = CardNumberMask.maskedForPeople(said.note)
            incident.resolvedBy = said.actor.map(CardNumberMask.maskedForPeople)
            incident.resolvedAt = said.at
            // A write-off remains until the money is reported as recovered.
            incident.outcome = said.outcome ?? (incident.outcome == .writtenOff ? .writtenOff : nil)
            let corrected = incident.foundOrder
            incident.foundOrder = said.order ?? corrected
            var changes: [RecordChange] = [.update(incident.record, from: kept.version)]
            // If staff names an order other than that of the provider's data, only the named one was paid.
            let paid = (incident.foundOrder ?? incident.owner).map { IncidentLog.hold(of: $0) }
            // An order and its parts have one hold, and a write changes it once.
            var seen: Set<RecordID> = []
            for owner in Set([incident.owner, corrected, incident.foundOrder].compactMap { $0 }) {
                if let change = try await earlierChange(of: owner, by: id) { changes.append(change) }
                let hold = IncidentLog.hold(of: owner)
                guard seen.insert(hold).inserted else { continue }
                let isPaid = said.outcome == .paid && hold == paid
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

    /// Returns the record identifier of an order's hold.
    private static func hold(of owner: Incident.Owner) -> RecordID {
        OrderHold.id(account: owner.account, order: owner.order)
    }

    /// Returns the change of a hold that an earlier version stored for an order with the name of a part.
    private func earlierChange(
        of owner: Incident.Owner, by incident: String
    ) async throws(JournalError) -> RecordChange? {
        guard let id = OrderHold.earlierID(account: owner.account, order: owner.order),
            let known = try await store.record(id)
        else { return nil }
        var hold = try OrderHold(known)
        hold.open.removeAll { $0 == incident }
        hold.paid.removeAll { $0 == incident }
        let isOver = hold.open.isEmpty && hold.paid.isEmpty
        return isOver ? .delete(id, from: known.version) : .update(hold.record(at: id), from: known.version)
    }

    /// Returns the change of an order's hold that a resolved incident causes.
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

    /// Only the first webhook about a payment that names an order holds it: later ones, such as for a refund that staff
    /// makes in the provider's dashboard, must not hold a released order again.
    private func holds(_ incident: Incident) async throws(JournalError) -> Bool {
        switch incident.kind {
        case .unknownCharge: true
        case .unknownPayment: try await !isHeldBefore(incident.payment)
        case .unreadablePayment, .absentProvider, .statement: false
        }
    }

    /// `true` if an incident about the payment has held its order.
    private func isHeldBefore(_ payment: PaymentID) async throws(JournalError) -> Bool {
        var isHeld = false
        let about = RecordMatch("payment", payment.rawValue)
        try await Records<Incident>(store).forEach(matching: about, atMost: IncidentLog.maximumListed) { earlier in
            isHeld = isHeld || earlier.owner != nil
        }
        return isHeld
    }
}
