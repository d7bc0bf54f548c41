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
        try await drive(initial, work: effects.map { .effect($0) }, tender: nil)
    }

    private func drive(
        _ initial: Payment, work initialWork: [Step], tender: Tender?
    ) async throws(CheckoutError) -> Payment {
        var payment = initial
        var work = initialWork
        for _ in 0..<Checkout.maximumSteps {
            if work.isEmpty {
                let now = clock.now()
                work = payment.pendingEffects(capabilities: { providers[$0]?.capabilities }, at: now)
                    .filter { $0.due <= now }.map { .effect($0.effect) }
            }
            guard !work.isEmpty else { break }
            let step = work.removeFirst()
            guard let answer = await perform(step, for: payment) else { continue }
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
            work += Checkout.steps(in: events, tender: tender)
        }
        return payment
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

    private static func steps(in events: [PaymentEvent], tender: Tender?) -> [Step] {
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
        for _ in 0..<Checkout.maximumConflicts {
            let now = clock.now()
            var events = await binding(of: answer, in: current) + current.observe(answer, at: now)
            if events.isEmpty { return (current, []) }
            events += try await soldAgain(current, after: events)
            let holds = moreToDo || !Checkout.steps(in: events, tender: nil).isEmpty
            if try await append(events, to: &current, at: now, holds: holds) {
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
