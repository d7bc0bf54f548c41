import TillCore
import TillHardware

/// A confirmation to carry out, with the intent as the app last read it.
struct CounterConfirmation: Sendable {
    let intent: PaymentIntent
    let payment: PaymentID
    let tender: CounterTender
    /// The number of attempts that had ended without money when the intent was read.
    let endedBefore: Int
    /// The same for every repetition of this confirmation, also in another process.
    let key: IdempotencyKey
    /// `true` if an earlier confirmation of the payment has no answer, so that it may still arrive.
    let mayHaveArrived: Bool
}

/// The end of a confirmation.
enum CounterVerdict: Sendable {
    /// The money is held or captured.
    case paid(PaymentIntent)
    /// It ended without money; the failure has the intent.
    case notPaid(CardReaderFailure)
    /// The failure has no intent.
    case unknown(CardReaderFailure)
}

/// One confirmation, from its first query to its end.
struct CounterConfirmationRunner: Sendable {
    let client: CounterClient
    let limits: CounterReaderLimits
    /// Receives the reader's progress.
    let report: @Sendable (CardReaderEvent) async -> Void

    private enum Step: Sendable {
        /// The result of the request with this number.
        case sent(Int, Result<CounterPayment, CounterError>)
        case read(Result<CounterPayment, CounterError>)
    }

    /// The state of the request that is sent under the confirmation's key.
    private enum Sending {
        /// It is under way for the given time, since a number of queries.
        case underWay(times: Int, since: Int64)
        /// It may have arrived; it had no answer.
        case unanswered(times: Int, CardReaderFailure)
        /// Nothing of it was sent.
        case notSent(times: Int, CardReaderFailure)
        /// The counter refused it.
        case refused(CardReaderFailure)
        /// It was answered with a payment that is still open.
        case answered
    }

    /// Confirms and follows a payment. Returns at the latest after `CounterReaderLimits.confirmation`, and soon after
    /// its task was canceled.
    func run(_ asked: CounterConfirmation) async -> CounterVerdict {
        let first: CounterPayment
        do throws(CounterError) { first = try await client.payment(asked.payment) } catch {
            return .unknown(CardReaderFailure(error))
        }
        var sending = Sending.underWay(times: 1, since: 0)
        switch state(first, asked) {
        case .over(let verdict): return verdict
        case .open: sending = .answered
        case .untouched: break
        }
        let events = Task { await follow(asked.payment) }
        defer { events.cancel() }
        let (start, last) = (client.clock.now(), limits.confirmation)
        return await withTaskGroup(of: Step.self) { group in
            defer { group.cancelAll() }
            if case .underWay = sending { group.addTask { await send(asked, first, 1) } }
            group.addTask { await poll(asked) }
            var polls: Int64 = 0
            var mayHaveArrived = asked.mayHaveArrived
            while let step = await group.next() {
                if Task.isCancelled { return .unknown(CounterConfirmationRunner.abandoned) }
                switch step {
                case .sent(_, .success(let payment)):
                    if case .over(let verdict) = state(payment, asked) { return verdict }
                    sending = .answered
                case .sent(let number, .failure(let error)):
                    if case .mismatch = error { return .unknown(CardReaderFailure(error)) }
                    let after = CounterConfirmationRunner.sending(after: error, number)
                    if case .unanswered = after { mayHaveArrived = true }
                    // An earlier one than the last decides nothing.
                    if case .underWay(number, _) = sending { sending = after }
                case .read(let result):
                    polls += 1
                    let isLate =
                        client.clock.now().since(start) > last
                        || polls > last.milliseconds / max(1, limits.pollInterval.milliseconds)
                    switch judge(result, asked, sending, polls, mayHaveArrived: mayHaveArrived) {
                    case .end(let verdict): return verdict
                    case .sendAgain(let payment, let times) where !isLate:
                        if case .underWay = sending { mayHaveArrived = true }
                        sending = .underWay(times: times, since: polls)
                        group.addTask { await send(asked, payment, times) }
                    case .sendAgain, .wait: break
                    }
                    guard !isLate else { return .unknown(CardReaderFailure(.requestTimedOut)) }
                    group.addTask { await poll(asked) }
                }
            }
            return .unknown(CardReaderFailure(.requestTimedOut))
        }
    }

    private static let abandoned = CardReaderFailure(
        .requestTimedOut, message: "The confirmation was abandoned before its outcome was known.")

    // MARK: Decisions

    private enum State {
        case over(CounterVerdict)
        /// An attempt is under way, or its outcome is unknown.
        case open
        /// Nothing has happened since the intent was read.
        case untouched
    }

    /// Compares a payment with the intent that is confirmed.
    private func state(_ payment: CounterPayment, _ asked: CounterConfirmation) -> State {
        let intent: PaymentIntent
        do throws(CardReaderFailure) {
            intent = try PaymentIntent(payment, order: asked.intent.order)
            try check(payment, asked)
        } catch { return .over(.unknown(error)) }
        switch intent.status {
        case .requiresCapture, .succeeded: return .over(.paid(intent))
        case .canceled:
            return .over(.notPaid(CardReaderFailure(.activePaymentCanceled, intent: intent)))
        case .requiresPaymentMethod:
            guard payment.endedAttempts > asked.endedBefore else { return .untouched }
            return .over(.notPaid(CardReaderFailure(endOf: payment, intent)))
        default: return .open
        }
    }

    private func check(_ payment: CounterPayment, _ asked: CounterConfirmation) throws(CardReaderFailure) {
        guard payment.id == asked.payment, payment.account == asked.intent.account else {
            throw CardReaderFailure(
                .resultMismatch, message: "The counter answered with \(payment.id) of \(payment.account).")
        }
        var expected = asked.intent.amount
        if let tip = asked.intent.tip { expected = expected.subtracting(ifExact: tip) ?? expected }
        guard payment.amount == expected else {
            throw CardReaderFailure(
                .resultMismatch,
                message: "The payment \(payment.id) is of \(payment.amount), not \(expected).")
        }
    }

    private static func sending(after error: CounterError, _ times: Int) -> Sending {
        let failure = CardReaderFailure(error)
        switch error {
        case .refused: return .refused(failure)
        case .notSent: return .notSent(times: times, failure)
        case .outcomeUnknown(let unknown) where unknown.problem?.code == .requestInProgress:
            // Another app, or an earlier try, is at it: asked again for as long as that lasts.
            return .unanswered(times: times - 1, failure)
        case .notAnswered, .outcomeUnknown, .mismatch: return .unanswered(times: times, failure)
        }
    }

    private enum Next {
        case end(CounterVerdict)
        case sendAgain(CounterPayment, times: Int)
        case wait
    }

    private func judge(
        _ result: Result<CounterPayment, CounterError>, _ asked: CounterConfirmation, _ sending: Sending,
        _ polls: Int64, mayHaveArrived: Bool
    ) -> Next {
        let payment: CounterPayment
        switch result {
        case .success(let read): payment = read
        case .failure(.refused(let problem)) where !problem.isTemporary:
            // A key that is no longer accepted shows nothing about the payment.
            return .end(.unknown(CardReaderFailure(.refused(problem), intent: nil).withoutMoney))
        case .failure(.mismatch(let mismatch)): return .end(.unknown(CardReaderFailure(.mismatch(mismatch))))
        case .failure: return .wait
        }
        switch state(payment, asked) {
        case .over(let verdict): return .end(verdict)
        case .open: return .wait
        case .untouched: break
        }
        switch sending {
        case .answered: return .wait
        case .underWay(let times, let since):
            let silence = (polls - since) * limits.pollInterval.milliseconds
            guard silence >= limits.arrival.milliseconds, times < limits.maximumSends else { return .wait }
            return .sendAgain(payment, times: times + 1)
        case .refused(let failure):
            return mayHaveArrived ? .end(.unknown(failure.withoutMoney)) : .end(notPaid(failure, payment, asked))
        case .unanswered(let times, let failure):
            return times < limits.maximumSends ? .sendAgain(payment, times: times + 1) : .end(.unknown(failure))
        case .notSent(let times, let failure):
            if times < limits.maximumSends { return .sendAgain(payment, times: times + 1) }
            return mayHaveArrived ? .end(.unknown(failure)) : .end(notPaid(failure, payment, asked))
        }
    }

    private func notPaid(
        _ failure: CardReaderFailure, _ payment: CounterPayment, _ asked: CounterConfirmation
    ) -> CounterVerdict {
        var failure = failure
        do throws(CardReaderFailure) {
            failure.intent = try PaymentIntent(payment, order: asked.intent.order)
        } catch { return .unknown(error) }
        return .notPaid(failure)
    }

    // MARK: Requests

    private func send(_ asked: CounterConfirmation, _ payment: CounterPayment, _ number: Int) async -> Step {
        do throws(CounterError) {
            return .sent(number, .success(try await client.confirm(payment, asked.tender, key: asked.key, tries: 1)))
        } catch { return .sent(number, .failure(error)) }
    }

    private func poll(_ asked: CounterConfirmation) async -> Step {
        guard await client.clock.pause(for: limits.pollInterval) else {
            return .read(.failure(.notAnswered(.readPayment, reason: "canceled")))
        }
        do throws(CounterError) { return .read(.success(try await client.payment(asked.payment, tries: 1))) } catch {
            return .read(.failure(error))
        }
    }

    /// Reports the reader's progress. What the service reports itself is left to it. The stream decides nothing: a
    /// connection that ends is opened again, within limits.
    private func follow(_ payment: PaymentID) async {
        for _ in 0..<limits.maximumStreams {
            do throws(CounterError) {
                try await client.events(of: payment) { event in
                    guard case .reader(payment, let progress) = event else { return }
                    switch progress.type {
                    case .intentCreated, .approved, .declined, .canceled, .outcomeUnknown: break
                    default: await report(progress)
                    }
                }
            } catch {
                // The payment itself is queried beside it.
            }
            guard await client.clock.pause(for: limits.pollInterval) else { return }
        }
    }
}

extension CardReaderFailure {
    /// Creates the failure for a payment whose last attempt ended without money.
    fileprivate init(endOf payment: CounterPayment, _ intent: PaymentIntent) {
        let attempt = payment.attempts.last
        let reason: UnderlyingError
        switch (attempt?.state, attempt?.decline?.reason) {
        case (.declined?, DeclineReason.canceledAtReader?): reason = .commandCanceled
        case (.declined?, DeclineReason.noCardPresented?): reason = .cardReadTimedOut
        case (.declined?, DeclineReason.readerBusy?): reason = .readerBusy
        case (.declined?, DeclineReason.readerOffline?): reason = .readerOffline
        case (.declined?, DeclineReason.readerFault?): reason = .readerHardwareFault
        case (.declined?, DeclineReason.readerUnavailable?): reason = .readerCommunicationError
        case (.declined?, _): reason = .paymentDeclinedByPaymentProcessor
        case (.voided?, _): reason = .commandCanceled
        default: reason = .networkError
        }
        var details = CardReaderErrorDetails()
        details.sentence = payment.message
        details.decline = attempt?.decline
        details.moneyMoved = .no
        self.init(reason, details: details, intent: intent)
    }

    /// The same without a statement about the money.
    fileprivate var withoutMoney: CardReaderFailure {
        var copy = self
        copy.details.moneyMoved = nil
        return copy
    }
}
