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
}
