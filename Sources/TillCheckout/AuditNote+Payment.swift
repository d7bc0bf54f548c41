import TillCore
import TillJournal

extension AuditNote {
    /// What the audit log says of an event, beside the event itself; `nil` for what is no decision of a person about
    /// the rules.
    init?(of event: PaymentEvent, in payment: Payment) {
        switch event {
        case .created(let creation):
            guard let who = creation.acceptedBy else { return nil }
            self.init(
                .settledOrderCharged, account: payment.account, subject: payment.id.rawValue,
                reason: payment.order.standing?.clause, changes: [AuditChange("accepted_by", to: who)])
        case .attentionClosed(let number, let resolution):
            self.init(
                .attentionClosed, account: payment.account, subject: payment.id.rawValue,
                reason: resolution.kind.rawValue,
                changes: [
                    AuditChange("attention", to: "\(number)"), AuditChange("said_by", to: resolution.actor),
                    AuditChange("evidence", to: resolution.evidence),
                ])
        default: return nil
        }
    }
}
