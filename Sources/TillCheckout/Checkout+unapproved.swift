public import TillCore

extension Checkout {
    /// Ends an order that was prepared for the provider's own card fields and that nobody has approved, so that another
    /// tender can pay. The provider is queried first: an order that the customer has approved meanwhile is charged, as
    /// any query does it. An order of unknown state, and one whose customer the bank is asking, stays and keeps
    /// blocking: it could be paid. An order that was ended is closed at the provider, so that a card attached later is
    /// never charged.
    ///
    /// A payment without such an order stays as it is.
    /// - Parameter interval: The shortest time between two queries of the payment by this process; nothing is done
    ///   before it has passed. `nil` queries at once.
    /// - Returns: the payment after it. While it still has an undecided attempt, no other tender may pay.
    public func endUnapproved(
        _ id: PaymentID, account: AccountID, ifNotWithin interval: Span? = nil
    ) async throws(CheckoutError) -> Payment {
        let payment = try await payment(id, account: account)
        guard let attempt = payment.currentAttempt, attempt.awaitsCard, attempt.void?.state.isOpen != true,
            atWork.mayQuery(id, at: clock.now(), ifNotWithin: interval)
        else { return payment }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard let answer = await query(attempt.id, payment) else { return payment }
        var current = payment
        let events = try await record(answer, in: &current, moreToDo: false)
        let after = try await drive(current, started: events)
        guard case .snapshot(_, .approved(let snapshot)) = answer, snapshot.isUnapproved else { return after }
        do throws(CheckoutError) {
            return try await run(.abandon(attempt.id), on: id, account: account, idempotency: nil, keyedAnswer: nil)
        } catch {
            // Its money was requested meanwhile, or it has ended: the newest state says which.
            guard case .refused = error else { throw error }
            return try await self.payment(id, account: account)
        }
    }
}

extension ProviderSnapshot {
    /// `true` if the provider says that nothing was attached to the attempt yet, so that no money can have moved.
    fileprivate var isUnapproved: Bool {
        switch standing {
        case .unconfirmed: captured.isZero && !hasPendingCapture
        case .notFound, .requiresAction, .continuable, .stored, .processing, .authorized, .declined, .voided: false
        }
    }
}
