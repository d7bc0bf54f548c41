import HTTPTypes
package import TillCore
package import TillCounter
package import TillJournal

/// Approvals of refunds. Each is valid for one refund, once, within a minute, for the requester and at the same device.
package struct RefundApprovals: Sendable {
    /// The lifetime of an approval.
    package static let lifetime = Span.minutes(1)
    /// The retention of an unused approval in the journal.
    package static let kept = Span.days(1)
    /// The maximum number of approvals listed for a payment.
    static let maximumShown = 100
    private static let prefix = "apr_"
    private static let bytesOfID = 12

    private let store: any RecordStore
    private let clock: MeasuringClock
    private let staff: StaffOnDuty

    package init(_ store: any RecordStore, staff: StaffOnDuty, clock: MeasuringClock) {
        self.store = store
        self.staff = staff
        self.clock = clock
    }

    /// Returns the device of a page request; `nil` for an API key.
    private static func device(_ incoming: Incoming) -> String? {
        guard case .session(let hash) = incoming.credential else { return nil }
        return PageSessionRecord.device(hash)
    }

    /// Approves a refund. The approval is durable on return.
    package func approve(
        _ refund: ApprovableRefund, by approver: StaffGrant, for incoming: Incoming, key: String
    ) async throws -> RefundApproval {
        guard let person = incoming.person, let device = RefundApprovals.device(incoming) else {
            throw RefundApprovals.unknown
        }
        // A repeated request yields the same approval.
        let id =
            RefundApprovals.prefix
            + Hex.lowercase(digest("\(device)\u{0}\(key)".utf8).prefix(RefundApprovals.bytesOfID))
        let now = clock.now()
        let approval = RefundApproval(
            id: id, account: incoming.account, refund: refund,
            requestedBy: .init(id: person.id, name: person.name),
            approvedBy: .init(id: approver.id, name: approver.name),
            device: device, made: now)
        if let known = try await Records<RefundApproval>(store).document(id) {
            guard known.refund == refund, known.approvedBy.id == approver.id, known.requestedBy.id == person.id else {
                throw RefundApprovals.mismatch
            }
            return known
        }
        var changes: [RecordChange] = [.insert(approval.record)]
        if !clock.isInDoubt { changes.append(.forget(RefundApproval.collection, dueBy: now.at)) }
        let note = AuditNote(
            .refundApproved, by: Attribution(ofRequestBy: approver.actor), account: incoming.account,
            subject: refund.payment.rawValue,
            changes: [
                AuditChange("amount", to: "\(refund.amount)"), AuditChange("requested_by", to: "\(person.actor)"),
            ])
        try await store.change(changes, noting: [note])
        return approval
    }

    /// Consumes an approval for a refund. Repeating the call with the same idempotency key is allowed: it is the same
    /// refund, which executes once.
    /// - Returns: the grant of the approver.
    package func use(
        _ id: String, for refund: ApprovableRefund, of payment: Payment, _ person: StaffGrant, _ incoming: Incoming,
        key: String
    ) async throws -> StaffGrant {
        let used = digest(key.utf8)
        guard let stored = try await store.record(RecordID(RefundApproval.collection, id)) else {
            throw RefundApprovals.unknown
        }
        var approval = try RefundApproval(stored)
        guard approval.account == incoming.account, approval.refund == refund, approval.requestedBy.id == person.id,
            approval.device == RefundApprovals.device(incoming)
        else { throw RefundApprovals.unknown }
        let isRepeated = approval.usedKey == used
        if !isRepeated {
            guard approval.usedKey == nil else { throw RefundApprovals.spent }
            guard approval.made.age(at: clock.now()) < RefundApprovals.lifetime else { throw RefundApprovals.expired }
        }
        guard let approver = try await staff.person(approval.approvedBy.id, of: incoming.account),
            let grant = try await staff.grant(of: approver)
        else { throw RefundApprovals.unknown }
        guard !isRepeated else { return grant }
        guard grant.covers(refundOf: refund.amount, of: payment) else { throw RefundApprovals.unknown }
        approval.usedKey = used
        do throws(JournalError) { try await store.change([.update(approval.record, from: stored.version)]) } catch {
            if case .recordConflict = error { throw RefundApprovals.spent }
            throw error
        }
        return grant
    }

    /// Returns the approvals used for a payment, oldest first.
    package func used(for payment: PaymentID) async throws(JournalError) -> [RefundApproval] {
        try await Records<RefundApproval>(store).list(
            matching: RefundApproval.of(payment), limit: RefundApprovals.maximumShown
        ).filter { $0.usedKey != nil }
    }

    private static let again = "Have it approved again, with the PIN of somebody who may."
    private static let unknown = Problem(
        .forbidden, "approval_invalid", "That approval is not for this refund. Nothing was given back.", next: again)
    private static let spent = Problem(
        .forbidden, "approval_spent", "That approval was used before. Nothing was given back.", next: again)
    private static let expired = Problem(
        .forbidden, "approval_expired", "That approval is older than a minute. Nothing was given back.", next: again)
    private static let mismatch = Problem(
        .unprocessableContent, "idempotency_mismatch", "This Idempotency-Key belongs to another approval.",
        next: "Use a new key.")
}
