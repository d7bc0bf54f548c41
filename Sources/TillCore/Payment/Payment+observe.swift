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
    /// nothing, so answers may be repeated and reordered. Texts in it are cut to what is kept.
    /// - Parameters:
    ///   - basis: what was known when a query was sent; `nil`: this state.
    ///   - standing: while the clock is in doubt nothing is given up because of its age.
    public func observe(
        _ answer: PaymentAnswer, at now: Timestamp, from basis: QueryBasis? = nil, standing: ClockStanding = .trusted
    ) -> [PaymentEvent] {
        switch answer.bounded {
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
            let basis = basis ?? QueryBasis(self)
            let events = observeSnapshot(id, answer, isOvertaken: basis.version < version, at: now, standing)
            return afterQuery(id, isAnswered: isReadable(answer, of: id), from: basis, events, at: now)
        case .holdEnds(let id): return standing.isTrusted ? observeHold(id, at: now) : []
        }
    }

    func undecided(_ id: AttemptID) -> Attempt? {
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

    func observeAuthorized(
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
                events.append(.refundStarted(newRefundID, id, authorization.amount, reason: reason))
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
            events.append(.captureStarted(newCaptureID, id, authorization.amount, isFinal: true))
        }
        return events
    }

    /// Adds the end of a canceled payment once this attempt is settled without money and no other one may have any.
    func settle(_ id: AttemptID, _ events: [PaymentEvent]) -> [PaymentEvent] {
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
    func gone(_ id: AttemptID, _ void: Attempt.Void?) -> PaymentEvent {
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
            let refused: [PaymentEvent] = [
                .refused(operation, decline), .attentionRequired(operation, .refused(decline.reason)),
            ]
            // Others have captured: how much is to be learned, whatever becomes of the first query.
            guard let attempt = attemptID(of: operation),
                decline.reason == .alreadyCaptured || isVoidOfFailedCapture(operation)
            else { return refused }
            return refused + [.queryRequested(attempt, due: now)]
        case .requiresAction(let action): return stillUnknown(operation, reason: .unclear(action.kind), at: now)
        case .stored: return stillUnknown(operation, reason: .unclear("stored"), at: now)
        case .notSent(let reason): return [resent(operation, .notSent(reason), at: now)]
        case .keyRejected(let reason): return rejected(operation, reason, at: now)
        case .unknown(let reason): return stillUnknown(operation, reason: reason, at: now)
        }
    }

    /// A provider that refuses to void what failed may hold nothing any more, or have collected it again.
    private func isVoidOfFailedCapture(_ operation: OperationID) -> Bool {
        guard case .void(let id) = operation, let attempt = attempts.first(where: { $0.id == id }) else { return false }
        return hasFailedCapture(attempt)
    }

    /// The attempt whose money an operation is about.
    private func attemptID(of operation: OperationID) -> AttemptID? {
        switch operation {
        case .attempt(let id), .continuation(let id), .void(let id): id
        case .capture(let id): captures.first { $0.id == id }?.attempt
        case .renewal(let id): renewals.first { $0.id == id }?.attempt
        case .refund(let id): refunds.first { $0.id == id }?.attempt
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
        if let open = unknown(operation), !CheckSchedule.isReached(open.nextCheck, at: now) { return [] }
        let before = unknown(operation) ?? state(of: operation)?.lastUnknown
        if let before, !CheckSchedule.isReached(before.nextCheck, at: now) {
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

    /// A query has shown that it is not done, so it is sent again now, also before it is time for a query: some
    /// providers say only then that they have refused it.
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
