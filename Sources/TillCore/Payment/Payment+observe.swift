/// A provider's answer to one call.
public enum PaymentAnswer: Hashable, Sendable {
    /// The answer to the preparation of an attempt.
    case prepared(AttemptID, ProviderAnswer<Confirmation>)
    /// The answer to the authorization of an attempt.
    case authorized(AttemptID, ProviderAnswer<Authorization>)
    /// The answer to the continuation of an attempt.
    case continued(AttemptID, ProviderAnswer<Authorization>)
    case captured(CaptureID, ProviderAnswer<Confirmation>)
    case voided(AttemptID, ProviderAnswer<Confirmation>)
    /// The answer to the renewal of a hold.
    case renewed(RenewalID, ProviderAnswer<Authorization>)
    case refunded(RefundID, ProviderAnswer<Confirmation>)
    /// The answer to a query about an attempt.
    case snapshot(AttemptID, ProviderAnswer<ProviderSnapshot>)
    /// A clock event: a hold is about to end, or has ended.
    case holdEnds(AttemptID)
}

extension Payment {
    /// Returns the events that an answer leads to. A late or duplicate answer, or one to a settled operation, leads to
    /// nothing, so answers may be repeated and reordered. Texts in it are truncated to their stored length.
    /// - Parameters:
    ///   - basis: The known state at the time a query was sent; `nil` for this state.
    ///   - standing: While the clock is in doubt, nothing is abandoned because of its age.
    public func observe(
        _ answer: PaymentAnswer, at now: Timestamp, from basis: QueryBasis? = nil, standing: ClockStanding = .trusted
    ) -> [PaymentEvent] {
        switch answer.bounded {
        case .prepared(let id, let answer): return observePrepared(id, answer)
        case .authorized(let id, let answer):
            // Once the continuation is requested, only an approval of an earlier call can still matter.
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
            return afterQuery(id, answer, from: basis, events, at: now)
        case .holdEnds(let id): return standing.isTrusted ? observeHold(id, at: now) : []
        }
    }

    func undecided(_ id: AttemptID) -> Attempt? {
        attempts.first { $0.id == id && $0.isUndecided }
    }

    private func observePrepared(_ id: AttemptID, _ answer: ProviderAnswer<Confirmation>) -> [PaymentEvent] {
        // After this point the money was requested, and a report about the preparation is irrelevant.
        guard let attempt = undecided(id), attempt.reference == nil, attempt.continuation == nil,
            case .inFlight = attempt.state
        else { return [] }
        switch answer {
        case .approved(let confirmation):
            guard let reference = confirmation.reference else { return [] }
            return [.attemptPrepared(id, reference)]
        case .declined(let decline): return settle(id, [.attemptDeclined(id, decline)])
        // No money was requested, so an unanswered preparation has certainly taken none.
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
        guard let attempt = undecided(id) else { return observeLateApproval(id, answer, at: now) }
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

    /// Returns the unknown operation of an undecided attempt: the original authorization, or its continuation.
    func asking(_ attempt: Attempt) -> OperationID {
        attempt.openContinuation == nil ? .attempt(attempt.id) : .continuation(attempt.id)
    }

    /// Requires the customer's action, and voids the attempt if the payment was canceled.
    func challenged(_ attempt: Attempt, _ action: CustomerAction) -> [PaymentEvent] {
        let asked = PaymentEvent.actionRequired(attempt.id, action.repeating(attempt.lastAction))
        guard let reason = cancelReason, attempt.void == nil else { return [asked] }
        return [asked, .voidStarted(attempt.id, reason: .canceled(reason))]
    }

    private func observeContinued(
        _ id: AttemptID, _ answer: ProviderAnswer<Authorization>, at now: Timestamp
    ) -> [PaymentEvent] {
        guard let attempt = undecided(id), attempt.openContinuation != nil else {
            return observeLateApproval(id, answer, at: now)
        }
        switch answer {
        case .approved, .declined: return observeAuthorized(id, answer, at: now)
        case .requiresAction(let action): return challenged(attempt, action)
        case .stored: return stillUnknown(.continuation(id), reason: .unclear("stored"), at: now)
        case .notSent(let reason): return [resent(.continuation(id), .notSent(reason), at: now)]
        case .keyRejected(let reason): return rejected(.continuation(id), reason, at: now)
        case .unknown(let reason): return stillUnknown(.continuation(id), reason: reason, at: now)
        }
    }

    /// Returns the follow-up of an authorization: a capture, or a void if the payment was canceled.
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

    /// Returns the event of a completed void: an attempt voided because its time was over has expired.
    func gone(_ id: AttemptID, _ void: Attempt.Void?) -> PaymentEvent {
        void?.reason == .holdEnded ? .attemptExpired(id) : .voided(id)
    }

    /// Handles the end of a hold: an expired hold can no longer be captured, so it is voided. A provider with a slow
    /// clock thus holds the customer's money no longer than our clock allows.
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
            // Captured externally: the amount must be established, whatever the first query yields.
            guard let attempt = attemptID(of: operation),
                decline.reason == .alreadyCaptured || isVoidOfFailedCapture(operation) || isVoidOfEnded(operation)
            else { return refused }
            return refused + [.queryRequested(attempt, due: now)]
        case .requiresAction(let action): return stillUnknown(operation, reason: .unclear(action.kind), at: now)
        case .stored: return stillUnknown(operation, reason: .unclear("stored"), at: now)
        case .notSent(let reason): return [resent(operation, .notSent(reason), at: now)]
        case .keyRejected(let reason): return rejected(operation, reason, at: now)
        case .unknown(let reason): return stillUnknown(operation, reason: reason, at: now)
        }
    }

    /// Returns `true` for the void of a failed capture: a provider that refuses it may hold nothing any more, or have
    /// collected the money again.
    private func isVoidOfFailedCapture(_ operation: OperationID) -> Bool {
        guard case .void(let id) = operation, let attempt = attempts.first(where: { $0.id == id }) else { return false }
        return hasFailedCapture(attempt)
    }

    /// `true` for the void of a late approval beside another attempt: if it is refused, money may be captured.
    private func isVoidOfEnded(_ operation: OperationID) -> Bool {
        guard case .void(let id) = operation, let attempt = attempts.first(where: { $0.id == id }) else { return false }
        return !attempt.isLive
    }

    /// Returns the attempt that an operation concerns.
    private func attemptID(of operation: OperationID) -> AttemptID? {
        switch operation {
        case .attempt(let id), .continuation(let id), .void(let id): id
        case .capture(let id): captures.first { $0.id == id }?.attempt
        case .renewal(let id): renewals.first { $0.id == id }?.attempt
        case .refund(let id): refunds.first { $0.id == id }?.attempt
        }
    }

    /// Defers an operation that certainly did nothing, later each time.
    func resent(_ operation: OperationID, _ reason: ResendReason, at now: Timestamp) -> PaymentEvent {
        var tries = 0
        if case .deferred(_, let before, _, _) = state(of: operation) { tries = before }
        return .deferred(operation, until: now.adding(CheckSchedule.resendWait(tries: tries)), reason: reason)
    }

    /// Records one more query without a result, and notifies an operator after enough of them. A premature query
    /// without news changes nothing: frequent callers must not use up the queries.
    func stillUnknown(_ operation: OperationID, reason: UnknownReason, at now: Timestamp) -> [PaymentEvent] {
        if let open = unknown(operation), !CheckSchedule.isReached(open.nextCheck, at: now) { return [] }
        let before = unknown(operation) ?? state(of: operation)?.lastUnknown
        if let before, !CheckSchedule.isReached(before.nextCheck, at: now) {
            // It was sent again ahead of time, and its outcome is still unknown.
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

    /// Schedules an operation to be sent again now, because a query showed it not to be done; even before the next
    /// query is due, because some providers report a refusal only then.
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
