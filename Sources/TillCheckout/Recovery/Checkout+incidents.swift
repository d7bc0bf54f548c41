import TillCore
import TillJournal

/// Quarantined payments are incidents, so that operators see them from any process; an incident ends automatically when
/// its payment can be processed again.
extension Checkout {
    /// Writes the incident once, however often the payment is met.
    func raiseIncident(of aside: SetAsidePayment) async throws(CheckoutError) {
        guard let incident = Incident(aside) else { return }
        do { try await journal.write(JournalWrite(records: [.insertIfAbsent(incident.record)])) } catch {
            throw .journal(error)
        }
    }

    /// Ends the incident of a payment that has been processed.
    func endIncident(of aside: SetAsidePayment) async throws(CheckoutError) {
        guard let incident = Incident(aside), let incidents else { return }
        do throws(JournalError) { try await end(incident.id, in: incidents) } catch { throw .journal(error) }
    }

    /// Ends the recovery incidents that are over, whichever process raised them.
    func reviewIncidents() async throws(CheckoutError) {
        guard let incidents, board.takeReview(at: clock.now()) else { return }
        do throws(JournalError) {
            let most = IncidentLog.maximumListed
            for kind in [Incident.Kind.unreadablePayment, .absentProvider] {
                try await incidents.forEach(matching: Incident.openOnes(of: kind), atMost: most) {
                    incident throws(JournalError) in
                    if try await isOver(incident) { try await end(incident.id, in: incidents) }
                }
            }
        } catch { throw .journal(error) }
    }

    private func isOver(_ incident: Incident) async throws(JournalError) -> Bool {
        switch incident.kind {
        case .unknownPayment, .unknownCharge, .statement: return false
        case .absentProvider: return providers[incident.provider] != nil
        case .unreadablePayment:
            do throws(JournalError) { return try await journal.payment(incident.payment) != nil } catch {
                guard case .corrupted = error else { throw error }
                return false
            }
        }
    }

    /// Removes an incident, so that a recurrence is raised again. An incident that an operator closed is kept.
    private func end(_ id: String, in incidents: Records<Incident>) async throws(JournalError) {
        guard let incident = try await incidents.document(id), incident.resolution == nil else { return }
        _ = try await incidents.delete(id)
    }
}

extension Incident {
    /// Creates the incident for a payment that is set aside; `nil` if it needs none.
    fileprivate init?(_ aside: SetAsidePayment) {
        switch aside.reason {
        case .unreadable(let reason):
            self.init(unreadable: aside.payment, of: aside.provider, because: reason, at: aside.since)
        case .noProvider(let name): self.init(without: name, payment: aside.payment, at: aside.since)
        case .otherAccount, .clockInDoubt, .failed: return nil
        }
    }
}
