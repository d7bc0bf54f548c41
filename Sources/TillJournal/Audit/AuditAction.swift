/// What an entry of the audit log is about. A raw value that was written once keeps its meaning for ever.
public enum AuditAction: String, Hashable, Sendable, CaseIterable {
    /// Somebody began a session of the counter's page.
    case signedIn = "session.signed_in"
    /// Somebody ended their session.
    case signedOut = "session.signed_out"
    /// Somebody ended a session of their own elsewhere, or somebody else's.
    case sessionEnded = "session.ended"
    /// Somebody of the staff entered their PIN at a device.
    case personSignedIn = "staff.signed_in"
    /// A device was locked: nobody is signed in at it any more.
    case deviceLocked = "staff.locked"
    /// Somebody was added to the staff.
    case personAdded = "staff.added"
    /// Somebody has another role or PIN, or is let in no more, or again.
    case personChanged = "staff.changed"
    case personRemoved = "staff.removed"
    /// Somebody was given a link by which they choose what they sign in to the back office with.
    case personInvited = "staff.invited"
    /// Somebody has another password, or a passkey more or less.
    case credentialChanged = "staff.credential_changed"
    /// A passkey signed whose counter was not higher than before: there may be two of it.
    case passkeyRefused = "staff.passkey_refused"
    /// A role of the shop's own was made, or is another one for everybody who has it.
    case roleChanged = "role.changed"
    case roleRemoved = "role.removed"
    /// Somebody has approved a refund of somebody else's that exceeds the other's limit.
    case refundApproved = "refund.approved"
    /// A key or a start code that lets nobody in was offered; counted.
    case signInRefused = "session.refused"
    /// A request without a key or session that lets in, or without the permission it needs; counted.
    case accessRefused = "access.refused"
    /// A cash drawer was asked to open without a sale.
    case drawerOpened = "drawer.opened"
    case keyCreated = "key.created"
    case keyRotated = "key.rotated"
    case keyRevoked = "key.revoked"
    /// A person has said what an incident was.
    case incidentResolved = "incident.resolved"
    /// Somebody sees to what waits for a person, or does no more.
    case attentionAssigned = "attention.assigned"
    /// A person has closed what a payment waited for.
    case attentionClosed = "attention.closed"
    /// A person has said that the machine's clock is right.
    case clockAccepted = "clock.accepted"
    /// An order was charged although the shop says that it was settled.
    case settledOrderCharged = "payment.settled_order_charged"
    /// A backup became the journal, or the file in place was taken for one.
    case journalRestored = "journal.restored"
    /// A person has said that nothing of a provider is missing after a restore.
    case providerAccepted = "journal.provider_accepted"
    case journalBackedUp = "journal.backed_up"
    /// It was copied to another place, where it goes on.
    case journalMoved = "journal.moved"
    /// The journal was given another mode.
    case modeChanged = "journal.mode_changed"
    /// A provider's statement was read.
    case statementImported = "statement.imported"
    /// A counter began to serve; with the settings that are in force.
    case counterStarted = "counter.started"
    /// Settings are not what they were at the start before.
    case settingsChanged = "settings.changed"
    /// Entries that are older than the retention were removed.
    case purged = "audit.purged"
}

/// What became of it.
public enum AuditOutcome: String, Hashable, Sendable, CaseIterable {
    case done
    case refused
}
