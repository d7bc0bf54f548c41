public import TillCore

extension Checkout {
    /// Hands the result of a customer's session to the provider, and records what the provider says. The result proves
    /// no money: a session that the customer has finished is unknown until the provider itself reports the payment.
    ///
    /// A payment without such a session, and one whose session is finished, stays as it is.
    /// - Parameter interval: The provider is not asked if this process handed in a result of the payment within
    ///   this time: each one costs a call, and the provider's own report needs none. For callers without a limit of
    ///   their own.
    /// - Returns: the payment after it.
    public func finishSession(
        _ id: PaymentID, account: AccountID, result: SessionResult, ifNotWithin interval: Span? = nil
    ) async throws(CheckoutError) -> Payment {
        let payment = try await payment(id, account: account)
        guard let attempt = payment.currentAttempt, let action = attempt.awaitedAction, action.session != nil,
            !action.isFinished
        else { return payment }
        if let interval, !atWork.mayFinish(id, at: clock.now(), ifNotWithin: interval) { return payment }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard let answer = await query(attempt.id, payment, result: result) else { return payment }
        var current = payment
        let events = try await record(answer, in: &current, moreToDo: false)
        let after = try await drive(current, started: events)
        let ended = after.attempts.first { $0.id == attempt.id }
        guard ended?.awaitedAction?.isFinished == true else { return after }
        // The provider's own report may be here already. Without it the outcome is unknown from now on.
        return try await drive(after, effects: [.query(attempt.id)])
    }

    /// The shortest time between two results of one payment's session for which the provider is asked.
    public static let sessionResultInterval = Span.seconds(2)

    /// The time after which a session that nobody was handed counts as over: its life, and a moment longer.
    static let unheldSessionLife = Span(milliseconds: CheckSchedule.actionLifetime.milliseconds + 300_000)

    /// Returns `true` for an attempt whose session never reached the journal, because the process ended or the answer
    /// came too late: nobody has it. One of before a restore may have been in the lost journal, and its customer may
    /// have it.
    func isOfUnheldSession(
        _ attempt: Attempt, of payment: Payment, at provider: any PaymentServiceProvider
    ) -> Bool {
        // A typed card has a summary from the start.
        guard provider.capabilities.takesAdyenSessions, attempt.lastAction == nil, attempt.tender.kind == .card,
            attempt.tender.card == nil, !payment.isOfEarlierEpoch(attempt)
        else { return false }
        switch attempt.state {
        case .inFlight, .unknown: return true
        case .requiresAction, .stored, .authorized, .declined, .notSent, .voided, .expired: return false
        }
    }

    /// Ends an attempt whose session nobody has, once the time is over in which it could have been paid, and only if
    /// the provider has read all reports and has none of it. Anything else leaves it open: an answer that did not come,
    /// reports that cannot be read, and money in another amount.
    func endOfUnheldSession(_ attempt: Attempt, _ answer: PaymentAnswer) -> PaymentAnswer {
        guard case .snapshot(let id, .approved(let snapshot)) = answer, snapshot.standing == .notFound else {
            return answer
        }
        guard clock.standing.isTrusted, clock.now().since(attempt.startedAt) >= Checkout.unheldSessionLife else {
            return .snapshot(id, .unknown(reason: "nothing is reported of it, and its time is not over"))
        }
        return .snapshot(
            id,
            .approved(
                ProviderSnapshot(
                    reference: nil, standing: .voided, captured: Money.zero(attempt.amount.currency))))
    }
}
