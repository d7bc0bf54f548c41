import TillCore

extension Checkout {
    /// Makes one call to the provider. `nil` if the step needs no call.
    func perform(_ step: Step, for payment: Payment) async -> PaymentAnswer? {
        switch step {
        case .authorize(let id, let tender): return await authorize(id, tender, payment)
        case .confirm(let id, let tender): return await confirm(id, tender, payment)
        case .effect(.query(let id)): return await query(id, payment)
        case .effect(.continueAttempt(let id)): return await continueAttempt(id, payment)
        case .effect(.renew(let id)): return await renew(id, payment)
        case .effect(.void(let id)): return await void(id, payment)
        case .effect(.capture(let id)): return await capture(id, payment)
        case .refund(let id): return await refund(id, payment, isFirst: true)
        case .effect(.refund(let id)): return await refund(id, payment, isFirst: false)
        case .effect(.watchHold(let id)):
            return clock.standing.isTrusted ? .holdEnds(id) : await askTheTime(of: id, payment)
        }
    }

    /// Returns the outcome of an attempt that is not written yet, to be written with it, at a provider that sends
    /// nothing; empty for other providers and other commands.
    func outcome(
        of events: [PaymentEvent], on payment: Payment, tender: Tender?, at now: Timestamp
    ) async -> [PaymentEvent] {
        guard let tender, case .attemptStarted(let start)? = events.first,
            let provider = providers[start.provider] as? any SendlessProvider, provider.sendsNothing
        else { return [] }
        var started = payment
        for event in events { started.evolve(RecordedEvent(event, at: now)) }
        guard let (attempt, _, context) = await target(start.attempt, started) else { return [] }
        let answer = await provider.authorize(request(attempt, context, started, tender), with: tender)
        Failpoint.afterAuthorizationIsAnswered.reached()
        return started.observe(.authorized(start.attempt, answer), at: now, standing: clock.standing)
    }

    /// Returns an attempt and the provider to call for it; `nil` if its provider is not configured, or is configured
    /// with another account, which would answer "not found" for money that was taken.
    private func target(
        _ id: AttemptID, _ payment: Payment
    ) async -> (Attempt, any PaymentServiceProvider, AttemptContext)? {
        guard let attempt = payment.attempts.first(where: { $0.id == id }), let provider = providers[attempt.provider]
        else { return nil }
        if let other = await otherAccount(attempt, of: payment.id) {
            left.note(other, at: clock.now())
            return nil
        }
        let context = AttemptContext(
            account: payment.account, order: payment.order.id, payment: payment.id, attempt: id,
            startedAt: attempt.startedAt, reference: attempt.reference)
        return (attempt, provider, context)
    }

    private func request(
        _ attempt: Attempt, _ context: AttemptContext, _ payment: Payment, _ tender: Tender
    ) -> AuthorizationRequest {
        let attachesCard = if case .payPalCard = tender { true } else { false }
        return AuthorizationRequest(
            context: context, amount: attempt.amount, captureMode: payment.captureMode,
            prepareKey: attempt.prepareKey, key: attempt.authorizationKey,
            description: "Order \(payment.order.number)",
            // An attempt with an unanswered preparation has no reference: the one before it counts.
            earlier: payment.attempts.last {
                $0.id != attempt.id && $0.provider == attempt.provider && $0.reference != nil
                    && $0.isOfAccount(of: attempt)
            }?.reference, attachesCard: attachesCard)
    }

    private func authorize(_ id: AttemptID, _ tender: Tender, _ payment: Payment) async -> PaymentAnswer? {
        guard let (attempt, provider, context) = await target(id, payment), case .inFlight = attempt.state else {
            return nil
        }
        guard provider.capabilities.preparesFirst, attempt.reference == nil else {
            return await confirm(id, tender, payment)
        }
        let request = request(attempt, context, payment, tender)
        let answer = await ask(provider, for: payment.id, as: { .prepared(id, $0) }) { await provider.prepare(request) }
        Failpoint.afterPreparationIsAnswered.reached()
        return answer
    }

    private func confirm(_ id: AttemptID, _ tender: Tender, _ payment: Payment) async -> PaymentAnswer? {
        guard let (attempt, provider, context) = await target(id, payment), case .inFlight = attempt.state,
            attempt.continuation == nil
        else { return nil }
        // Without a reference in the journal, the outcome could not be established after a crash.
        if provider.capabilities.preparesFirst, attempt.reference == nil {
            return .authorized(id, .notSent(reason: "the provider named no object for it"))
        }
        // The payment was canceled meanwhile: nothing was sent yet, so nothing is sent now.
        if payment.cancelReason != nil { return .authorized(id, .notSent(reason: "canceled before it was sent")) }
        let request = request(attempt, context, payment, tender)
        let answer = await ask(
            provider, for: payment.id, within: provider.capabilities.answerTime, as: { .authorized(id, $0) }
        ) { await provider.authorize(request, with: tender) }
        Failpoint.afterAuthorizationIsAnswered.reached()
        return answer
    }

    /// - Parameter result: What the customer's side holds of the end of its session.
    func query(_ id: AttemptID, _ payment: Payment, result: SessionResult? = nil) async -> PaymentAnswer? {
        guard let (attempt, provider, context) = await target(id, payment) else { return nil }
        // The authorization is sent only after the reference is in the journal, so here it never was. If the process
        // that was to send it is still alive, it finds the attempt closed and does not send it.
        if provider.capabilities.preparesFirst, attempt.reference == nil, case .inFlight = attempt.state {
            return .prepared(id, .notSent(reason: "the process ended before the money was asked for"))
        }
        let isUnheld = isOfUnheldSession(attempt, of: payment, at: provider)
        let request = QueryRequest(
            context: context, authorizationKey: attempt.authorizationKey, amount: attempt.amount,
            isContinued: attempt.openContinuation != nil, isAtRest: payment.isAtRest,
            action: attempt.awaitedAction, sessionResult: result, unjudged: attempt.unjudgedAction,
            isOfUnheldSession: isUnheld)
        let answer = await ask(provider, for: payment.id, as: { .snapshot(id, $0) }) { await provider.query(request) }
        return isUnheld ? endOfUnheldSession(attempt, answer) : answer
    }

    private func continueAttempt(_ id: AttemptID, _ payment: Payment) async -> PaymentAnswer? {
        guard let (attempt, provider, context) = await target(id, payment), attempt.void == nil,
            let continuation = attempt.openContinuation
        else { return nil }
        let request = ContinuationRequest(
            context: context, amount: attempt.amount, captureMode: payment.captureMode,
            key: attempt.continuationKey(continuation), action: attempt.lastAction)
        let answer = await ask(
            provider, for: payment.id, within: provider.capabilities.answerTime, as: { .continued(id, $0) }
        ) { await provider.continueAuthorization(request) }
        Failpoint.afterContinuationIsAnswered.reached()
        return answer
    }

    private func renew(_ id: RenewalID, _ payment: Payment) async -> PaymentAnswer? {
        guard let renewal = payment.renewals.first(where: { $0.id == id }), renewal.state.isOpen,
            let (_, provider, context) = await target(renewal.attempt, payment)
        else { return nil }
        let request = RenewalRequest(context: context, renewal: id, amount: renewal.amount, key: renewal.key)
        let answer = await ask(provider, for: payment.id, as: { .renewed(id, $0) }) { await provider.renew(request) }
        Failpoint.afterRenewalIsAnswered.reached()
        return answer
    }

    private func void(_ id: AttemptID, _ payment: Payment) async -> PaymentAnswer? {
        guard let (attempt, provider, context) = await target(id, payment), let void = attempt.void, void.state.isOpen
        else { return nil }
        let request = VoidRequest(
            context: context, authorizationKey: attempt.authorizationKey, reason: void.reason.word,
            key: attempt.voidKey(void), number: void.number, action: attempt.lastAction,
            mayLackReports: payment.isOfEarlierEpoch(attempt))
        let answer = await ask(provider, for: payment.id, as: { .voided(id, $0) }) { await provider.void(request) }
        Failpoint.afterVoidIsAnswered.reached()
        return answer
    }

    private func capture(_ id: CaptureID, _ payment: Payment) async -> PaymentAnswer? {
        guard let capture = payment.captures.first(where: { $0.id == id }), capture.state.isOpen,
            let (_, provider, context) = await target(capture.attempt, payment)
        else { return nil }
        let request = CaptureRequest(
            context: context, capture: id, amount: capture.amount, isFinal: capture.isFinal, key: capture.key,
            startedAt: capture.startedAt)
        let answer = await ask(provider, for: payment.id, as: { .captured(id, $0) }) { await provider.capture(request) }
        Failpoint.afterCaptureIsAnswered.reached()
        return answer
    }

    private func refund(_ id: RefundID, _ payment: Payment, isFirst: Bool) async -> PaymentAnswer? {
        guard let refund = payment.refunds.first(where: { $0.id == id }), refund.state.isOpen,
            let (_, provider, context) = await target(refund.attempt, payment)
        else { return nil }
        // A call in flight that this process did not start may have been sent until just now.
        var mayHaveLeft = refund.sendings.mayHaveLeft
        if !isFirst, case .inFlight = refund.state { mayHaveLeft = clock.now() }
        // Its age is unknown.
        if mayHaveLeft != nil, !clock.standing.isTrusted { mayHaveLeft = clock.now() }
        let request = RefundRequest(
            context: context, refund: id, amount: refund.amount, reason: refund.reason, key: refund.key,
            mayHaveBeenSent: !isFirst, mayHaveLeft: mayHaveLeft, startedAt: refund.startedAt)
        let answer = await ask(
            provider, for: payment.id, within: provider.capabilities.answerTime, as: { .refunded(id, $0) }
        ) { await provider.refund(request) }
        Failpoint.afterRefundIsAnswered.reached()
        return answer
    }
}
