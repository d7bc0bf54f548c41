// Consequences of a provider's answer to a query for an attempt and its operations.

extension Payment {
    func observeSnapshot(
        _ id: AttemptID, _ answer: ProviderAnswer<ProviderSnapshot>, isOvertaken: Bool, at now: Timestamp,
        _ standing: ClockStanding
    ) -> [PaymentEvent] {
        if case .keyRejected(let reason) = answer { return queryRejected(id, reason, at: now) }
        guard case .approved(let snapshot) = answer, isReadable(answer, of: id) else {
            // The customer's action is still pending, and watchers of the payment query often.
            if let attempt = undecided(id), attempt.void == nil, isBeforeNextQuery(attempt, at: now) { return [] }
            return openOperations(of: id).flatMap {
                stillUnknown($0, reason: .unclear("The query was not answered."), at: now)
            }
        }
        if snapshot.hasPendingCapture, !canWaitForCapture(id) {
            return openOperations(of: id).flatMap { stillUnknown($0, reason: .pending, at: now) }
        }
        let events =
            if let attempt = undecided(id) {
                observeStanding(snapshot, of: attempt, at: now, standing)
            } else {
                observeSettlements(snapshot, of: id, isOvertaken: isOvertaken, at: now)
            }
        return events + observeObjection(snapshot, to: id)
    }

    /// Raises what does not fit in money that others moved, once.
    private func observeObjection(_ snapshot: ProviderSnapshot, to id: AttemptID) -> [PaymentEvent] {
        guard let objection = snapshot.objection.map(Attention.note), !attention.contains(objection) else { return [] }
        return [.attentionRequired(.attempt(id), objection)]
    }

    /// Returns `true` if the captured amount is usable: zero, or in the payment's currency. For an undecided attempt,
    /// an authorization in another currency is a usable answer too.
    func isReadable(_ answer: ProviderAnswer<ProviderSnapshot>, of id: AttemptID) -> Bool {
        guard case .approved(let snapshot) = answer else { return false }
        if snapshot.captured.isZero || snapshot.captured.currency == currency { return true }
        guard case .authorized(let authorization) = snapshot.standing, undecided(id) != nil else { return false }
        return authorization.amount.currency == snapshot.captured.currency
    }

    /// Returns `true` if the open operations of a settled attempt can be decided while a capture is pending: an
    /// attempt, a void and a renewal end together with all captures.
    private func canWaitForCapture(_ id: AttemptID) -> Bool {
        undecided(id) == nil && attempts.first { $0.id == id }?.void?.state.isOpen != true
            && !renewals.contains { $0.attempt == id && $0.state.isOpen }
    }

    /// Returns `true` while the customer is at the bank's page and still has time for it.
    private func isAtChallenge(_ attempt: Attempt, at now: Timestamp, _ clock: ClockStanding) -> Bool {
        attempt.awaitedAction != nil && attempt.void == nil && hasTime(attempt, at: now, clock)
    }

    /// Returns `true` if the customer's time is not over, as far as the clock can tell.
    private func hasTime(_ attempt: Attempt, at now: Timestamp, _ clock: ClockStanding) -> Bool {
        !clock.isTrusted || now.since(attempt.waitedForSince(at: now)) < CheckSchedule.actionLifetime
    }

    /// Returns `true` if the customer's action is pending and the engine's own next query is still to come.
    func isBeforeNextQuery(_ attempt: Attempt, at now: Timestamp) -> Bool {
        guard case .requiresAction = attempt.state else { return false }
        let wait = CheckSchedule.actionWait(since: attempt.startedAt, lastWritten: updatedAt)
        return CheckSchedule.isRecent(updatedAt, within: wait, at: now)
    }

    func openOperations(of id: AttemptID) -> [OperationID] {
        var open: [OperationID] = []
        guard let attempt = attempts.first(where: { $0.id == id }) else { return [] }
        // While a void is open, the attempt ends with it; a refused void ends nothing.
        if attempt.isUndecided, attempt.void?.state.isOpen != true { open.append(asking(attempt)) }
        if let void = attempt.void, void.state.isOpen { open.append(.void(id)) }
        open += captures.filter { $0.attempt == id && $0.state.isOpen }.map { .capture($0.id) }
        open += renewals.filter { $0.attempt == id && $0.state.isOpen }.map { .renewal($0.id) }
        open += refunds.filter { $0.attempt == id && $0.state.isOpen }.map { .refund($0.id) }
        return open
    }

    private func observeStanding(
        _ snapshot: ProviderSnapshot, of attempt: Attempt, at now: Timestamp, _ clock: ClockStanding
    ) -> [PaymentEvent] {
        let id = attempt.id
        switch snapshot.standing {
        case .authorized(var authorization):
            if isCapturedInPart(snapshot, authorization, of: attempt) {
                return observeCapturedInPart(snapshot, authorization, of: attempt, at: now)
            }
            if snapshot.captured.isPositive { authorization.isCaptured = true }
            if attempt.void?.state.isOpen == true, isOtherMoney(authorization, for: attempt) {
                return again(.void(id), "not voided yet", at: now)
            }
            // The open void of a session may have sent the money back, or is about to: what was captured is booked only
            // once the provider has refused the void.
            if attempt.hadSession, attempt.void?.state.isOpen == true, authorization.isCaptured {
                return again(.void(id), "not voided yet", at: now)
            }
            // With a session a customer may have paid twice before anything was reported.
            return observeAuthorized(id, .approved(authorization), at: now)
                + (attempt.hadSession ? observeWarning(snapshot, of: attempt) : [])
        case .declined(let decline): return settle(id, [.attemptDeclined(id, decline)])
        case .voided: return settle(id, [.voided(id)])
        case .continuable: return observeContinuable(attempt, at: now)
        case .requiresAction(let action):
            // That the customer has finished is kept, late and during a void too: it decides how the attempt ends.
            if action.isFinished, attempt.lastAction?.isFinished != true {
                let isBeingVoided = attempt.void?.state.isOpen ?? false
                return challenged(attempt, action)
                    + (isBeingVoided ? again(.void(id), "not voided yet", at: now) : [])
            }
            if let void = attempt.void, void.state.isOpen {
                return again(.void(id), "not voided yet", at: now)
            }
            // This query may be older than the continuation; the continuation's own answer decides.
            if attempt.openContinuation != nil { return observeContinuable(attempt, at: now) }
            guard hasTime(attempt, at: now, clock) || attempt.unfinishedVoid != nil else {
                return [.voidStarted(id, reason: .abandoned)]
            }
            // Written again when due, so that the next query is scheduled too.
            if case .requiresAction(action) = attempt.state, isBeforeNextQuery(attempt, at: now) { return [] }
            return challenged(attempt, action)
        case .stored(let tap):
            guard case .stored = attempt.state else { return observeAuthorized(id, .stored(tap), at: now) }
            if let void = attempt.void, void.state.isOpen {
                return again(.void(id), "not voided yet", at: now)
            }
            let overdue = Attention.tapOverdue(expires: tap.expires)
            guard now >= tap.expires, !attention.contains(overdue) else { return [] }
            return [.attentionRequired(.attempt(id), overdue)]
        case .processing where attempt.hadSession && attempt.void?.state.isOpen == true:
            // The answer to the void may be there, although nothing is reported of the payment.
            return again(.void(id), "not voided yet", at: now)
        case .processing:
            let isBeingVoided = attempt.void?.state.isOpen ?? false
            return stillUnknown(
                isBeingVoided ? .void(id) : asking(attempt), reason: .unclear("The provider is still processing."),
                at: now)
        case .unconfirmed where isAtChallenge(attempt, at: now, clock):
            // The customer may still be on the bank's page: the provider has nothing to report yet.
            return isBeforeNextQuery(attempt, at: now)
                ? [] : attempt.awaitedAction.map { challenged(attempt, $0) } ?? []
        case .notFound, .unconfirmed:
            // No process has the customer's credential any more, so this attempt cannot continue. It is voided at the
            // provider, so that a request that is still under way can never charge it.
            guard let void = attempt.unfinishedVoid else { return [.voidStarted(id, reason: .abandoned)] }
            guard void.state.isOpen else {
                return stillUnknown(asking(attempt), reason: .unclear("The provider refuses to void it."), at: now)
            }
            return again(.void(id), "not voided yet", at: now)
        }
    }

    /// Returns `true` if less was captured than authorized, externally or before a restore: Till captures nothing of an
    /// attempt of unknown outcome.
    private func isCapturedInPart(
        _ snapshot: ProviderSnapshot, _ authorization: Authorization, of attempt: Attempt
    ) -> Bool {
        snapshot.captured.isPositive && snapshot.captured.currency == authorization.amount.currency
            && snapshot.captured.minorUnits < authorization.amount.minorUnits
            && !isOtherMoney(authorization, for: attempt)
    }

    /// Records a partially captured hold as two facts; Till does not capture the rest, nor count it as captured.
    private func observeCapturedInPart(
        _ snapshot: ProviderSnapshot, _ authorization: Authorization, of attempt: Attempt, at now: Timestamp
    ) -> [PaymentEvent] {
        var held = authorization
        held.isCaptured = false
        let authorized = PaymentEvent.authorized(attempt.id, held)
        var known = self
        known.evolve(RecordedEvent(authorized, at: now))
        guard let attempt = known.attempts.first(where: { $0.id == attempt.id }) else { return [authorized] }
        return [authorized] + known.observeAfterSale(snapshot, of: attempt, at: now)
    }

    /// Handles a completed customer action at a provider that waits for us. The money is requested only after this is
    /// in the journal, once, and not if the payment was canceled.
    private func observeContinuable(_ attempt: Attempt, at now: Timestamp) -> [PaymentEvent] {
        let id = attempt.id
        if let void = attempt.unfinishedVoid {
            guard void.state.isOpen else {
                return stillUnknown(asking(attempt), reason: .unclear("The provider refuses to void it."), at: now)
            }
            return again(.void(id), "not voided yet", at: now)
        }
        if let reason = cancelReason { return [.voidStarted(id, reason: .canceled(reason))] }
        guard let continuation = attempt.openContinuation else {
            return [.continuationStarted(id, number: (attempt.continuation?.number ?? 0) + 1)]
        }
        // The process that has just sent it receives the answer itself.
        if case .inFlight = continuation.state, now < continuation.startedAt.adding(CheckSchedule.answerLease) {
            return []
        }
        return again(.continuation(id), "not asked for yet", at: now)
    }

    private func observeSettlements(
        _ snapshot: ProviderSnapshot, of id: AttemptID, isOvertaken: Bool, at now: Timestamp
    ) -> [PaymentEvent] {
        var events: [PaymentEvent] = []
        guard let attempt = attempts.first(where: { $0.id == id }) else { return [] }
        let settled = captures.filter { $0.attempt == id && $0.state.isSucceeded }.reduce(Int64(0)) {
            $0 + $1.amount.minorUnits
        }
        if let capture = captures.first(where: { $0.attempt == id && $0.state.isOpen }) {
            if snapshot.captured.minorUnits >= settled + capture.amount.minorUnits {
                events.append(.captured(capture.id, snapshot.reference))
                // More than our own: external captures are picked up by the query that sees ours done.
                if snapshot.captured.minorUnits > settled + capture.amount.minorUnits {
                    events.append(.queryRequested(id, due: now))
                }
            } else if snapshot.hasPendingCapture {
                events += stillUnknown(.capture(capture.id), reason: .pending, at: now)
            } else if snapshot.standing == .voided {
                events.append(.refused(.capture(capture.id), Decline(reason: .authorizationExpired)))
                events.append(.attemptExpired(id))
            } else {
                events += again(.capture(capture.id), "not captured yet", at: now)
            }
        }
        if let void = attempt.void, void.state.isOpen {
            if snapshot.standing == .voided, void.rest != nil, snapshot.captured.minorUnits == settled {
                events.append(.voided(id))
            } else if settled == 0, snapshot.standing == .voided || (!attempt.isLive && snapshot.isDeclined) {
                events += settle(id, [gone(id, void)])
            } else {
                events += again(.void(id), "not voided yet", at: now)
            }
        } else if attempt.authorization != nil, snapshot.standing == .voided, settled == 0, !snapshot.hasPendingCapture,
            !captures.contains(where: { $0.attempt == id && $0.state.isOpen })
        {
            // The money may have been recorded after this query was sent.
            events.append(isOvertaken ? .queryRequested(id, due: now) : .attemptExpired(id))
        }
        if let renewal = renewals.first(where: { $0.attempt == id && $0.state.isOpen }) {
            events += observeRenewal(renewal, of: attempt, in: snapshot, at: now)
        }
        for refund in refunds where refund.attempt == id && refund.state.isOpen {
            events += observeRefund(refund, in: snapshot, at: now)
        }
        let news =
            observeAfterSale(snapshot, of: attempt, at: now) + observeRepeatedRefunds(of: id, in: snapshot)
        // Later writes may be newer than this answer: it is queried again before it is believed.
        return isOvertaken && !news.isEmpty ? events + [.queryRequested(id, due: now)] : events + news
    }

    /// Handles a renewal. A renewed hold has a new reference.
    private func observeRenewal(
        _ renewal: Renewal, of attempt: Attempt, in snapshot: ProviderSnapshot, at now: Timestamp
    ) -> [PaymentEvent] {
        switch snapshot.standing {
        case .voided: [.refused(.renewal(renewal.id), Decline(reason: .authorizationExpired))]
        case .authorized(let held) where held.reference != attempt.reference: [.renewed(renewal.id, held)]
        default: again(.renewal(renewal.id), "not renewed yet", at: now)
        }
    }

    private func observeRefund(
        _ refund: Refund, in snapshot: ProviderSnapshot, at now: Timestamp
    ) -> [PaymentEvent] {
        let mine = snapshot.refunds.filter { refund.isNamed($0) }
        guard let found = mine.first(where: \.mayHaveMoved) ?? mine.first else {
            // Till does not resend operations that it did not request.
            guard refund.origin == .till else { return stillUnknown(.refund(refund.id), reason: .pending, at: now) }
            return again(.refund(refund.id), "not refunded yet", at: now)
        }
        switch found.status {
        case .succeeded: return [.refunded(refund.id, found.reference)]
        case .pending: return stillUnknown(.refund(refund.id), reason: .pending, at: now)
        case .failed(let decline):
            return [
                .refused(.refund(refund.id), decline),
                .attentionRequired(.refund(refund.id), .refundFailed),
            ]
        }
    }
}

extension ProviderSnapshot {
    fileprivate var isDeclined: Bool { if case .declined = standing { true } else { false } }
}
