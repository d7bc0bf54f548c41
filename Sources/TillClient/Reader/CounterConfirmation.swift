import TillCore
import TillHardware

/// A confirmation to carry out, with the intent as the app last read it.
struct CounterConfirmation: Sendable {
    let intent: PaymentIntent
    let payment: PaymentID
    let reader: String
    let tender: CounterTender
    /// The number of attempts that had ended without money when the intent was read.
    let endedBefore: Int
    /// The same for every repetition of this confirmation, also in another process.
    let key: IdempotencyKey
    /// The copies that earlier confirmations of the payment left without an answer.
    let earlier: CounterCopies
}

/// The end of a confirmation.
enum CounterVerdict: Sendable {
    /// The whole amount is held or captured.
    case paid(PaymentIntent)
    /// It ended without money; the failure has the intent.
    case notPaid(CardReaderFailure)
    /// The failure has no intent.
    case unknown(CardReaderFailure)
}

/// The end of a confirmation, with the copies of it that have no answer.
struct CounterOutcome: Sendable {
    let verdict: CounterVerdict
    let copies: CounterCopies
}

/// One confirmation, from its first query to its end.
struct CounterConfirmationRunner: Sendable {
    let client: CounterClient
    let limits: CounterReaderLimits
    let posts: CounterPosts
    /// Receives the reader's progress.
    let report: @Sendable (CardReaderEvent) async -> Void

    private enum Step: Sendable {
        /// The result of the request with this number.
        case sent(Int, Result<CounterPayment, CounterError>)
        case read(Result<CounterPayment, CounterError>)
    }

    /// The time of a confirmation. It begins before the first query.
    private struct Time: Sendable {
        let clock: any TillClock
        let start: Timestamp
        let limit: Span

        var rest: Span {
            let passed = max(0, clock.now().since(start).milliseconds)
            return Span(milliseconds: max(0, limit.milliseconds - min(limit.milliseconds, passed)))
        }
        var isOver: Bool { rest.milliseconds == 0 }
    }

    /// Confirms and follows a payment. Every request ends with the time of `CounterReaderLimits.confirmation`, which
    /// begins before the first query, or soon after the task was canceled. No progress is reported afterwards.
    func run(_ asked: CounterConfirmation) async -> CounterOutcome {
        let time = Time(clock: client.clock, start: client.clock.now(), limit: limits.confirmation)
        let first: CounterPayment
        do throws(CounterError) { first = try await read(asked, time) } catch {
            return CounterOutcome(verdict: .unknown(CardReaderFailure(error).withoutMoney), copies: asked.earlier)
        }
        // What a copy may begin again is asked for again, under the same key.
        var ended = asked.endedBefore
        if first.mayBeginAgain, asked.earlier.mayFollow { ended = max(ended, first.endedAttempts) }
        var sends = true
        switch state(first, asked, since: ended, asked.earlier) {
        case .over(let verdict): return CounterOutcome(verdict: verdict, copies: asked.earlier)
        case .open: sends = false
        case .untouched: break
        }
        let events = Task { await follow(asked.payment) }
        let outcome = await charge(asked, first, since: ended, sends: sends, time)
        events.cancel()
        await events.value
        return outcome
    }

    /// Reads the payment for the first time; again, within limits, if there is no answer.
    private func read(_ asked: CounterConfirmation, _ time: Time) async throws(CounterError) -> CounterPayment {
        var tries = 0
        while true {
            tries += 1
            do throws(CounterError) {
                return try await client.payment(asked.payment, tries: 1, within: time.rest)
            } catch {
                switch error {
                case .refused(let problem) where !problem.isTemporary: throw error
                case .mismatch: throw error
                case .refused, .notSent, .notAnswered, .outcomeUnknown: break
                }
                guard tries < client.limits.maximumTries, !time.isOver,
                    await client.clock.pause(for: min(limits.pollInterval, time.rest))
                else { throw error }
            }
        }
    }

    private func charge(
        _ asked: CounterConfirmation, _ first: CounterPayment, since ended: Int, sends: Bool, _ time: Time
    ) async -> CounterOutcome {
        await withTaskGroup(of: Step.self) { group in
            defer { group.cancelAll() }
            var sendings = CounterSendings(after: asked.earlier)
            var polls: Int64 = 0
            if sends {
                let number = sendings.send(at: polls)
                group.addTask { await send(asked, first, number, time) }
            }
            group.addTask { await poll(asked, time) }
            while let step = await group.next() {
                if Task.isCancelled {
                    return CounterOutcome(
                        verdict: .unknown(CounterConfirmationRunner.abandoned), copies: sendings.copies)
                }
                switch step {
                case .sent(let number, let result):
                    sendings.end(number, result)
                    if let verdict = judge(result, asked, since: ended, sendings.copies) {
                        return CounterOutcome(verdict: verdict, copies: sendings.copies)
                    }
                case .read(let result):
                    polls += 1
                    let isLate =
                        time.isOver
                        || polls > limits.confirmation.milliseconds / max(1, limits.pollInterval.milliseconds)
                    switch next(result, asked, since: ended, sendings, polls) {
                    case .end(let verdict): return CounterOutcome(verdict: verdict, copies: sendings.copies)
                    case .sendAgain(let payment) where !isLate:
                        let number = sendings.send(at: polls)
                        group.addTask { await send(asked, payment, number, time) }
                    case .sendAgain, .wait: break
                    }
                    if isLate {
                        return CounterOutcome(
                            verdict: .unknown(CardReaderFailure(.requestTimedOut)), copies: sendings.copies)
                    }
                    group.addTask { await poll(asked, time) }
                }
            }
            return CounterOutcome(verdict: .unknown(CardReaderFailure(.requestTimedOut)), copies: sendings.copies)
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
    /// - Parameter ended: the number of ended attempts from which on an attempt is of this confirmation.
    private func state(
        _ payment: CounterPayment, _ asked: CounterConfirmation, since ended: Int, _ copies: CounterCopies
    ) -> State {
        let intent: PaymentIntent
        do throws(CardReaderFailure) {
            intent = try PaymentIntent(payment, order: asked.intent.order)
            try check(payment, asked)
        } catch { return .over(.unknown(error)) }
        switch payment.standing {
        case .held, .paid: return .over(.paid(intent))
        case .other: return .over(.unknown(CardReaderFailure(notWhole: payment)))
        case .canceled:
            return .over(.notPaid(CardReaderFailure(.activePaymentCanceled, intent: intent)))
        case .unpaid:
            guard payment.endedAttempts > ended else { return .untouched }
            // The counter carries a copy out that arrives now.
            if payment.mayBeginAgain, copies.mayFollow { return .over(.unknown(CounterConfirmationRunner.repeatable)) }
            return .over(.notPaid(CardReaderFailure(endOf: payment, intent)))
        case .requiresAction, .open, .captureFailed: return .open
        }
    }

    private static let repeatable = CardReaderFailure(
        .activePaymentStatusUnknown,
        message: "An attempt ended without money, and the same request, sent more than once, may still begin another.")

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

    /// Judges the answer of a copy; `nil` if it decides nothing by itself.
    private func judge(
        _ result: Result<CounterPayment, CounterError>, _ asked: CounterConfirmation, since ended: Int,
        _ copies: CounterCopies
    ) -> CounterVerdict? {
        switch result {
        case .success(let payment):
            if case .over(let verdict) = state(payment, asked, since: ended, copies) { return verdict }
            return nil
        case .failure(.mismatch(let mismatch)): return .unknown(CardReaderFailure(.mismatch(mismatch)))
        case .failure: return nil
        }
    }

    private enum Next {
        case end(CounterVerdict)
        case sendAgain(CounterPayment)
        case wait
    }

    private func next(
        _ result: Result<CounterPayment, CounterError>, _ asked: CounterConfirmation, since ended: Int,
        _ sendings: CounterSendings, _ polls: Int64
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
        switch state(payment, asked, since: ended, sendings.copies) {
        case .over(let verdict): return .end(verdict)
        case .open: return .wait
        case .untouched: return untouched(payment, asked, sendings, polls)
        }
    }

    /// Decides about a payment on which no copy has had an effect yet.
    private func untouched(
        _ payment: CounterPayment, _ asked: CounterConfirmation, _ sendings: CounterSendings, _ polls: Int64
    ) -> Next {
        if sendings.isEmpty || sendings.isAnswered { return .wait }
        if let (failure, isLast) = sendings.refusal {
            guard isLast else { return .wait }
            return sendings.copies.open == 0
                ? .end(notPaid(failure, payment, asked)) : .end(.unknown(failure.withoutMoney))
        }
        if sendings.isUnderWay {
            // The counter is at work for the key: it answers the copy that is under way.
            guard !sendings.isInProgress else { return .wait }
            let silence = (polls - sendings.lastSent) * limits.pollInterval.milliseconds
            guard silence >= limits.arrival.milliseconds, sendings.counted < limits.maximumSends else { return .wait }
            return .sendAgain(payment)
        }
        if sendings.counted < limits.maximumSends { return .sendAgain(payment) }
        let failure = sendings.lastFailure ?? CardReaderFailure(.requestTimedOut)
        return sendings.areAllUnsent ? .end(notPaid(failure, payment, asked)) : .end(.unknown(failure))
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

    private func send(
        _ asked: CounterConfirmation, _ payment: CounterPayment, _ number: Int, _ time: Time
    ) async -> Step {
        guard !Task.isCancelled else {
            return .sent(number, .failure(.notSent(reason: "the confirmation was abandoned")))
        }
        posts.begin(asked.reader)
        defer { posts.end(asked.reader) }
        do throws(CounterError) {
            return .sent(
                number,
                .success(
                    try await client.confirm(payment, asked.tender, key: asked.key, tries: 1, within: time.rest)))
        } catch { return .sent(number, .failure(error)) }
    }

    private func poll(_ asked: CounterConfirmation, _ time: Time) async -> Step {
        guard await client.clock.pause(for: min(limits.pollInterval, time.rest)) else {
            return .read(.failure(.notAnswered(.readPayment, reason: "canceled")))
        }
        do throws(CounterError) {
            return .read(.success(try await client.payment(asked.payment, tries: 1, within: time.rest)))
        } catch { return .read(.failure(error)) }
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

    /// Creates the failure for a payment of which not the whole amount is held or captured.
    fileprivate init(notWhole payment: CounterPayment) {
        var details = CardReaderErrorDetails()
        details.sentence = payment.sentenceOfMoney
        details.moneyMoved = payment.knownMoneyMoved
        self.init(.resultMismatch, details: details)
    }

    /// The same without a statement about the money.
    fileprivate var withoutMoney: CardReaderFailure {
        var copy = self
        copy.details.moneyMoved = nil
        return copy
    }
}
