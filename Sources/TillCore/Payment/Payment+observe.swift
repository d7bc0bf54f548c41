/// What a provider answered to one call.
public enum PaymentAnswer: Hashable, Sendable {
    /// To the preparation of an attempt.
    case prepared(AttemptID, ProviderAnswer<Confirmation>)
    /// To the authorization of an attempt.
    case authorized(AttemptID, ProviderAnswer<Authorization>)
    /// To the continuation of an attempt.
    case continued(AttemptID, ProviderAnswer<Authorization>)
    case captured(CaptureID, ProviderAnswer<Confirmation>)
    case voided(AttemptID, ProviderAnswer<Confirmation>)
    /// To the renewal of a hold.
    case renewed(RenewalID, ProviderAnswer<Authorization>)
    case refunded(RefundID, ProviderAnswer<Confirmation>)
    /// To a query about an attempt.
    case snapshot(AttemptID, ProviderAnswer<ProviderSnapshot>)
    /// Of the clock: a hold is about to end, or has ended.
    case holdEnds(AttemptID)
}

extension Payment {
    /// Says what an answer leads to. An answer that comes late, twice or for something already settled leads to
    /// nothing, so answers may be repeated and reordered.
    public func observe(_ answer: PaymentAnswer, at now: Timestamp) -> [PaymentEvent] {
        switch answer {
        case .prepared(let id, let answer): return observePrepared(id, answer)
        case .authorized(let id, let answer):
            // Once the continuation is asked for, only a yes to what came before it can still mean something.
            if attempts.contains(where: { $0.id == id && $0.openContinuation != nil }) {
                guard case .approved = answer else { return [] }
            }
            return observeAuthorized(id, answer, at: now)
        case .continued(let id, let answer): return observeContinued(id, answer, at: now)
        case .captured(let id, let answer):
            return observeOperation(.capture(id), answer, at: now) { .captured(id, $0.reference) }
        case .voided(let id, let answer): return observeVoided(id, answer, at: now)
        case .renewed(let id, let answer):
            return observeOperation(.renewal(id), answer, at: now) { .renewed(id, $0) }
        case .refunded(let id, let answer):
            return observeOperation(.refund(id), answer, at: now) { .refunded(id, $0.reference) }
        case .snapshot(let id, let answer):
            let events = observeSnapshot(id, answer, at: now)
            return afterRequestedQuery(id, isAnswered: isReadable(answer), events, at: now)
        case .holdEnds(let id): return observeHold(id, at: now)
        }
    }

    private func undecided(_ id: AttemptID) -> Attempt? {
        attempts.first { $0.id == id && $0.isUndecided }
    }

    private func observePrepared(_ id: AttemptID, _ answer: ProviderAnswer<Confirmation>) -> [PaymentEvent] {
        // Later than this the money was asked for, and what is reported of the preparation says nothing any more.
        guard let attempt = undecided(id), attempt.reference == nil, attempt.continuation == nil,
            case .inFlight = attempt.state
        else { return [] }
        switch answer {
        case .approved(let confirmation):
            guard let reference = confirmation.reference else { return [] }
            return [.attemptPrepared(id, reference)]
        case .declined(let decline): return settle(id, [.attemptDeclined(id, decline)])
        // No money was asked for, so an unanswered preparation has certainly taken none.
        case .notSent(let reason): return settle(id, [.attemptNotSent(id, reason: reason)])
        case .keyRejected(let reason): return settle(id, attemptRejected(id, reason))
        case .unknown(let reason): return settle(id, [.attemptNotSent(id, reason: reason.sentence)])
        case .requiresAction(let action): return settle(id, [.attemptNotSent(id, reason: action.kind)])
        case .stored: return settle(id, [.attemptNotSent(id, reason: "a preparation stores nothing")])
        }
    }

    private func observeAuthorized(
        _ id: AttemptID, _ answer: ProviderAnswer<Authorization>, at now: Timestamp
    ) -> [PaymentEvent] {
        guard let attempt = undecided(id) else { return [] }
        switch answer {
        case .approved(let authorization):
            guard !isOtherMoney(authorization, for: attempt) else {
                return observeOtherMoney(attempt, authorization.amount, at: now)
            }
            return afterAuthorization(id, authorization, asked: attempt.amount)
        case .declined(let decline): return settle(id, [.attemptDeclined(id, decline)])
        case .requiresAction(let action):
            if case .requiresAction(action) = attempt.state { return [] }
            return challenged(attempt, action)
        case .stored(let tap):
            if case .stored(tap) = attempt.state { return [] }
            guard let reason = cancelReason, attempt.void == nil else { return [.attemptStored(id, tap)] }
            return [.attemptStored(id, tap), .voidStarted(id, reason: .canceled(reason))]
        case .notSent(let reason): return settle(id, [.attemptNotSent(id, reason: reason)])
        case .keyRejected(let reason): return settle(id, attemptRejected(id, reason))
        case .unknown(let reason): return stillUnknown(.attempt(id), reason: reason, at: now)
        }
    }

    /// What of an undecided attempt nobody knows: the first asking, or the one after the customer's action.
    func asking(_ attempt: Attempt) -> OperationID {
        attempt.openContinuation == nil ? .attempt(attempt.id) : .continuation(attempt.id)
    }

    /// A customer need not do anything for what nobody wants any more.
    private func challenged(_ attempt: Attempt, _ action: CustomerAction) -> [PaymentEvent] {
        let asked = PaymentEvent.actionRequired(attempt.id, action)
        guard let reason = cancelReason, attempt.void == nil else { return [asked] }
        return [asked, .voidStarted(attempt.id, reason: .canceled(reason))]
    }

    private func observeContinued(
        _ id: AttemptID, _ answer: ProviderAnswer<Authorization>, at now: Timestamp
    ) -> [PaymentEvent] {
        guard let attempt = undecided(id), attempt.openContinuation != nil else { return [] }
        switch answer {
        case .approved, .declined: return observeAuthorized(id, answer, at: now)
        case .requiresAction(let action): return challenged(attempt, action)
        case .stored: return stillUnknown(.continuation(id), reason: .unclear("stored"), at: now)
        case .notSent(let reason): return [resent(.continuation(id), .notSent(reason), at: now)]
        case .keyRejected(let reason): return rejected(.continuation(id), reason, at: now)
        case .unknown(let reason): return stillUnknown(.continuation(id), reason: reason, at: now)
        }
    }

    /// What follows from an authorization: a capture, or, if nobody wants the money any more, a void.
    private func afterAuthorization(
        _ id: AttemptID, _ authorization: Authorization, asked: Money
    ) -> [PaymentEvent] {
        var events: [PaymentEvent] = [.authorized(id, authorization)]
        let isBeingVoided = attempts.first { $0.id == id }?.void?.state.isOpen ?? false
        if isBeingVoided, !authorization.isCaptured { return events }
        if let reason = cancelReason {
            if authorization.isCaptured {
                events.append(.refundStarted(nextRefundID, id, authorization.amount, reason: reason))
            } else {
                events.append(.voidStarted(id, reason: .canceled(reason)))
            }
        } else if authorization.isCaptured {
            if authorization.base != asked {
                events.append(.attentionRequired(.attempt(id), .partialApproval(authorization.amount)))
            }
        } else if (authorization.base ?? authorization.amount).minorUnits < asked.minorUnits {
            events.append(.voidStarted(id, reason: .partialApproval))
        } else if captureMode == .automatic {
            events.append(.captureStarted(nextCaptureID, id, authorization.amount, isFinal: true))
        }
        return events
    }

    /// Adds the end of a canceled payment once this attempt is settled without money and no other one may have any.
    private func settle(_ id: AttemptID, _ events: [PaymentEvent]) -> [PaymentEvent] {
        let isFree = attempts.allSatisfy { $0.id == id || !($0.isUndecided || $0.authorization != nil) }
        let isEmpty = capturedOrPending.isZero
        return cancelReason != nil && !isCanceled && isFree && isEmpty ? events + [.canceled] : events
    }

    private func observeVoided(
        _ id: AttemptID, _ answer: ProviderAnswer<Confirmation>, at now: Timestamp
    ) -> [PaymentEvent] {
        guard let void = attempts.first(where: { $0.id == id })?.void, void.state.isOpen else { return [] }
        switch answer {
        case .approved where void.rest != nil: return [.voided(id)]
        case .approved where captures.contains(where: { $0.attempt == id && $0.state.isSucceeded }):
            return [
                .refused(.void(id), Decline(reason: .invalidRequest)),
                .attentionRequired(.void(id), .voidedAfterCapture),
            ]
        case .approved: return settle(id, [gone(id, void)])
        default: return observeOperation(.void(id), answer, at: now) { _ in .voided(id) }
        }
    }

    /// What a void that is done means: an attempt voided because its time was over has expired.
    private func gone(_ id: AttemptID, _ void: Attempt.Void?) -> PaymentEvent {
        void?.reason == .holdEnded ? .attemptExpired(id) : .voided(id)
    }

    /// A hold that has ended cannot be captured any more, so it is voided: a provider whose clock is slow holds the
    /// customer's money no longer than ours says.
    private func observeHold(_ id: AttemptID, at now: Timestamp) -> [PaymentEvent] {
        guard let attempt = attempts.first(where: { $0.id == id }), let hold = untouchedHold(attempt) else { return [] }
        if let end = hold.endWithoutCapture, now >= end { return [.voidStarted(id, reason: .holdEnded)] }
        return hold.warnings.filter { now >= $0.from && !attention.contains($0.attention) }
            .sorted { $0.from < $1.from }.map { .attentionRequired(.attempt(id), $0.attention) }
    }

    private func observeOperation<Done>(
        _ operation: OperationID, _ answer: ProviderAnswer<Done>, at now: Timestamp, done: (Done) -> PaymentEvent
    ) -> [PaymentEvent] {
        guard let state = state(of: operation), state.isOpen else { return [] }
        switch answer {
        case .approved(let result): return [done(result)]
        case .declined(let decline):
            return [.refused(operation, decline), .attentionRequired(operation, .refused(decline.reason))]
        case .requiresAction(let action): return stillUnknown(operation, reason: .unclear(action.kind), at: now)
        case .stored: return stillUnknown(operation, reason: .unclear("stored"), at: now)
        case .notSent(let reason): return [resent(operation, .notSent(reason), at: now)]
        case .keyRejected(let reason): return rejected(operation, reason, at: now)
        case .unknown(let reason): return stillUnknown(operation, reason: reason, at: now)
        }
    }

    /// What certainly did nothing is sent again, later each time.
    func resent(_ operation: OperationID, _ reason: ResendReason, at now: Timestamp) -> PaymentEvent {
        var tries = 0
        if case .deferred(_, let before, _, _) = state(of: operation) { tries = before }
        return .deferred(operation, until: now.adding(CheckSchedule.resendWait(tries: tries)), reason: reason)
    }

    /// One more query without a result; after enough of them a person is asked as well. A query before its time that
    /// finds nothing out changes nothing: whoever asks often must not use up the queries.
    func stillUnknown(_ operation: OperationID, reason: UnknownReason, at now: Timestamp) -> [PaymentEvent] {
        if let open = unknown(operation), now < open.nextCheck { return [] }
        let before = unknown(operation) ?? state(of: operation)?.lastUnknown
        if let before, now < before.nextCheck {
            // It was sent again before its time and is as unknown as it was.
            return [.outcomeUnknown(operation, nextCheck: before.nextCheck, reason: reason)]
        }
        let checks = (before?.checks ?? -1) + 1
        let next = now.adding(CheckSchedule.wait(checks: checks))
        var events: [PaymentEvent] = [.outcomeUnknown(operation, nextCheck: next, reason: reason)]
        let most = CheckSchedule.checksBeforeAttention
        let isSaid = attention.contains { if case .stillUnknown = $0 { true } else { false } }
        if checks == most || (checks > most && !isSaid) {
            events.append(.attentionRequired(operation, .stillUnknown(checks: checks, reason)))
        }
        return events
    }

    /// A query has shown that it is not done, so it is sent again now, also before it is time for a query: some providers
    /// say only then that they have refused it.
    func again(_ operation: OperationID, _ reason: String, at now: Timestamp) -> [PaymentEvent] {
        [.deferred(operation, until: now, reason: .notDone(reason))]
    }

    func unknown(_ operation: OperationID) -> Unknown? {
        if case .attempt(let id) = operation {
            if case .unknown(let unknown) = attempts.first(where: { $0.id == id })?.state { return unknown }
            return nil
        }
        if case .unknown(let unknown) = state(of: operation) { return unknown }
        return nil
    }
}

extension Payment {
    private func observeSnapshot(
        _ id: AttemptID, _ answer: ProviderAnswer<ProviderSnapshot>, at now: Timestamp
    ) -> [PaymentEvent] {
        if case .keyRejected(let reason) = answer { return queryRejected(id, reason, at: now) }
        guard case .approved(let snapshot) = answer, isReadable(answer) else {
            // The customer is still waited for, and whoever watches the payment asks often.
            if let attempt = undecided(id), attempt.void == nil, isBeforeNextQuery(attempt, at: now) { return [] }
            return openOperations(of: id).flatMap {
                stillUnknown($0, reason: .unclear("The query was not answered."), at: now)
            }
        }
        if let attempt = undecided(id) { return observeStanding(snapshot, of: attempt, at: now) }
        return observeSettlements(snapshot, of: id, at: now)
    }

    private func isReadable(_ answer: ProviderAnswer<ProviderSnapshot>) -> Bool {
        if case .approved(let snapshot) = answer { snapshot.captured.currency == currency } else { false }
    }

    /// The customer was sent to the bank's page and still has time for it.
    private func isAtChallenge(_ attempt: Attempt, at now: Timestamp) -> Bool {
        attempt.action != nil && attempt.void == nil && now.since(attempt.startedAt) < CheckSchedule.actionLifetime
    }

    /// The customer is waited for, and the engine's own next query is still to come.
    func isBeforeNextQuery(_ attempt: Attempt, at now: Timestamp) -> Bool {
        guard case .requiresAction = attempt.state else { return false }
        return now.since(updatedAt) < CheckSchedule.actionInterval
    }

    func openOperations(of id: AttemptID) -> [OperationID] {
        var open: [OperationID] = []
        guard let attempt = attempts.first(where: { $0.id == id }) else { return [] }
        // While a void is open the attempt ends with it; one that was refused ends nothing.
        if attempt.isUndecided, attempt.void?.state.isOpen != true { open.append(asking(attempt)) }
        if let void = attempt.void, void.state.isOpen { open.append(.void(id)) }
        open += captures.filter { $0.attempt == id && $0.state.isOpen }.map { .capture($0.id) }
        open += renewals.filter { $0.attempt == id && $0.state.isOpen }.map { .renewal($0.id) }
        open += refunds.filter { $0.attempt == id && $0.state.isOpen }.map { .refund($0.id) }
        return open
    }

    private func observeStanding(
        _ snapshot: ProviderSnapshot, of attempt: Attempt, at now: Timestamp
    ) -> [PaymentEvent] {
        let id = attempt.id
        switch snapshot.standing {
        case .authorized(var authorization):
            if snapshot.captured.isPositive { authorization.isCaptured = true }
            if attempt.void?.state.isOpen == true, isOtherMoney(authorization, for: attempt) {
                return again(.void(id), "not voided yet", at: now)
            }
            return observeAuthorized(id, .approved(authorization), at: now)
        case .declined(let decline): return settle(id, [.attemptDeclined(id, decline)])
        case .voided: return settle(id, [.voided(id)])
        case .continuable: return observeContinuable(attempt, at: now)
        case .requiresAction(let action):
            if let void = attempt.void, void.state.isOpen {
                return again(.void(id), "not voided yet", at: now)
            }
            // This query may be older than the continuation; the continuation's own answer decides.
            if attempt.openContinuation != nil { return observeContinuable(attempt, at: now) }
            guard now.since(attempt.startedAt) < CheckSchedule.actionLifetime || attempt.void != nil else {
                return [.voidStarted(id, reason: .abandoned)]
            }
            // Written again when its time has come, so that the next query has its time too.
            if case .requiresAction(action) = attempt.state, isBeforeNextQuery(attempt, at: now) { return [] }
            return [.actionRequired(id, action)]
        case .stored(let tap):
            guard case .stored = attempt.state else { return observeAuthorized(id, .stored(tap), at: now) }
            if let void = attempt.void, void.state.isOpen {
                return again(.void(id), "not voided yet", at: now)
            }
            let overdue = Attention.tapOverdue(expires: tap.expires)
            guard now >= tap.expires, !attention.contains(overdue) else { return [] }
            return [.attentionRequired(.attempt(id), overdue)]
        case .processing:
            let isBeingVoided = attempt.void?.state.isOpen ?? false
            return stillUnknown(
                isBeingVoided ? .void(id) : asking(attempt), reason: .unclear("The provider is still processing."),
                at: now)
        case .unconfirmed where isAtChallenge(attempt, at: now):
            // The customer may still be at the bank's page: the provider has nothing to report of it yet.
            return isBeforeNextQuery(attempt, at: now) ? [] : attempt.action.map { [.actionRequired(id, $0)] } ?? []
        case .notFound, .unconfirmed:
            // Nobody holds the customer's credential any more, so this attempt cannot go on. It is voided at the
            // provider, so that a request that is still under way can never charge it.
            guard let void = attempt.void else { return [.voidStarted(id, reason: .abandoned)] }
            guard void.state.isOpen else {
                return stillUnknown(asking(attempt), reason: .unclear("The provider refuses to void it."), at: now)
            }
            return again(.void(id), "not voided yet", at: now)
        }
    }

    /// The customer has done what was asked, and the provider waits for us. The money is asked for only after this is
    /// in the journal, once, and not if nobody wants it any more.
    private func observeContinuable(_ attempt: Attempt, at now: Timestamp) -> [PaymentEvent] {
        let id = attempt.id
        if let void = attempt.void {
            guard void.state.isOpen else {
                return stillUnknown(asking(attempt), reason: .unclear("The provider refuses to void it."), at: now)
            }
            return again(.void(id), "not voided yet", at: now)
        }
        if let reason = cancelReason { return [.voidStarted(id, reason: .canceled(reason))] }
        guard let continuation = attempt.openContinuation else {
            return [.continuationStarted(id, number: (attempt.continuation?.number ?? 0) + 1)]
        }
        // Whoever has just sent it hears the answer himself.
        if case .inFlight = continuation.state, now < continuation.startedAt.adding(CheckSchedule.answerLease) {
            return []
        }
        return again(.continuation(id), "not asked for yet", at: now)
    }

    private func observeSettlements(
        _ snapshot: ProviderSnapshot, of id: AttemptID, at now: Timestamp
    ) -> [PaymentEvent] {
        var events: [PaymentEvent] = []
        guard let attempt = attempts.first(where: { $0.id == id }) else { return [] }
        let settled = captures.filter { $0.attempt == id && $0.state.isSucceeded }.reduce(Int64(0)) {
            $0 + $1.amount.minorUnits
        }
        if let capture = captures.first(where: { $0.attempt == id && $0.state.isOpen }) {
            if snapshot.captured.minorUnits >= settled + capture.amount.minorUnits {
                events.append(.captured(capture.id, snapshot.reference))
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
            } else if snapshot.standing == .voided, settled == 0 {
                events += settle(id, [gone(id, void)])
            } else {
                events += again(.void(id), "not voided yet", at: now)
            }
        } else if attempt.authorization != nil, snapshot.standing == .voided, settled == 0,
            !captures.contains(where: { $0.attempt == id && $0.state.isOpen })
        {
            events.append(.attemptExpired(id))
        }
        if let renewal = renewals.first(where: { $0.attempt == id && $0.state.isOpen }) {
            events += observeRenewal(renewal, of: attempt, in: snapshot, at: now)
        }
        for refund in refunds where refund.attempt == id && refund.state.isOpen {
            events += observeRefund(refund, in: snapshot, at: now)
        }
        return events + observeAfterSale(snapshot, of: attempt, at: now)
            + observeRepeatedRefunds(of: id, in: snapshot)
    }

    /// A renewed hold has another name than the one that was renewed.
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
            // What others have asked for is not sent again by Till.
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
