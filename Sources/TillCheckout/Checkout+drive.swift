import TillCore
import TillJournal

extension Checkout {
    /// Performs what a command has started and what follows from it, until nothing is due now.
    func drive(
        _ initial: Payment, started: [PaymentEvent], tender: Tender?
    ) async throws(CheckoutError) -> Payment {
        try await drive(initial, work: Checkout.steps(in: started, tender: tender), tender: tender)
    }

    /// Performs effects and what follows from them.
    func drive(_ initial: Payment, effects: [PaymentEffect]) async throws(CheckoutError) -> Payment {
        try await drive(initial, work: withoutResends(effects, of: initial).map { .effect($0) }, tender: nil)
    }

    private func drive(
        _ initial: Payment, work initialWork: [Step], tender: Tender?
    ) async throws(CheckoutError) -> Payment {
        var payment = initial
        var work = initialWork
        // What is due and cannot be done now is not tried again in the same breath.
        var wasAnswered = true
        // Refunds of which this drive has written that they are not done, and those that it has queried for that.
        var shownUndone: Set<RefundID> = []
        var queried: Set<RefundID> = []
        // All that this drive has found to be not done.
        var undone: Set<OperationID> = []
        for _ in 0..<Checkout.maximumSteps {
            if work.isEmpty {
                guard wasAnswered else { break }
                wasAnswered = false
                let now = clock.now()
                let due = payment.pendingEffects(capabilities: { providers[$0]?.capabilities }, at: now)
                    .filter { $0.due <= now }.map(\.effect)
                work = withoutResends(due, of: payment, undone: undone).map { .effect($0) }
            }
            guard !work.isEmpty else { break }
            var step = work.removeFirst()
            if let refund = refundToQuery(before: step, of: payment), shownUndone.remove(refund.id) == nil {
                guard queried.insert(refund.id).inserted else { continue }
                step = .effect(.query(refund.attempt))
            }
            if case .effect(let effect) = step, let sent = effect.sends { undone.remove(sent) }
            // Who stood still for longer than his lease asks for nothing more: others do, and not every provider knows
            // what was asked for twice.
            guard await journal.holdsLease() else { throw .takenOver(payment.id) }
            let authority = SendingAuthority { [journal] in await journal.holdsLease() }
            let performed = await SendingAuthority.$current.withValue(authority) {
                await perform(step, for: payment)
            }
            guard let answer = performed else { continue }
            wasAnswered = true
            if case .authorize = step, case .prepared(let id, .approved) = answer, let tender {
                work.insert(.confirm(id, tender), at: 0)
            }
            // As long as there is more to do this process holds the payment, so that others take over at its death.
            let events: [PaymentEvent]
            do throws(CheckoutError) {
                (payment, events) = try await record(answer, for: payment, moreToDo: !work.isEmpty)
            } catch {
                // The provider was asked: whatever keeps its answer from the journal, money may have moved.
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

    /// A refund that a step sends after a query has shown it to be not done, at a provider without keys. Only who wrote
    /// that event sends it: whoever finds it in the journal asks again, since the other one may have sent it meanwhile,
    /// or before it died. Its new event says so (`Sendings.mayHaveLeft`), and the provider's room holds the refund back
    /// until nothing can arrive any more.
    private func refundToQuery(before step: Step, of payment: Payment) -> Refund? {
        guard case .effect(.refund(let id)) = step, let refund = payment.refunds.first(where: { $0.id == id }),
            case .deferred(_, _, isQueried: true, _) = refund.state,
            let attempt = payment.attempts.first(where: { $0.id == refund.attempt }),
            let provider = providers[attempt.provider], provider.capabilities.replayWindow.milliseconds == 0
        else { return nil }
        return refund
    }

    /// One thing to do for a payment.
    enum Step {
        /// Prepare and then confirm; only while the customer's credential is in hand.
        case authorize(AttemptID, Tender)
        /// Confirm what is prepared.
        case confirm(AttemptID, Tender)
        /// Give back what was asked for just now: nothing was sent for it before.
        case refund(RefundID)
        /// What needs no credential.
        case effect(PaymentEffect)
    }

    static func steps(in events: [PaymentEvent], tender: Tender?) -> [Step] {
        events.compactMap { event in
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
    }

    /// Writes what an answer leads to, on the newest state, and says what was written.
    func record(
        _ answer: PaymentAnswer, for payment: Payment, moreToDo: Bool
    ) async throws(CheckoutError) -> (Payment, [PaymentEvent]) {
        var current = payment
        let basis = QueryBasis(payment)
        for _ in 0..<Checkout.maximumConflicts {
            let now = clock.now()
            var events =
                await binding(of: answer, in: current)
                + current.observe(answer, at: now, from: basis, standing: clock.standing)
            if events.isEmpty { return (current, []) }
            events += try await soldAgain(current, after: events)
            let isUnderWay = moreToDo || !Checkout.steps(in: events, tender: nil).isEmpty
            if try await append(events, to: &current, at: now, holder: isUnderWay ? .thisProcess : .nobody) {
                Checkout.markWritten(answer, events)
                return (current, events)
            }
            guard let newest = try await stored(payment.id) else {
                throw .unknownPayment(payment.id)
            }
            current = newest
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
