import TillCore
import TillJournal

extension AuditNote {
    /// Creates the audit note that accompanies an event; `nil` for an event that is not an operator's decision to
    /// override a rule.
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
