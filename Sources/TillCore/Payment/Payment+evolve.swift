extension Payment {
    /// Applies one event. Total: an event that names an unknown object changes nothing but the version, as does any
    /// event after one that violated an invariant.
    public mutating func evolve(_ record: RecordedEvent) {
        version += 1
        updatedAt = record.at
        guard broken == nil else { return }
        apply(record)
        broken = ruleBroken(by: record.event).map { BrokenInvariant(rule: $0, version: version) }
    }

    private mutating func apply(_ record: RecordedEvent) {
        let at = record.at
        switch record.event {
        case .created: break
        case .attemptStarted(let start):
            var attempt = Attempt(
                id: start.attempt, provider: start.provider, tender: start.tender, amount: start.amount,
                startedAt: at, identity: start.identity, reference: nil, state: .inFlight, void: nil)
            if start.tender.kind == .cash { attempt.drawer = record.by?.drawer }
            attempts.append(attempt)
            liveAttempts += 1
        case .attemptBound(let id, let identity):
            change(id) { $0.identity = identity }
        case .attemptPrepared(let id, let reference):
            change(id) { $0.reference = reference }
        case .authorized(let id, let authorization):
            applyAuthorization(id, authorization, at: at)
        case .actionRequired(let id, let action):
            change(id) {
                let known = action.completed(by: $0.lastAction)
                ($0.state, $0.lastAction) = (.requiresAction(known), known)
                $0.challengedSince = min($0.challengedSince ?? at, at)
                $0.endContinuation(.refused(Decline(reason: .generic, code: "requires_action")))
            }
        case .continuationStarted(let id, let number):
            change(id) {
                $0.state = .inFlight
                $0.continuation = Attempt.Continuation(number: number, startedAt: at, state: .inFlight)
            }
        case .attemptStored(let id, let tap):
            change(id) {
                $0.state = .stored(tap)
                $0.reference = tap.record
            }
        case .attemptDeclined(let id, let decline):
            change(id) {
                $0.state = .declined(decline)
                if let card = decline.card { $0.tender.card = card }
                $0.endContinuation(.refused(decline))
            }
        case .attemptNotSent(let id, let reason):
            change(id) {
                $0.state = .notSent(reason: reason)
                $0.endContinuation(.refused(Decline(reason: .generic, code: "not_sent")))
            }
        case .attemptExpired(let id):
            change(id) {
                $0.state = .expired
                $0.endContinuation(.refused(Decline(reason: .authorizationExpired)))
                if $0.void?.state.isOpen == true { $0.void?.state = .succeeded(nil) }
            }
        case .voidStarted(let id, let reason):
            let rest = restOfHold(id)
            change(id) {
                $0.void = Attempt.Void(
                    reason: reason, startedAt: at, rest: rest, number: ($0.void?.number ?? 0) + 1, state: .inFlight)
            }
        case .voided(let id):
            change(id) {
                if case .authorized(var held) = $0.state, let rest = $0.void?.rest {
                    // The captured part stays; the hold is reduced to it.
                    held.amount = Money(
                        minorUnits: held.amount.minorUnits - rest.minorUnits, currency: rest.currency)
                    $0.state = .authorized(held)
                } else {
                    $0.state = .voided
                }
                $0.endContinuation(.refused(Decline(reason: .generic, code: "voided")))
                $0.void?.state = .succeeded(nil)
            }
        case .captureStarted(let id, let attempt, let amount, let isFinal):
            append(
                Capture(
                    id: id, attempt: attempt, amount: amount, isFinal: isFinal, startedAt: at, state: .inFlight))
        case .captured(let id, let reference):
            change(.capture(id)) { state, _ in state = .succeeded(reference) }
        case .renewalStarted(let id, let attempt, let amount):
            renewals.append(Renewal(id: id, attempt: attempt, amount: amount, startedAt: at, state: .inFlight))
        case .renewed(let id, let authorization):
            applyRenewal(id, authorization)
        case .refundStarted(let id, let attempt, let amount, let reason):
            var refund = Refund(
                id: id, attempt: attempt, amount: amount, reason: reason, startedAt: at, state: .inFlight)
            if let sale = attempts.last(where: { $0.id == attempt }), sale.tender.kind == .cash {
                refund.drawer = record.by?.drawer ?? sale.drawer
            }
            refunds.append(refund)
            refundSums.change(amount.minorUnits, from: nil, to: .inFlight)
        case .refunded(let id, let reference):
            if let refund = refunds.last(where: { $0.id == id }), !refund.state.isOpen, !refund.state.isSucceeded {
                outside.addRefund(refund.amount)
                if let reference { origin(of: id, is: .provider(reference)) }
            }
            change(.refund(id)) { state, _ in state = .succeeded(reference) }
        case .refused(let operation, let decline):
            change(operation) { state, _ in state = .refused(decline) }
        case .deferred(let operation, let until, let reason):
            change(operation) { state, sendings in
                sendings.noteDeferred(reason, from: state, at: at)
                let isQueried =
                    switch reason {
                    case .notDone: true
                    case .notSent, .keyRejected: false
                    }
                var tries = isQueried ? 0 : 1
                if case .deferred(_, let before, _, _) = state { tries += before }
                state = .deferred(until: until, tries: tries, isQueried: isQueried, after: state.lastUnknown)
            }
        case .outcomeUnknown(let operation, let nextCheck, let reason):
            applyUnknown(operation, nextCheck: nextCheck, reason: reason, at: at)
        case .cancelRequested(let reason):
            cancelReason = reason
        case .canceled:
            isCanceled = true
        case .attentionRequired(let operation, let attention):
            attentionItems.append(
                AttentionItem(
                    number: attentionItems.count + 1, operation: operation, attention: attention, since: at))
        case .refundReversed, .captureReversed, .captureRestored, .captureReported, .refundReported, .disputeOpened,
            .disputeUpdated, .disputeFundsWithdrawn, .disputeFundsReinstated, .disputeClosed, .attentionClosed,
            .queryRequested, .queryAnswered:
            applyAfterSale(record)
        }
    }

    /// Applies an event to a settled payment.
    private mutating func applyAfterSale(_ record: RecordedEvent) {
        switch record.event {
        case .refundReversed(let id, let decline):
            guard let refund = refunds.last(where: { $0.id == id }), refund.state.isSucceeded else { return }
            change(.refund(id)) { state, _ in state = .reversed(refund.reference, decline) }
        case .captureReversed(let id, let decline):
            guard let capture = captures.last(where: { $0.id == id }), case .succeeded(let reference) = capture.state
            else { return }
            outside.addRefund(capture.amount)
            change(.capture(id)) { state, _ in state = .reversed(reference, decline) }
        case .captureRestored(let id):
            guard let capture = captures.last(where: { $0.id == id }), case .reversed(let reference, _) = capture.state
            else { return }
            outside.addCapture(capture.amount)
            change(.capture(id)) { state, _ in state = .succeeded(reference) }
        case .captureReported(let id, let attempt, let amount, let origin):
            outside.addCapture(amount)
            append(
                Capture(
                    id: id, attempt: attempt, amount: amount, isFinal: origin == .elsewhere, startedAt: record.at,
                    state: .succeeded(origin.reference), origin: origin))
        case .refundReported(let id, let attempt, let amount, let origin):
            outside.addRefund(amount)
            let state = OperationState.succeeded(origin.reference)
            refunds.append(
                Refund(
                    id: id, attempt: attempt, amount: amount, reason: nil, startedAt: record.at, state: state,
                    origin: origin))
            refundSums.change(amount.minorUnits, from: nil, to: state)
        case .disputeOpened(let attempt, let facts):
            guard !disputes.contains(where: { $0.facts.reference == facts.reference }) else { return }
            disputes.append(
                Dispute(
                    attempt: attempt, openedAt: record.at, facts: facts, withdrawn: .zero(facts.amount.currency)))
        case .disputeUpdated(let facts):
            change(facts.reference) {
                $0.facts = facts
                $0.outcome = nil
            }
        case .disputeFundsWithdrawn(let reference, let amount): change(reference) { $0.move(amount.minorUnits) }
        case .disputeFundsReinstated(let reference, let amount): change(reference) { $0.move(0 &- amount.minorUnits) }
        case .disputeClosed(let reference, let outcome): change(reference) { $0.outcome = outcome }
        case .attentionClosed(let number, let resolution):
            guard attentionItems.indices.contains(number - 1), attentionItems[number - 1].closing == nil else { return }
            attentionItems[number - 1].closing = AttentionItem.Closing(resolution: resolution, at: record.at)
        case .queryRequested(let attempt, let due): keep(queryAbout: attempt, due: due, at: record.at)
        case .queryAnswered(let attempt): requestedQueries.removeAll { $0.attempt == attempt }
        case .created, .attemptStarted, .attemptBound, .attemptPrepared, .authorized, .actionRequired,
            .continuationStarted,
            .attemptStored, .attemptDeclined, .attemptNotSent, .attemptExpired, .voidStarted, .voided, .captureStarted,
            .captured, .renewalStarted, .renewed, .refundStarted, .refunded, .refused, .deferred, .outcomeUnknown,
            .cancelRequested, .canceled, .attentionRequired:
            break
        }
    }

    private mutating func origin(of id: RefundID, is origin: OperationOrigin) {
        guard let index = refunds.lastIndex(where: { $0.id == id }) else { return }
        refunds[index].origin = origin
    }

    private mutating func change(_ reference: ProviderReference, _ body: (inout Dispute) -> Swift.Void) {
        guard let index = disputes.firstIndex(where: { $0.facts.reference == reference }) else { return }
        body(&disputes[index])
    }

    private mutating func applyAuthorization(_ id: AttemptID, _ authorization: Authorization, at: Timestamp) {
        guard attempts.contains(where: { $0.id == id }) else { return }
        change(id) {
            $0.state = .authorized(authorization)
            $0.reference = authorization.reference
            $0.heldSince = at
            $0.mostAuthorized = max($0.mostAuthorized, authorization.amount.minorUnits)
            $0.tipUnits = authorization.tip?.minorUnits ?? 0
            $0.approvedUnits = (authorization.base ?? authorization.amount).minorUnits
            $0.endContinuation(.succeeded(authorization.reference))
            if let card = authorization.card { $0.tender.card = card }
        }
        guard authorization.isCaptured, !captures.contains(where: { $0.attempt == id }) else { return }
        append(
            Capture(
                id: nextCaptureID, attempt: id, amount: authorization.amount, isFinal: true, startedAt: at,
                state: .succeeded(authorization.reference)))
    }

    private mutating func append(_ capture: Capture) {
        captures.append(capture)
        captureSums.change(capture.amount.minorUnits, from: nil, to: capture.state)
    }

    /// Returns the rest of a hold after a partial capture; `nil` if no part was captured, or nothing is left.
    func restOfHold(_ id: AttemptID) -> Money? {
        guard let held = attempts.first(where: { $0.id == id })?.authorization, !held.isCaptured else { return nil }
        let mine = captures.filter { $0.attempt == id && $0.state.isSucceeded }
        let rest = Money(
            minorUnits: held.amount.minorUnits - sum(mine.lazy.map(\.amount)).minorUnits, currency: currency)
        guard !mine.isEmpty, !mine.contains(where: \.isFinal), rest.isPositive else { return nil }
        return rest
    }

    /// Applies a renewal: the hold keeps its amount, and takes its reference, end and honor period from the renewal.
    private mutating func applyRenewal(_ id: RenewalID, _ renewed: Authorization) {
        guard let renewal = renewals.first(where: { $0.id == id }) else { return }
        change(.renewal(id)) { state, _ in state = .succeeded(renewed.reference) }
        change(renewal.attempt) {
            guard case .authorized(var held) = $0.state else { return }
            held.reference = renewed.reference
            held.captureBefore = renewed.captureBefore ?? held.captureBefore
            held.honoredUntil = renewed.honoredUntil
            $0.state = .authorized(held)
            $0.reference = renewed.reference
        }
    }

    private mutating func applyUnknown(
        _ operation: OperationID, nextCheck: Timestamp, reason: UnknownReason, at: Timestamp
    ) {
        func next(after state: Unknown?) -> Unknown {
            // An operation sent again ahead of time has used up no query.
            let checks = state.map { at < $0.nextCheck ? $0.checks : $0.checks + 1 } ?? 0
            return Unknown(since: state?.since ?? at, nextCheck: nextCheck, checks: checks, reason: reason)
        }
        if case .attempt(let id) = operation {
            change(id) { attempt in
                if case .unknown(let before) = attempt.state {
                    attempt.state = .unknown(next(after: before))
                } else {
                    attempt.state = .unknown(next(after: nil))
                }
            }
            return
        }
        change(operation) { state, sendings in
            state = .unknown(next(after: state.lastUnknown))
            sendings.noteUnknown(at: at)
        }
    }

    private mutating func change(_ id: AttemptID, _ body: (inout Attempt) -> Swift.Void) {
        guard let index = attempts.lastIndex(where: { $0.id == id }) else { return }
        let wasLive = attempts[index].isLive
        body(&attempts[index])
        liveAttempts += (attempts[index].isLive ? 1 : 0) - (wasLive ? 1 : 0)
    }

    private mutating func change(
        _ id: OperationID, _ body: (inout OperationState, inout Sendings) -> Swift.Void
    ) {
        switch id {
        case .attempt: break
        case .continuation(let id):
            guard let index = attempts.firstIndex(where: { $0.id == id }),
                var continuation = attempts[index].continuation
            else { return }
            body(&continuation.state, &continuation.sendings)
            attempts[index].continuation = continuation
        case .renewal(let id):
            guard let index = renewals.firstIndex(where: { $0.id == id }) else { return }
            var renewal = renewals[index]
            body(&renewal.state, &renewal.sendings)
            renewals[index] = renewal
        case .void(let id):
            guard let index = attempts.firstIndex(where: { $0.id == id }), var void = attempts[index].void else {
                return
            }
            body(&void.state, &void.sendings)
            attempts[index].void = void
        case .capture(let id):
            guard let index = captures.lastIndex(where: { $0.id == id }) else { return }
            var capture = captures[index]
            body(&capture.state, &capture.sendings)
            captureSums.change(capture.amount.minorUnits, from: captures[index].state, to: capture.state)
            captures[index] = capture
        case .refund(let id):
            guard let index = refunds.lastIndex(where: { $0.id == id }) else { return }
            var refund = refunds[index]
            body(&refund.state, &refund.sendings)
            refundSums.change(refund.amount.minorUnits, from: refunds[index].state, to: refund.state)
            refunds[index] = refund
        }
    }

    /// Returns the state of an operation other than an attempt.
    public func state(of operation: OperationID) -> OperationState? {
        switch operation {
        case .attempt: nil
        case .continuation(let id): attempts.first { $0.id == id }?.continuation?.state
        case .renewal(let id): renewals.first { $0.id == id }?.state
        case .void(let id): attempts.first { $0.id == id }?.void?.state
        case .capture(let id): captures.first { $0.id == id }?.state
        case .refund(let id): refunds.first { $0.id == id }?.state
        }
    }

    /// The identifier of a capture made externally, or as part of its authorization: nothing is sent under it.
    var nextCaptureID: CaptureID { CaptureID(rawValue: "\(id)-c\(captures.count + 1)") }
    /// The identifier of a refund made externally.
    var nextRefundID: RefundID { RefundID(rawValue: "\(id)-r\(refunds.count + 1)") }
    var newAttemptID: AttemptID { AttemptID(rawValue: "\(id)-a\(newNumber(attempts.count))") }
    var newCaptureID: CaptureID { CaptureID(rawValue: "\(id)-c\(newNumber(captures.count))") }
    var newRenewalID: RenewalID { RenewalID(rawValue: "\(id)-h\(newNumber(renewals.count))") }
    var newRefundID: RefundID { RefundID(rawValue: "\(id)-r\(newNumber(refunds.count))") }

    /// The most operations of one kind in one epoch of a payment, far more than ever occur.
    private static let stepsOfAnEpoch: Int64 = 1_000

    /// Returns `true` for an attempt that was begun before the journal was restored: what was reported of it since the
    /// backup is lost.
    public func isOfEarlierEpoch(_ attempt: Attempt) -> Bool {
        let name = attempt.id.rawValue
        guard let end = name.lastIndex(of: "-"), let number = Int64(name[end...].dropFirst(2)) else { return epoch > 1 }
        return number <= (epoch &- 1) &* Payment.stepsOfAnEpoch
    }

    /// Returns the number of a new operation. Operations of a lost epoch had lower ones.
    private func newNumber(_ count: Int) -> Int64 {
        // An epoch only grows by manual restores: no sum overflows.
        (epoch &- 1) &* Payment.stepsOfAnEpoch &+ Int64(count) &+ 1
    }
}

extension Dispute {
    /// Moves money of a dispute. A negative sum is a broken history; an overflow is made negative, too.
    fileprivate mutating func move(_ units: Int64) {
        let (sum, overflow) = withdrawn.minorUnits.addingReportingOverflow(units)
        withdrawn = Money(minorUnits: overflow ? .min : sum, currency: withdrawn.currency)
    }
}

extension OperationOrigin {
    /// The provider's reference.
    var reference: ProviderReference? { if case .provider(let reference) = self { reference } else { nil } }
}

extension Attempt {
    /// Ends an open continuation.
    fileprivate mutating func endContinuation(_ state: OperationState) {
        guard continuation?.state.isOpen == true else { return }
        continuation?.state = state
    }
}
