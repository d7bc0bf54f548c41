public import TillCore

extension Checkout {
    /// Hands the result of a customer's session to the provider, and records what the provider says. The result proves
    /// no money: a session that the customer has finished is unknown until the provider itself reports the payment.
    ///
    /// A payment without such a session, and one whose session is finished, stays as it is.
    /// - Returns: the payment after it.
    public func finishSession(
        _ id: PaymentID, account: AccountID, result: SessionResult
    ) async throws(CheckoutError) -> Payment {
        let payment = try await payment(id, account: account)
        guard let attempt = payment.currentAttempt, attempt.awaitedAction?.session != nil else { return payment }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard let answer = await query(attempt.id, payment, result: result) else { return payment }
        let (current, events) = try await record(answer, for: payment, moreToDo: false)
        let after = try await drive(current, started: events, tender: nil)
        let ended = after.attempts.first { $0.id == attempt.id }
        guard ended?.awaitedAction?.isFinished == true else { return after }
        // The provider's own report may be here already. Without it the outcome is unknown from now on.
        return try await drive(after, effects: [.query(attempt.id)])
    }

    /// The time after which a session that nobody was handed counts as over: its life, and a moment longer.
    static let unheldSessionLife = Span(milliseconds: CheckSchedule.actionLifetime.milliseconds + 300_000)

    /// Ends an attempt whose session never reached the journal, because the process ended or the answer came too late:
    /// nobody has it, and once its time is over nobody can have paid with it.
    /// - Returns: `nil` for any other attempt, and while the provider has an answer or the session may be alive.
    func endOfUnheldSession(
        _ attempt: Attempt, at provider: any PaymentServiceProvider, _ answer: PaymentAnswer
    ) -> PaymentAnswer? {
        // A typed card has a summary from the start.
        guard provider.capabilities.takesAdyenSessions, attempt.lastAction == nil, attempt.tender.kind == .card,
            attempt.tender.card == nil, case .snapshot(let id, .unknown) = answer, clock.standing.isTrusted,
            clock.now().since(attempt.startedAt) >= Checkout.unheldSessionLife
        else { return nil }
        switch attempt.state {
        case .inFlight, .unknown: break
        case .requiresAction, .stored, .authorized, .declined, .notSent, .voided, .expired: return nil
        }
        return .snapshot(
            id,
            .approved(
                ProviderSnapshot(
                    reference: nil, standing: .voided, captured: Money.zero(attempt.amount.currency))))
    }
}
