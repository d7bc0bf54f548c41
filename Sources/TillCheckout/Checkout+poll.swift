import TillCore
import TillJournal

extension Checkout {
    /// The result of polling a settled payment without a webhook.
    public enum PollResult: String, CaseIterable, Sendable {
        /// The provider's state matches the journal.
        case unchanged
        /// The provider reported changes, and they are recorded.
        case news
        /// The provider did not answer: the payment is queried until it does.
        case unanswered
        /// Not polled: something is open on the payment, its provider cannot report more, or it belongs to another
        /// account.
        case skipped
    }

    /// Queries a payment at rest. Writes nothing unless there is news, or no answer.
    func poll(_ id: PaymentID) async throws(CheckoutError) -> PollResult {
        guard !atWork.contains(id) else { return .skipped }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard var payment = try await stored(id), payment.isAtRest, let attempt = payment.settledAttempt,
            payment.requestedQuery(about: attempt.id) == nil,
            providers[attempt.provider]?.capabilities.showsAfterSale == true,
            let answer = await perform(.effect(.query(attempt.id)), for: payment)
        else { return .skipped }
        if case .snapshot(_, .approved) = answer {
            let events = try await record(answer, in: &payment, moreToDo: false)
            return events.isEmpty ? .unchanged : .news
        }
        let now = clock.now()
        let again = PaymentEvent.queryRequested(attempt.id, due: now.adding(CheckSchedule.wait(checks: 1)))
        // If another process has written meanwhile, it has queried the payment or will.
        _ = try await append([again], to: &payment, at: now, holder: .nobody)
        return .unanswered
    }

    /// Queries a payment with decided attempts, whatever else is open on it.
    /// - Parameter named: An abandoned attempt; `nil` queries the attempt that has or may have the payment's money.
    /// - Returns: `true` if the provider has answered, so that its state is in the journal.
    func queryNow(_ id: PaymentID, about named: AttemptID? = nil) async throws(CheckoutError) -> Bool {
        guard !atWork.contains(id) else { return false }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard var payment = try await stored(id),
            let attempt = named ?? (payment.settledAttempt ?? payment.abandonedAttempt)?.id
        else {
            return true
        }
        guard let answer = await perform(.effect(.query(attempt)), for: payment) else { return false }
        _ = try await record(answer, in: &payment, moreToDo: false)
        if case .snapshot(_, .approved) = answer { return true }
        return false
    }
}
