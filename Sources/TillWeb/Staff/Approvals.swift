import HTTPTypes
package import TillCore
package import TillCounter
package import TillJournal

/// Approvals of refunds and discounts. Each is valid for one of them, once, within a minute, for the requester and at
/// the same device.
package struct Approvals: Sendable {
    /// The lifetime of an approval.
    package static let lifetime = Span.minutes(1)
    /// The retention of an unused approval, and of any approval of a discount, in the journal.
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

    /// Approves a refund or a discount. The approval is durable on return.
    package func approve(
        _ what: Approvable, by approver: StaffGrant, for incoming: Incoming, key: String
    ) async throws -> Approval {
        guard let person = incoming.person, let device = Approvals.device(incoming) else {
            throw Approvals.unknown(what)
        }
        // A repeated request yields the same approval.
        let id =
            Approvals.prefix
            + Hex.lowercase(digest("\(device)\u{0}\(key)".utf8).prefix(Approvals.bytesOfID))
        let now = clock.now()
        let approval = Approval(
            id: id, account: incoming.account, what: what,
            requestedBy: .init(id: person.id, name: person.name),
            approvedBy: .init(id: approver.id, name: approver.name),
            device: device, made: now)
        if let known = try await Records<Approval>(store).document(id) {
            guard known.what == what, known.approvedBy.id == approver.id, known.requestedBy.id == person.id else {
                throw Approvals.mismatch
            }
            return known
        }
        var changes: [RecordChange] = [.insert(approval.record)]
        if !clock.isInDoubt { changes.append(.forget(Approval.collection, dueBy: now.at)) }
        try await store.change(changes, noting: [Approvals.note(of: approval, by: approver, for: person)])
        return approval
    }

    private static func note(of approval: Approval, by approver: StaffGrant, for person: StaffGrant) -> AuditNote {
        let by = Attribution(ofRequestBy: approver.actor)
        let requester = AuditChange("requested_by", to: "\(person.actor)")
        switch approval.what {
        case .refund(let refund):
            return AuditNote(
                .refundApproved, by: by, account: approval.account, subject: refund.payment.rawValue,
                changes: [AuditChange("amount", to: "\(refund.amount)"), requester])
        case .discount(let discount):
            return AuditNote(
                .discountApproved, by: by, account: approval.account, subject: approval.id,
                reason: discount.discount.reason,
                changes: [
                    AuditChange("discount", to: "\(discount.discount.amount)"),
                    AuditChange("amount", to: "\(discount.amount)"), requester,
                ])
        }
    }

    /// Consumes an approval. Repeating the call with the same idempotency key is allowed for ``kept``, in which the
    /// journal remembers the key: it is the same request, which executes once.
    /// - Parameter covers: Returns `true` for the grant of a person who may approve it at this moment.
    /// - Returns: the grant of the approver.
    package func use(
        _ id: String, for what: Approvable, _ person: StaffGrant, _ incoming: Incoming, key: String,
        where covers: @Sendable (StaffGrant) -> Bool
    ) async throws -> StaffGrant {
        let used = digest(key.utf8)
        guard let stored = try await store.record(RecordID(Approval.collection, id)) else {
            throw Approvals.unknown(what)
        }
        var approval = try Approval(stored)
        guard approval.account == incoming.account, approval.what == what, approval.requestedBy.id == person.id,
            approval.device == Approvals.device(incoming)
        else { throw Approvals.unknown(what) }
        let isRepeated = approval.usedKey == used && approval.made.age(at: clock.now()) < Approvals.kept
        if !isRepeated {
            guard approval.usedKey == nil else { throw Approvals.spent(what) }
            guard approval.made.age(at: clock.now()) < Approvals.lifetime else { throw Approvals.expired(what) }
        }
        guard let approver = try await staff.person(approval.approvedBy.id, of: incoming.account),
            let grant = try await staff.grant(of: approver)
        else { throw Approvals.unknown(what) }
        guard !isRepeated else { return grant }
        guard covers(grant) else { throw Approvals.unknown(what) }
        approval.usedKey = used
        do throws(JournalError) { try await store.change([.update(approval.record, from: stored.version)]) } catch {
            if case .recordConflict = error { throw Approvals.spent(what) }
            throw error
        }
        return grant
    }

    /// Returns the approvals used for a payment, oldest first.
    package func used(for payment: PaymentID) async throws(JournalError) -> [Approval] {
        try await Records<Approval>(store).list(
            matching: Approval.of(payment), limit: Approvals.maximumShown
        ).filter { $0.usedKey != nil }
    }

    private static let again = "Have it approved again, with the PIN of somebody who may."

    private static func unknown(_ what: Approvable) -> Problem {
        Problem(
            .forbidden, "approval_invalid", "That approval is not for this \(what.noun). \(what.nothingDone)",
            next: again)
    }

    private static func spent(_ what: Approvable) -> Problem {
        Problem(.forbidden, "approval_spent", "That approval was used before. \(what.nothingDone)", next: again)
    }

    private static func expired(_ what: Approvable) -> Problem {
        Problem(
            .forbidden, "approval_expired", "That approval is older than a minute. \(what.nothingDone)", next: again)
    }

    private static let mismatch = Problem(
        .unprocessableContent, "idempotency_mismatch", "This Idempotency-Key belongs to another approval.",
        next: "Use a new key.")
}
