/// A pending step of a payment, derived from its state. Always safe to repeat.
public enum PaymentEffect: Hashable, Sendable {
    /// Query the outcome of the attempt.
    case query(AttemptID)
    /// Continue an attempt after the customer's action, with its key.
    case continueAttempt(AttemptID)
    /// Send the void, with its key.
    case void(AttemptID)
    /// Send the capture, with its key.
    case capture(CaptureID)
    /// Send the renewal of a hold, with its key.
    case renew(RenewalID)
    /// Send the refund, with its key.
    case refund(RefundID)
    /// Warn that a hold is about to end, or void it because it has. Calls no provider.
    case watchHold(AttemptID)
}

/// An effect and the time from which it is due.
public struct PendingEffect: Hashable, Sendable {
    public var effect: PaymentEffect
    public var due: Timestamp
    /// `true` if the time is set by the provider and may be weeks away.
    var isFarAhead = false

    public init(effect: PaymentEffect, due: Timestamp) { self.init(effect: effect, due: due, isFarAhead: false) }

    init(effect: PaymentEffect, due: Timestamp, isFarAhead: Bool) {
        self.effect = effect
        self.due = due
        self.isFarAhead = isFarAhead
    }

    /// Returns the time from which the effect is due: at most `now` if its time has come or cannot have been meant.
    fileprivate func dueTime(at now: Timestamp) -> Timestamp {
        !isFarAhead && CheckSchedule.isReached(due, at: now) ? min(due, now) : due
    }
}

extension Payment {
    /// Returns all pending steps. `capabilities` gives the time for which the attempt's provider remembers a key:
    /// within that window the same key is sent again, after it the provider is queried first. `isOrphan` is `true` if
    /// the process that had the calls in flight is dead, so that they are due at once.
    public func pendingEffects(
        capabilities: (ProviderName) -> ProviderCapabilities?, at now: Timestamp, isOrphan: Bool = false
    ) -> [PendingEffect] {
        planned(capabilities, now, isOrphan).map { pending in
            var pending = pending
            pending.due = pending.dueTime(at: now)
            return pending
        }
    }

    private func planned(
        _ capabilities: (ProviderName) -> ProviderCapabilities?, _ now: Timestamp, _ isOrphan: Bool
    ) -> [PendingEffect] {
        var effects: [PendingEffect] = []
        if isAtRest {
            effects += requestedQueries.map { PendingEffect(effect: .query($0.attempt), due: $0.due) }
        }
        for attempt in attempts {
            let window = capabilities(attempt.provider)?.replayWindow ?? .seconds(0)
            if let void = attempt.void, void.state.isOpen {
                effects.append(
                    pending(
                        .void(attempt.id), void.state, startedAt: void.startedAt, attempt: attempt.id,
                        window: window, now: now, isOrphan: isOrphan))
            } else if let continuation = attempt.openContinuation {
                var next = pending(
                    .continueAttempt(attempt.id), continuation.state, startedAt: continuation.startedAt,
                    attempt: attempt.id, window: window, now: now, isOrphan: isOrphan)
                // The payment was canceled: the outcome is queried, and the money is not requested again.
                if cancelReason != nil { next.effect = .query(attempt.id) }
                effects.append(next)
            } else if case .stored(let tap) = attempt.state {
                // The forwarder settles it; the engine only watches its expiry.
                if !attention.contains(.tapOverdue(expires: tap.expires)) {
                    effects.append(PendingEffect(effect: .query(attempt.id), due: tap.expires, isFarAhead: true))
                }
            } else if attempt.isUndecided {
                effects.append(PendingEffect(effect: .query(attempt.id), due: due(of: attempt, isOrphan: isOrphan)))
            } else if let hold = untouchedHold(attempt) {
                let next = hold.warnings.filter { !attention.contains($0.attention) }.map(\.from).min()
                if let due = next ?? hold.endWithoutCapture {
                    effects.append(PendingEffect(effect: .watchHold(attempt.id), due: due, isFarAhead: true))
                }
            }
            for renewal in renewals where renewal.attempt == attempt.id && renewal.state.isOpen {
                effects.append(
                    pending(
                        .renew(renewal.id), renewal.state, startedAt: renewal.startedAt, attempt: attempt.id,
                        window: window, now: now, isOrphan: isOrphan))
            }
            for capture in captures where capture.attempt == attempt.id && capture.state.isOpen {
                effects.append(
                    pending(
                        .capture(capture.id), capture.state, startedAt: capture.startedAt, attempt: attempt.id,
                        window: window, now: now, isOrphan: isOrphan))
            }
            for refund in refunds where refund.attempt == attempt.id && refund.state.isOpen {
                effects.append(
                    pending(
                        // Till never sends an operation that it did not request.
                        refund.origin == .till ? .refund(refund.id) : .query(attempt.id), refund.state,
                        startedAt: refund.startedAt, attempt: attempt.id,
                        window: window, now: now, isOrphan: isOrphan))
            }
        }
        return effects
    }

    /// The time at which the earliest effect is due; `nil` if there is no pending work.
    public var nextDue: Timestamp? {
        var next: Timestamp?
        for pending in planned({ _ in nil }, updatedAt, false) {
            let due = pending.dueTime(at: updatedAt)
            next = min(next ?? due, due)
        }
        return next
    }

    /// A hold with deadlines to be watched.
    struct Hold {
        /// A warning and the time from which it is due.
        struct Warning {
            var from: Timestamp
            var attention: Attention
        }
        /// The end of the hold; `nil` if the provider does not report it.
        var end: Timestamp?
        /// `true` if a capture waits to be sent: it alone decides about the hold, and the hold's end is warned of.
        var isAwaitingCapture: Bool
        var warnings: [Warning]
        /// The time at which the hold is to be voided; `nil` while it may still be captured.
        var endWithoutCapture: Timestamp? { isAwaitingCapture ? nil : end }
    }

    /// Returns a hold that is neither captured, being captured, being renewed nor released, with the deadlines to warn
    /// of: its end, and the end of the issuer's guarantee. A hold stays watched despite a capture that was certainly
    /// not done, such as while our own credentials are rejected.
    func untouchedHold(_ attempt: Attempt) -> Hold? {
        guard attempt.isUnreleased, let authorization = attempt.authorization,
            authorization.captureBefore != nil || authorization.honoredUntil != nil,
            // A hold with a failed capture is left to an operator: the provider may collect it again.
            !captures.contains(where: { $0.attempt == attempt.id && $0.state.mayHaveBeenDone }),
            !renewals.contains(where: { $0.attempt == attempt.id && $0.state.isOpen })
        else { return nil }
        func notice(of deadline: Timestamp) -> Timestamp {
            let half = deadline.since(attempt.startedAt).milliseconds / 2
            return deadline.adding(.milliseconds(-min(CheckSchedule.holdWarning.milliseconds, max(0, half))))
        }
        let end = authorization.captureBefore
        var warnings = end.map { [Hold.Warning(from: notice(of: $0), attention: .holdEnds($0))] } ?? []
        if let honored = authorization.honoredUntil, end.map({ honored < $0 }) ?? true {
            warnings.append(Hold.Warning(from: notice(of: honored), attention: .honorPeriodEnds(honored)))
        }
        let waits = captures.contains { $0.attempt == attempt.id && $0.state.isOpen }
        return Hold(end: end, isAwaitingCapture: waits, warnings: warnings)
    }

    private func due(of attempt: Attempt, isOrphan: Bool) -> Timestamp {
        switch attempt.state {
        case .unknown(let unknown): unknown.nextCheck
        case .requiresAction:
            updatedAt.adding(CheckSchedule.actionWait(since: attempt.startedAt, lastWritten: updatedAt))
        default: isOrphan ? attempt.startedAt : attempt.startedAt.adding(CheckSchedule.answerLease)
        }
    }

    private func pending(
        _ effect: PaymentEffect, _ state: OperationState, startedAt: Timestamp, attempt: AttemptID, window: Span,
        now: Timestamp, isOrphan: Bool
    ) -> PendingEffect {
        // Our window ends before the provider's. A start in the future has an unknown age.
        func isInside(_ start: Timestamp) -> Bool {
            CheckSchedule.isRecent(
                start, within: Span(milliseconds: window.milliseconds &- CheckSchedule.keyMargin.milliseconds), at: now)
        }
        let keyIsRemembered = isInside(startedAt)
        switch state {
        case .inFlight:
            return PendingEffect(
                effect: keyIsRemembered ? effect : .query(attempt),
                due: isOrphan ? startedAt : startedAt.adding(CheckSchedule.answerLease))
        case .deferred(let until, _, let isQueried, _):
            // An operation that a query showed not to be done was sent after that query at the earliest, so its key is
            // as old as the query. Otherwise this try was not sent, but one before a crash may have been. A provider
            // without keys is queried right before each call.
            let isFresh = now.since(until).milliseconds.magnitude < 1000 || isInside(until)
            let isSafe = isQueried ? isFresh : keyIsRemembered
            return PendingEffect(effect: isSafe ? effect : .query(attempt), due: until)
        case .unknown(let unknown):
            // A pending outcome is settled by queries; others by the same key while it is remembered.
            let asks = !keyIsRemembered || unknown.checks > 0 || unknown.reason.isSettledByAsking
            return PendingEffect(effect: asks ? .query(attempt) : effect, due: unknown.nextCheck)
        case .succeeded, .refused, .reversed:
            return PendingEffect(effect: .query(attempt), due: Timestamp(milliseconds: .max))
        }
    }
}

extension Attempt {
    /// `true` if the hold is not being voided, or the provider refused the void while the hold lasted. A void refused
    /// after the end of the hold would be refused forever: that is left to operators.
    fileprivate var isUnreleased: Bool {
        guard let void else { return true }
        guard case .refused = void.state else { return false }
        return void.reason != .holdEnded
    }
}
