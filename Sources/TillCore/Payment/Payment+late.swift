// Approvals of attempts that had ended without money: an abandoned call was answered after all, or a process that was
// presumed dead had sent its request.

extension Payment {
    /// Observes the answer to an attempt that has ended, or may have.
    func observeLateApproval(
        _ id: AttemptID, _ answer: ProviderAnswer<Authorization>, at now: Timestamp
    ) -> [PaymentEvent] {
        guard case .approved(let authorization) = answer else { return [] }
        return observeLateApproval(id, authorization, at: now)
    }

    /// Observes an authorization in the answer to a query about an attempt that has ended.
    func observeLateApproval(
        _ snapshot: ProviderSnapshot, of attempt: Attempt, at now: Timestamp
    ) -> [PaymentEvent] {
        guard case .authorized(var authorization) = snapshot.standing else { return [] }
        if snapshot.captured.isPositive || snapshot.hasPendingCapture { authorization.isCaptured = true }
        return observeLateApproval(attempt.id, authorization, at: now)
    }

    /// Records a late approval, voids a hold, and raises an attention entry.
    ///
    /// The newest attempt is open again and takes the ordinary steps: a hold is authorized and its void started;
    /// captured money is queried first, since the answer may be older than the void that ended the attempt. An earlier
    /// attempt, one beside other money, and one of a canceled payment stays ended: a hold is voided, captured money is
    /// reported only, since refunds follow the other attempt.
    private func observeLateApproval(
        _ id: AttemptID, _ authorization: Authorization, at now: Timestamp
    ) -> [PaymentEvent] {
        guard let attempt = attempts.first(where: { $0.id == id }), endedWithoutMoney(attempt),
            attempt.void?.state.isOpen != true, !isShared(authorization.reference, with: attempt)
        else { return [] }
        let alarm = Attention.approvedLate(authorization.amount, isCaptured: authorization.isCaptured)
        if attempts.last?.id == id, liveAttempts == 0, capturedOrPending.isZero, cancelReason == nil {
            guard !isOtherMoney(authorization, for: attempt) else {
                return observeOtherMoney(attempt, authorization.amount, at: now)
            }
            let told: [PaymentEvent] = isRaised(alarm, of: attempt) ? [] : [.attentionRequired(.attempt(id), alarm)]
            guard authorization.isCaptured else {
                return [.authorized(id, authorization), .voidStarted(id, reason: .abandoned)] + told
            }
            let reason = UnknownReason.unclear("The provider approved it after it had ended.")
            return named(authorization.reference, attempt)
                + [.outcomeUnknown(.attempt(id), nextCheck: now, reason: reason)] + told
        }
        guard !isRaised(alarm, of: attempt) else { return [] }
        let void: [PaymentEvent] = authorization.isCaptured ? [] : [.voidStarted(id, reason: .abandoned)]
        return named(authorization.reference, attempt) + void + [.attentionRequired(.attempt(id), alarm)]
    }

    /// The provider's name of the approval, by which it is voided and queried.
    private func named(_ reference: ProviderReference, _ attempt: Attempt) -> [PaymentEvent] {
        attempt.reference == reference ? [] : [.attemptPrepared(attempt.id, reference)]
    }

    /// The newest attempt, if the provider may still approve it although it has ended without money: given up, not
    /// sent, or of a session.
    public var abandonedAttempt: Attempt? {
        attempts.last.flatMap { isAbandoned($0) ? $0 : nil }
    }

    /// A Boolean value that indicates whether Till ended an attempt without an answer of the provider's that excludes
    /// an approval. Whatever ended the attempt of a session, its customer may have paid with it before. An
    /// attempt of any provider that counts as voided without a void of Till's was ended by the provider's report alone,
    /// or is of a session that nobody was handed: it is looked at again too.
    func isAbandoned(_ attempt: Attempt) -> Bool {
        guard endedWithoutMoney(attempt) else { return false }
        switch attempt.state {
        case .notSent: return true
        case .voided:
            guard let void = attempt.void else { return true }
            return void.reason == .abandoned || attempt.hadSession
        case .declined, .expired: return attempt.hadSession
        case .inFlight, .unknown, .requiresAction, .stored, .authorized: return false
        }
    }

    /// A Boolean value that indicates whether the provider may still approve an abandoned attempt, and no other attempt
    /// has money.
    public var mayBeApprovedLate: Bool { settledAttempt == nil && abandonedAttempt != nil }

    /// A Boolean value that indicates whether a requested query has ended. A query about an attempt that ended without
    /// money ends after a few tries, whatever the answers say; until then only the provider's word on it counts.
    func isEnded(_ query: RequestedQuery, by answer: ProviderAnswer<ProviderSnapshot>) -> Bool {
        // An answer about our credentials says nothing of the attempt.
        if case .keyRejected = answer { return false }
        let isRead = isReadable(answer, of: query.attempt)
        guard let attempt = attempts.first(where: { $0.id == query.attempt }), endedWithoutMoney(attempt) else {
            return isRead
        }
        if query.tries >= CheckSchedule.checksBeforeAttention { return true }
        guard isRead, case .approved(let snapshot) = answer else { return false }
        switch snapshot.standing {
        case .authorized, .voided, .declined: return true
        case .requiresAction, .continuable, .stored, .processing, .notFound, .unconfirmed: return false
        }
    }

    func endedWithoutMoney(_ attempt: Attempt) -> Bool {
        !attempt.isLive && attempt.mostAuthorized == 0
            && !captures.contains { $0.attempt == attempt.id && $0.origin != .elsewhere }
    }

    /// A Boolean value that indicates whether the provider uses the same name for another attempt that has money or may
    /// have.
    private func isShared(_ reference: ProviderReference, with attempt: Attempt) -> Bool {
        attempts.contains {
            $0.id != attempt.id && $0.reference == reference && ($0.isLive || $0.mostAuthorized > 0)
        }
    }

    private func isRaised(_ alarm: Attention, of attempt: Attempt) -> Bool {
        attentionItems.contains { $0.operation == .attempt(attempt.id) && $0.attention == alarm }
    }

    /// A Boolean value that indicates whether the provider refused to void a late approval beside another attempt.
    func isLateVoidRefused(_ attempt: Attempt) -> Bool {
        attempt.isVoidRefused && !attempt.isLive
            && attentionItems.contains { item in
                guard item.operation == .attempt(attempt.id), case .approvedLate = item.attention else { return false }
                return true
            }
    }
}
