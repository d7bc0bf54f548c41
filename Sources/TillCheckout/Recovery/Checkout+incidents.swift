import TillCore
import TillJournal

/// Payments in quarantine are incidents, so that people see them from whichever process they ask; an incident ends by
/// itself when its payment can be worked on again.
extension Checkout {
    /// Writes it once, however often the payment is met.
    func raiseIncident(of aside: SetAsidePayment) async throws(CheckoutError) {
        guard let incident = Incident(aside) else { return }
        do { try await journal.write(JournalWrite(records: [.insertIfAbsent(incident.record)])) } catch {
            throw .journal(error)
        }
    }

    /// The payment was worked on.
    func endIncident(of aside: SetAsidePayment) async throws(CheckoutError) {
        guard let incident = Incident(aside), let incidents else { return }
        do throws(JournalError) { try await end(incident.id, in: incidents) } catch { throw .journal(error) }
    }

    /// Ends the incidents of recovery that are over, whichever process has raised them.
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

    /// Removes it, so that the same trouble is an incident again when it comes back. What a person has closed stays.
    private func end(_ id: String, in incidents: Records<Incident>) async throws(JournalError) {
        guard let incident = try await incidents.document(id), incident.resolution == nil else { return }
        _ = try await incidents.delete(id)
    }
}

extension Incident {
    /// What a person must see of a payment that is set aside; `nil`: nothing.
    fileprivate init?(_ aside: SetAsidePayment) {
        switch aside.reason {
        case .unreadable(let reason):
            self.init(unreadable: aside.payment, of: aside.provider, because: reason, at: aside.since)
        case .noProvider(let name): self.init(without: name, payment: aside.payment, at: aside.since)
        case .otherAccount, .clockInDoubt, .failed: return nil
        }
    }
}
