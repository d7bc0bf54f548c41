public import TillCore

/// A customer's app that pays at the shop's counter (`till serve`) without a key.
///
/// The shop's server creates the payment, opens a session of it (`POST /v1/payments/{id}/app_session`) and gives that
/// to its app. The app pays this one payment, in its amount, and sees nothing else of the counter.
///
/// ```swift
/// let checkout = CounterCheckout(address: try CounterAddress("https://counter.example.com"), session: session)
/// switch await checkout.pay(.token(Secret("pm_card_visa")), presenter: presenter) {
/// case .paid(let payment): print("Paid: order \(payment.orderNumber), \(payment.amount)")
/// case let other: print(other.sentence, other.next)
/// }
/// ```
///
/// A value that any number of tasks may use. A press of the customer has one idempotency key, which follows from the
/// payment, the token and the press number: an app that was ended while it paid calls
/// ``pay(_:press:isResumed:presenter:)`` with the same ones again, and finds the same charge. An answer counts only if
/// it is about the session's payment, amount and currency. Whatever has no answer is unknown, never a failure.
public struct CounterCheckout: Sendable {
    public let session: CounterCheckoutSession
    public let limits: CounterCheckoutLimits
    private let caller: CheckoutCaller
    private let clock: any TillClock

    /// Creates a checkout. Nothing is sent.
    /// - Parameter transport: the connection; by default a ``URLSessionTransport``.
    public init(
        address: CounterAddress, session: CounterCheckoutSession,
        limits: CounterCheckoutLimits = CounterCheckoutLimits(), transport: (any HTTPTransport)? = nil,
        clock: any TillClock = SystemClock()
    ) {
        self.session = session
        self.limits = limits
        self.clock = clock
        caller = CheckoutCaller(
            address: address, session: session, limits: limits,
            transport: transport ?? URLSessionTransport(maximumBytes: limits.answerBytes))
    }

    // MARK: Calls that charge nothing

    /// Reads the payment as it stands, also after the session's time.
    public func payment() async throws(CounterCheckoutError) -> CounterCheckoutPayment {
        try await repeated { () throws(CounterCheckoutError) in try await caller.payment() }
    }

    /// Asks what the provider's SDK needs for its card fields, within the session's time.
    /// - Throws: ``CounterCheckoutError``, refused with `no_card_fields` where the counter has no key for them.
    public func cardFields() async throws(CounterCheckoutError) -> CheckoutCardFields {
        try await repeated { () throws(CounterCheckoutError) in try await caller.cardFields() }
    }

    /// Has the presenter ask a card's bank before the card pays, where the key of the card fields wants that. Nothing
    /// is sent to the counter, and no money moves. The end proves nothing: the counter reads the bank's answer from the
    /// provider, and declines a reference without one.
    /// - Parameters:
    ///   - reference: What the provider's fields returned.
    ///   - fields: The key with which they were drawn.
    /// - Returns: the reference to pay with. Whoever may be ended while it pays keeps this one.
    public func verify(
        _ reference: Secret<String>, of fields: CheckoutCardFields, presenter: any ChallengePresenter
    ) async -> CardVerificationEnd {
        guard case .braintree(clientToken: let token, verification: let verification?) = fields else {
            return .reference(reference)
        }
        return await done { await presenter.verify(reference, clientToken: token, verification) } ?? .closed
    }

    /// Cancels the payment if no money is held or taken, nor may be.
    /// - Returns: the payment after it. It is canceled if its status is `closed`; with any other status it stays as it
    ///   was, and may be paid.
    public func cancel() async throws(CounterCheckoutError) -> CounterCheckoutPayment {
        try await repeated { () throws(CounterCheckoutError) in try await caller.cancel() }
    }

    /// Loads the customer's receipt of a paid payment: a page of HTML in UTF-8, without scripts.
    public func receipt() async throws(CounterCheckoutError) -> [UInt8] {
        try await repeated { () throws(CounterCheckoutError) in try await caller.receipt() }
    }

    /// Sends a call that may be carried out any number of times.
    private func repeated<Value: Sendable>(
        _ call: () async throws(CounterCheckoutError) -> Value
    ) async throws(CounterCheckoutError) -> Value {
        var tries = 1
        while true {
            do throws(CounterCheckoutError) { return try await call() } catch {
                guard error.mayEndSoon, tries < limits.maximumTries, await clock.pause(for: limits.pause) else {
                    throw error
                }
                tries += 1
            }
        }
    }

    // MARK: Paying

    /// Pays, shows the bank's page if the bank asks for that, or has the SDK of PayPal or Adyen take the card, and asks
    /// the counter until the payment has an outcome.
    /// - Parameters:
    ///   - press: The number of the customer's press with this token. A press that was repeated, or that another life
    ///     of the app made, has the same number; only a customer who tries a declined card again makes the next one.
    ///   - isResumed: `true` if another life of the app may have sent this press. A refusal is no outcome then, because
    ///     it settles no earlier request: the counter is asked for ``CounterCheckoutLimits/settling``, and without an
    ///     outcome the press is unknown.
    ///   - presenter: Shows the bank's page.
    public func pay(
        _ tender: CheckoutTender, press: Int = 1, isResumed: Bool = false, presenter: any ChallengePresenter
    ) async -> CounterCheckoutOutcome {
        let key = tender.key(of: session.payment, press: press)
        var left = limits.rounds(of: limits.settling)
        /// `true` after a request without an answer, of this life or of another, which may still arrive.
        var mayHaveArrived = isResumed
        var shown = 0
        var seen = CounterCheckoutUnknown(error: nil, payment: nil)
        while true {
            do throws(CounterCheckoutError) {
                let answer = try await caller.pay(tender, key: key)
                seen = CounterCheckoutUnknown(error: nil, payment: answer.payment)
                switch answer.payment.status {
                case .action(let page):
                    guard let asked = step(page, answer, tender, presenter), shown < limits.challenges else {
                        return .unknown(seen)
                    }
                    shown += 1
                    let challenged = await challenge(answer, asked)
                    if let challenged { return challenged }
                    left = limits.rounds(of: limits.settling)
                case .declined where !answer.isBegun, .open, .pending, .other: break
                case .paid, .declined, .refunded, .closed:
                    if let over = over(answer.payment) { return over }
                }
            } catch {
                seen = CounterCheckoutUnknown(error: error, payment: seen.payment)
                // A refusal is about this request. It settles no earlier one, which may still arrive.
                if case .refused(let problem) = error, problem.moneyMoved != .unknown, !mayHaveArrived {
                    return .refused(problem)
                }
                guard error.mayEndSoon || mayHaveArrived else { return .unknown(seen) }
                mayHaveArrived = mayHaveArrived || error.mayHaveArrived
            }
            left -= 1
            guard left > 0, await clock.pause(for: limits.pause) else { return .unknown(seen) }
        }
    }

    /// Returns the outcome that a payment is; `nil` while it has none, and where the counter's words contradict each
    /// other.
    private func over(_ payment: CounterCheckoutPayment) -> CounterCheckoutOutcome? {
        switch (payment.status, payment.moneyMoved) {
        case (.paid, .yes): .paid(payment)
        case (.declined, .no): .declined(payment)
        case (.refunded, .no), (.closed, .no): .over(payment)
        default: nil
        }
    }

    /// What the customer does before the payment continues.
    private typealias Step = @Sendable () async -> ChallengeEnd

    /// Returns what the customer is to do; `nil` if this app cannot show it.
    private func step(
        _ page: ChallengePage?, _ answer: CheckoutCaller.PayAnswer, _ tender: CheckoutTender,
        _ presenter: any ChallengePresenter
    ) -> Step? {
        if case .payPalCard(let attach) = tender, let order = answer.payment.orderID { return { await attach(order) } }
        if case .adyenSession(let take) = tender, let session = answer.payment.adyenSession {
            return { [caller] in
                guard let result = await take(session) else { return .closed }
                // If this is lost, Adyen's webhook tells the counter all the same.
                _ = try? await caller.finish(result)
                return .returned
            }
        }
        // An order of PayPal's, or a session of Adyen's, awaits its card, which another way of paying does not bring.
        guard let page, answer.payment.orderID == nil, answer.payment.adyenSession == nil else { return nil }
        return { await presenter.present(page) }
    }

    /// Has the customer do a step, and asks the counter how it ended.
    /// - Returns: `nil` if that was the step of another request, which is over: this one is sent again.
    private func challenge(
        _ answer: CheckoutCaller.PayAnswer, _ step: @escaping Step
    ) async -> CounterCheckoutOutcome? {
        let ended: ChallengeEnd = await done(step) ?? .closed
        let span =
            switch ended {
            case .returned: limits.settling
            case .closed: limits.afterClosing
            case .notShown: Span.milliseconds(0)
            }
        var left = limits.rounds(of: span)
        var seen = CounterCheckoutUnknown(error: nil, payment: answer.payment)
        while true {
            do throws(CounterCheckoutError) {
                let payment = try await caller.payment()
                seen = CounterCheckoutUnknown(error: nil, payment: payment)
                switch payment.status {
                case .declined where !answer.isBegun, .open where !answer.isBegun: return nil
                case .open where payment.moneyMoved == .no: return .declined(payment)
                case .paid, .refunded, .closed, .declined: if let over = over(payment) { return over }
                case .action, .pending, .open, .other: break
                }
            } catch { seen = CounterCheckoutUnknown(error: error, payment: seen.payment) }
            left -= 1
            guard left > 0, await clock.pause(for: limits.pause) else { break }
        }
        // Only if the counter said so after the page was left.
        if seen.error == nil, case .action? = seen.payment?.status, ended == .closed, let payment = seen.payment {
            return .givenUp(payment)
        }
        return .unknown(seen)
    }

    /// Has a step done within ``CounterCheckoutLimits/challenge``.
    /// - Returns: `nil` if it was not done in time.
    private func done<End: Sendable>(_ step: @escaping @Sendable () async -> End) async -> End? {
        await withTaskGroup(of: End?.self, returning: End?.self) { group in
            group.addTask { await step() }
            group.addTask { [clock, limits] in
                _ = await clock.pause(for: limits.challenge)
                return nil
            }
            let first: End? = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}

extension CounterCheckoutError {
    /// `true` if the request, or a copy of it, may be carried out yet.
    var mayHaveArrived: Bool {
        switch self {
        case .notSent: false
        case .refused, .notAnswered, .unreadable, .mismatch: true
        }
    }

    /// `true` if the same request may have its answer a moment later.
    var mayEndSoon: Bool {
        switch self {
        case .refused(let problem): problem.mayEndSoon
        case .notSent, .notAnswered: true
        case .unreadable, .mismatch: false
        }
    }
}
