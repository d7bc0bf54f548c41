import TillCore

extension AuditNote {
    /// Creates the note for an incident resolved by staff.
    public init(resolved incident: Incident) {
        self.init(
            .incidentResolved, account: incident.owner?.account, subject: incident.id,
            reason: incident.outcome?.rawValue,
            changes: [
                AuditChange("said_by", to: incident.resolvedBy), AuditChange("evidence", to: incident.resolution),
                AuditChange("order", from: incident.owner?.order.rawValue, to: incident.foundOrder?.order.rawValue),
            ])
    }
}
