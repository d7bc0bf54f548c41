import TillCore
import TillJournal
import TillSandbox

/// What incidents say about charges that no payment of a restored journal accounts for.
struct RestoreRules {
    /// The provider's names of charges that are in an incident each.
    var charges: Set<String> = []
    /// Payments that are not known, about which a webhook came.
    var payments: Set<String> = []

    /// Whether an incident, open or resolved, is about the charge.
    func contains(_ charge: SandboxCharge) -> Bool {
        charges.contains(charge.reference) || payments.contains(charge.payment ?? "")
    }

    /// Whether nothing of it is held or taken any more, so that nobody needs to know of it: it was voided, or its hold
    /// has ended meanwhile.
    static func isGone(_ charge: SandboxCharge, at now: Timestamp) -> Bool {
        charge.state == .voided || charge.isExpired(at: now)
    }

    /// All that incidents of the journal are about.
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

    /// An order whose sale begins although an incident about it waits for a person.
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
