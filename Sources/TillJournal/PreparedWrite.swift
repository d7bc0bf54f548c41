package import TillCore

/// A write with everything precomputed that needs no lock: prepared on the caller's thread, applied by the writer.
package struct PreparedWrite: Sendable {
    package struct Append: Sendable {
        package var row: PaymentRow
        package var isLive: Bool
        package var expectedVersion: Int
        package var events: [RecordedEvent]
        package var nextDue: Timestamp?
        package var holder: JournalWrite.Holder

        /// `true` if work is pending on the payment.
        package var isPending: Bool { nextDue != nil || holder == .thisProcess }
        /// `true` if the write begins a payment or an attempt, even if it has the outcome as well.
        package var isBeginning: Bool {
            expectedVersion == 0 || events.contains { if case .attemptStarted = $0.event { true } else { false } }
        }
    }

    package var append: Append?
    /// The events of `append` as JSON.
    package var bodies: [[UInt8]] = []
    package var idempotency: IdempotencyRecord?
    package var webhook: WebhookReceipt?
    package var wake: (PaymentID, Timestamp)?
    package var records: [RecordChange]
    package var audit: [AuditNote]

    /// - Throws: ``JournalError/corrupted(_:)`` for an inconsistent write.
    package init(_ write: JournalWrite, encodes: Bool) throws(JournalError) {
        idempotency = write.idempotency
        webhook = write.webhook
        wake = write.wake
        records = write.records
        audit = write.audit
        guard audit.count <= AuditLimits.maximumNotes else {
            throw .corrupted(
                "a write has \(audit.count) audit entries; at most \(AuditLimits.maximumNotes) go together")
        }
        if !records.isEmpty { try records.check() }
        guard let append = write.append else { return }
        let payment = append.payment
        let (version, overflow) = append.expectedVersion.addingReportingOverflow(append.events.count)
        guard append.expectedVersion >= 0, !overflow, payment.version == version else {
            throw .corrupted("a write of \(payment.id) says version \(payment.version) after \(version) events")
        }
        if append.expectedVersion == 0 {
            guard case .created(let creation)? = append.events.first?.event, creation.payment == payment.id,
                creation.account == payment.account
            else { throw .corrupted("the first event of \(payment.id) does not create it") }
        }
        self.append = Append(
            row: PaymentRow(payment), isLive: payment.isLive, expectedVersion: append.expectedVersion,
            events: append.events, nextDue: append.nextDue, holder: append.holder)
        if encodes { bodies = append.events.map { PaymentEventCodec.encode($0.event, by: $0.by) } }
    }
}

extension PreparedWrite {
    /// `true` if the write records an event that has already happened, or a response already sent: it may use the
    /// reserved disk space.
    package var isAnswer: Bool {
        if let append {
            return append.events.isEmpty
                || !append.isBeginning && append.events.contains { !$0.event.beginsSomething }
        }
        if let idempotency { return idempotency.isFinished }
        return webhook != nil || wake != nil
    }

    /// `true` if nothing but a webhook that came before can refuse the write: its insertion is then the check, too.
    package var isDecidedByWebhook: Bool {
        webhook != nil && append == nil && idempotency == nil && records.isEmpty
    }

    /// `true` if the key must not have a response, a live holder or another request yet.
    package func mustBeFirst(_ record: IdempotencyRecord) -> Bool { !record.isFinished || append?.isBeginning == true }
}

extension IdempotencyRecord {
    /// `true` if a new record in flight must not replace this one.
    package func refuses(_ new: IdempotencyRecord) -> Bool {
        isFinished || isHeldByLivingProcess || fingerprint != new.fingerprint
    }
}

extension PaymentEvent {
    /// `true` if a response will follow, which needs disk space too.
    var beginsSomething: Bool {
        switch self {
        case .created, .attemptStarted, .continuationStarted, .voidStarted, .captureStarted, .renewalStarted,
            .refundStarted, .cancelRequested:
            true
        case .attemptPrepared, .authorized, .actionRequired, .attemptStored, .attemptDeclined, .attemptNotSent,
            .attemptExpired, .attemptBound, .voided, .captured, .renewed, .refunded, .refused, .deferred,
            .outcomeUnknown, .canceled, .attentionRequired, .refundReversed, .captureReversed, .captureRestored,
            .captureReported, .refundReported, .disputeOpened, .disputeUpdated, .disputeFundsWithdrawn,
            .disputeFundsReinstated, .disputeClosed, .attentionClosed, .queryRequested, .queryAnswered:
            false
        }
    }
}
