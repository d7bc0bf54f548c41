/// The subject of an audit log entry. A raw value keeps its meaning once it was written.
public enum AuditAction: String, Hashable, Sendable, CaseIterable {
    /// A sign-in to the counter's page.
    case signedIn = "session.signed_in"
    /// A sign-out.
    case signedOut = "session.signed_out"
    /// A session ended from elsewhere, by its owner or by another user.
    case sessionEnded = "session.ended"
    /// A staff member entered their PIN at a device.
    case personSignedIn = "staff.signed_in"
    /// A device was locked: no staff member is signed in at it.
    case deviceLocked = "staff.locked"
    /// A staff member was added.
    case personAdded = "staff.added"
    /// The role or PIN of a staff member was changed, or their access disabled or restored.
    case personChanged = "staff.changed"
    case personRemoved = "staff.removed"
    /// A staff member received a link to set up their credentials for the back office.
    case personInvited = "staff.invited"
    /// A password was changed, or a passkey added or removed.
    case credentialChanged = "staff.credential_changed"
    /// A passkey's signature counter did not increase: the passkey may have been cloned.
    case passkeyRefused = "staff.passkey_refused"
    /// A custom role was created, or changed for every member.
    case roleChanged = "role.changed"
    case roleRemoved = "role.removed"
    /// A refund above another staff member's limit was approved.
    case refundApproved = "refund.approved"
    /// A discount above another staff member's limit was approved.
    case discountApproved = "discount.approved"
    /// An invalid key or start code was presented; counted.
    case signInRefused = "session.refused"
    /// A request without a valid key or session, or without the required permission; counted.
    case accessRefused = "access.refused"
    /// A cash drawer was opened without a sale.
    case drawerOpened = "drawer.opened"
    /// A reader's registration with its provider was requested.
    case readerRegistered = "reader.registered"
    /// Another label for a reader was requested from its provider.
    case readerChanged = "reader.changed"
    /// The removal of a reader from its provider was requested.
    case readerRemoved = "reader.removed"
    /// The counter's default reader was chosen, or the choice was removed.
    case readerChosen = "reader.chosen"
    /// A printer was registered, registered again in place of one of the same name, or its first certificate was
    /// pinned.
    case printerAdded = "printer.added"
    case printerRemoved = "printer.removed"
    case keyCreated = "key.created"
    case keyRotated = "key.rotated"
    case keyRevoked = "key.revoked"
    /// A device extended its session.
    case keyRenewed = "key.renewed"
    /// A key's expiry was observed.
    case keyExpired = "key.expired"
    /// A webhook endpoint was created.
    case webhookCreated = "webhook.created"
    /// The URL, the types, or another property of a webhook endpoint was changed.
    case webhookChanged = "webhook.changed"
    /// The signing secret of a webhook endpoint was replaced.
    case webhookSecretRotated = "webhook.secret_rotated"
    /// A test message, or a message once more, was requested for a webhook endpoint.
    case webhookSent = "webhook.sent"
    /// Till disabled a webhook endpoint that does not take messages.
    case webhookDisabled = "webhook.disabled"
    case webhookDeleted = "webhook.deleted"
    /// Staff resolved an incident.
    case incidentResolved = "incident.resolved"
    /// A staff member was assigned to an attention item, or unassigned.
    case attentionAssigned = "attention.assigned"
    /// Staff closed an attention item of a payment.
    case attentionClosed = "attention.closed"
    /// Staff confirmed that the machine's clock is right.
    case clockAccepted = "clock.accepted"
    /// A note was added to a payment.
    case paymentNoted = "payment.noted"
    /// An order was charged although the shop reports it as settled.
    case settledOrderCharged = "payment.settled_order_charged"
    /// An order was booked.
    case orderBooked = "order.booked"
    /// The content of an order was replaced.
    case orderChanged = "order.changed"
    /// The goods of an order were marked as prepared.
    case orderReady = "order.ready"
    /// The goods of an order were marked as handed over.
    case orderFulfilled = "order.fulfilled"
    case orderCanceled = "order.canceled"
    /// An order that was ready, fulfilled or canceled was opened again.
    case orderReopened = "order.reopened"
    /// The customer and the note of an order were erased, also where the order was paid by Apple Pay.
    case orderContactErased = "order.contact_erased"
    /// A shop was connected, or given another key.
    case shopConnected = "shop.connected"
    case shopDisconnected = "shop.disconnected"
    /// A cash drawer was opened for a day, with the cash in it.
    case dayOpened = "day.opened"
    /// Cash was put into a drawer or taken out beside sales.
    case dayCash = "day.cash"
    /// A drawer was counted.
    case dayCounted = "day.counted"
    /// A day that was ended goes on.
    case dayResumed = "day.resumed"
    /// A day was closed with its report.
    case dayClosed = "day.closed"
    /// The shop's server opened an Apple Pay basket.
    case basketOpened = "basket.opened"
    /// The shop's server replaced goods and terms of an Apple Pay basket.
    case basketReplaced = "basket.replaced"
    /// The shop's server closed an unpaid Apple Pay basket.
    case basketClosed = "basket.closed"
    /// The customer account of a guest was erased.
    case guestErased = "guest.erased"
    /// A backup became the journal, or the current file was declared a backup.
    case journalRestored = "journal.restored"
    /// Staff confirmed that no operation of a provider is missing after a restore.
    case providerAccepted = "journal.provider_accepted"
    case journalBackedUp = "journal.backed_up"
    /// The journal was moved to another location, where it continues.
    case journalMoved = "journal.moved"
    /// The journal's mode was changed.
    case modeChanged = "journal.mode_changed"
    /// A provider's statement was imported.
    case statementImported = "statement.imported"
    /// A counter started; includes the effective settings.
    case counterStarted = "counter.started"
    /// Settings differ from those of the previous start.
    case settingsChanged = "settings.changed"
    /// Entries older than the retention were removed.
    case purged = "audit.purged"
}

/// The outcome of an audited action.
public enum AuditOutcome: String, Hashable, Sendable, CaseIterable {
    case done
    case refused
}
