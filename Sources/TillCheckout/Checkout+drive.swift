import TillCore
import TillJournal

extension Checkout {
    /// Performs the effects of an answer's events and their follow-up work until nothing is due.
    func drive(_ initial: Payment, started: [PaymentEvent]) async throws(CheckoutError) -> Payment {
        try await drive(initial, work: Checkout.steps(in: started, tender: nil), tender: nil, keyedAnswer: nil)
    }

    /// Performs effects and their follow-up work.
    func drive(_ initial: Payment, effects: [PaymentEffect]) async throws(CheckoutError) -> Payment {
        try await drive(
            initial, work: withoutResends(effects, of: initial).map { .effect($0) }, tender: nil, keyedAnswer: nil)
    }

    /// Performs steps and their follow-up work until nothing is due.
    func drive(
        _ initial: Payment, work initialWork: [Step], tender: Tender?, keyedAnswer: KeyedAnswer?
    ) async throws(CheckoutError) -> Payment {
        var payment = initial
        var work = initialWork
        // Work that is due but cannot be done now is not retried in the same pass.
        var wasAnswered = true
        // Refunds that this drive has recorded as not done, and those that it has queried for that purpose.
        var shownUndone: Set<RefundID> = []
        var queried: Set<RefundID> = []
        // All operations that this drive has found not done.
        var undone: Set<OperationID> = []
        let authority = SendingAuthority { [journal] in await journal.holdsLease() }
        for _ in 0..<Checkout.maximumSteps {
            // What falls due meanwhile is recovery's: the caller gets the answer that was stored.
            if keyedAnswer?.written(for: payment) != nil { return payment }
            if work.isEmpty {
                guard wasAnswered else { break }
                wasAnswered = false
                let now = clock.now()
                let due = payment.pendingEffects(capabilities: { providers[$0]?.capabilities }, at: now)
                    .filter { $0.due <= now }.map(\.effect)
                    // A customer who pays does not wait for what an earlier attempt came to: recovery queries it.
                    .filter { effect in
                        guard tender != nil, case .query(let id) = effect else { return true }
                        return id == payment.attempts.last?.id
                    }
                work = withoutResends(due, of: payment, undone: undone).map { .effect($0) }
            }
            guard !work.isEmpty else { break }
            var step = work.removeFirst()
            if let refund = refundToQuery(before: step, of: payment), shownUndone.remove(refund.id) == nil {
                guard queried.insert(refund.id).inserted else { continue }
                step = .effect(.query(refund.attempt))
            }
            if case .effect(let effect) = step, let sent = effect.sends { undone.remove(sent) }
            // A process that stalled for longer than its lease sends nothing more: another process does, and not every
            // provider detects a duplicate request.
            guard await journal.holdsLease() else { throw .takenOver(payment.id) }
            let performed = await SendingAuthority.$current.withValue(authority) {
                await perform(step, for: payment)
            }
            guard let answer = performed else { continue }
            wasAnswered = true
            if case .authorize = step, case .prepared(let id, .approved) = answer, let tender {
                work.insert(.confirm(id, tender), at: 0)
            }
            // As long as there is more to do, this process holds the payment; if it dies, another takes over.
            let events: [PaymentEvent]
            do throws(CheckoutError) {
                events = try await record(answer, in: &payment, moreToDo: !work.isEmpty, keyedAnswer: keyedAnswer)
            } catch {
                // The provider was called: whatever keeps its answer out of the journal, money may have moved.
                throw .unwritten(payment.id, because: error)
            }
            for case .deferred(let operation, _, .notDone) in events {
                undone.insert(operation)
                if case .refund(let id) = operation { shownUndone.insert(id) }
            }
            work += Checkout.steps(in: events, tender: tender)
        }
        return payment
    }

    /// The refund that a step sends after a query showed it not to be done, at a provider without idempotency keys.
    /// Only the process that wrote that event sends it; a process that finds the event in the journal queries again,
    /// because the writer may have sent the refund meanwhile or before it died. Its new event records this
    /// (`Sendings.mayHaveLeft`), and the provider's adapter delays the refund until no earlier call can still arrive.
    private func refundToQuery(before step: Step, of payment: Payment) -> Refund? {
        guard case .effect(.refund(let id)) = step, let refund = payment.refunds.first(where: { $0.id == id }),
            case .deferred(_, _, isQueried: true, _) = refund.state,
            let attempt = payment.attempts.first(where: { $0.id == refund.attempt }),
            let provider = providers[attempt.provider], provider.capabilities.replayWindow.milliseconds == 0
        else { return nil }
        return refund
    }

    /// One step of work on a payment.
    enum Step {
        /// Prepare and then confirm; possible only while the customer's credential is in memory.
        case authorize(AttemptID, Tender)
        /// Confirm a prepared attempt.
        case confirm(AttemptID, Tender)
        /// Send a refund that was just requested: nothing was sent for it before.
        case refund(RefundID)
        /// An effect that needs no credential.
        case effect(PaymentEffect)
    }

    static func steps(in events: [PaymentEvent], tender: Tender?) -> [Step] {
        events.compactMap { step(after: $0, tender: tender) }
    }

    private static func step(after event: PaymentEvent, tender: Tender?) -> Step? {
        switch event {
        case .attemptStarted(let start): tender.map { .authorize(start.attempt, $0) }
        case .continuationStarted(let id, _): .effect(.continueAttempt(id))
        case .renewalStarted(let id, _, _): .effect(.renew(id))
        case .captureStarted(let id, _, _, _): .effect(.capture(id))
        case .voidStarted(let id, _): .effect(.void(id))
        case .refundStarted(let id, _, _, _): .refund(id)
        default: nil
        }
    }

    /// Appends the events that an answer leads to, decided on the newest state, and returns them.
    /// - Parameter payment: The payment as it was when the provider was asked; on return, with the events. Changed in
    ///   place, so that its lists are not copied. After an error it may have events that were not written.
    func record(
        _ answer: PaymentAnswer, in payment: inout Payment, moreToDo: Bool, keyedAnswer: KeyedAnswer? = nil
    ) async throws(CheckoutError) -> [PaymentEvent] {
        let basis = QueryBasis(payment)
        for _ in 0..<Checkout.maximumConflicts {
            let now = clock.now()
            var events = payment.observe(answer, at: now, from: basis, standing: clock.standing)
            let binding = await binding(of: answer, in: payment)
            if !binding.isEmpty { events = binding + events }
            if events.isEmpty { return [] }
            events += try await soldAgain(payment, after: events)
            let isUnderWay = moreToDo || events.contains { Checkout.step(after: $0, tender: nil) != nil }
            if try await append(
                events, to: &payment, at: now, holder: isUnderWay ? .thisProcess : .nobody, keyedAnswer: keyedAnswer)
            {
                Checkout.markWritten(answer, events)
                return events
            }
            guard let newest = try await stored(payment.id) else {
                throw .unknownPayment(payment.id)
            }
            payment = newest
        }
        throw .tooManyConflicts(payment.id)
    }

    private static func markWritten(_ answer: PaymentAnswer, _ events: [PaymentEvent]) {
        if events.contains(where: { if case .continuationStarted = $0 { true } else { false } }) {
            Failpoint.afterContinuationIsStarted.reached()
        }
        switch answer {
        case .prepared: Failpoint.afterPreparationIsWritten.reached()
        case .authorized: Failpoint.afterAuthorizationIsWritten.reached()
        case .continued: Failpoint.afterContinuationIsWritten.reached()
        case .renewed: Failpoint.afterRenewalIsWritten.reached()
        case .captured: Failpoint.afterCaptureIsWritten.reached()
        case .voided: Failpoint.afterVoidIsWritten.reached()
        case .refunded: Failpoint.afterRefundIsWritten.reached()
        case .snapshot, .holdEnds: break
        }
    }
}
