import TillCore
import TillJournal
import TillSandbox

/// The charges explained by incidents, which no payment of a restored journal accounts for.
struct RestoreRules {
    /// The provider's references of charges with an incident each.
    var charges: Set<String> = []
    /// Unknown payments for which a webhook arrived.
    var payments: Set<String> = []

    /// `true` if an incident, open or resolved, is about the charge.
    func contains(_ charge: SandboxCharge) -> Bool {
        charges.contains(charge.reference) || payments.contains(charge.payment ?? "")
    }

    /// `true` if no money is held or taken any more, so that the charge needs no incident: it was voided, or its hold
    /// has expired.
    static func isGone(_ charge: SandboxCharge, at now: Timestamp) -> Bool {
        charge.state == .voided || charge.isExpired(at: now)
    }

    /// Returns the subjects of all incidents in the journal.
    static func explained(in journal: any Journal & RecordStore) async throws(JournalError) -> RestoreRules {
        var rules = RestoreRules()
        try await Records<Incident>(journal).forEach(matching: nil) { incident in
            switch incident.kind {
            case .unknownCharge: rules.charges.insert(incident.event)
            case .unknownPayment: rules.payments.insert(incident.payment.rawValue)
            case .unreadablePayment, .absentProvider, .statement: break
            }
        }
        return rules
    }

    /// Reports an order that is sold while an incident about it is open.
    static func problem(
        _ append: JournalWrite.Append, in journal: any Journal & RecordStore
    ) async throws(JournalError) -> String? {
        let isSale = append.events.contains { record in
            switch record.event {
            case .created, .attemptStarted: true
            default: false
            }
        }
        guard isSale else { return nil }
        var problem: String?
        try await Records<Incident>(journal).forEach(matching: Incident.open) { incident in
            guard incident.kind == .unknownCharge, incident.owner?.order == append.payment.order.id else { return }
            problem = "\(append.payment.order.id): sold while the incident \(incident.event) is open"
        }
        return problem
    }
}
