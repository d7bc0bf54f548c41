// Consequences of a provider's rejection of our own credentials. It decides nothing: nothing was done, nothing is
// refused, and all waiting work resumes once the credentials are corrected.

extension Payment {
    /// Ends an attempt as not sent: the money was certainly not requested, so the customer may pay again.
    func attemptRejected(_ id: AttemptID, _ reason: String) -> [PaymentEvent] {
        [.attemptNotSent(id, reason: reason)] + alarm(.attempt(id))
    }

    /// Defers an operation, later each time.
    func rejected(_ operation: OperationID, _ reason: String, at now: Timestamp) -> [PaymentEvent] {
        [resent(operation, .keyRejected(reason), at: now)] + alarm(operation)
    }

    /// Handles a rejected query: deferred operations stay deferred, and unknown ones stay unknown for the same reason.
    /// The next query is never later than an operation would be sent again, so that it resumes soon after the
    /// credentials are corrected.
    func queryRejected(_ id: AttemptID, _ reason: String, at now: Timestamp) -> [PaymentEvent] {
        if let attempt = attempts.first(where: { $0.id == id }), attempt.isUndecided, attempt.void == nil,
            isBeforeNextQuery(attempt, at: now)
        {
            return []
        }
        let open = openOperations(of: id)
        // A settled payment waits for nothing but this answer.
        if open.isEmpty, requestedQuery(about: id) != nil { return alarm(.attempt(id)) }
        return open.flatMap { operation in
            if case .deferred(let until, _, _, _) = state(of: operation) {
                return CheckSchedule.isReached(until, at: now) ? rejected(operation, reason, at: now) : []
            }
            let before = unknown(operation)
            if let before, !CheckSchedule.isReached(before.nextCheck, at: now) { return [] }
            let checks = (before?.checks ?? 0) + 1
            let wait = min(CheckSchedule.wait(checks: checks), CheckSchedule.longestRejectedWait(checks: checks))
            return [
                .outcomeUnknown(operation, nextCheck: now.adding(wait), reason: before?.reason ?? .unclear(reason))
            ] + alarm(operation)
        }
    }

    /// Raises one entry at a time for each payment; another once an operator has closed it, if the credentials are
    /// still rejected.
    private func alarm(_ operation: OperationID) -> [PaymentEvent] {
        openAttention.contains { $0.attention == .keyRejected } ? [] : [.attentionRequired(operation, .keyRejected)]
    }
}
