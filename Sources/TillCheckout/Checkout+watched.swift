public import TillCore

extension Checkout {
    /// How long after a challenge began whoever watches the payment has the provider asked for the first time; each
    /// wait after that is as much longer as the challenge is older.
    public static let firstWatchedInterval: Span = .seconds(2)
    /// The longest wait between two queries of a payment that is watched.
    public static let longestWatchedInterval: Span = .seconds(30)
    /// For so long a challenge is examined because it is watched; older ones wait for the engine's own queries.
    public static let watchedLifetime: Span = .minutes(10)

    /// How long to wait after querying a payment whose customer must act, while somebody watches it: 2, 4,
    /// 8, 16 and then 30 seconds; the engine's own `CheckSchedule.actionInterval` once the challenge is old.
    /// - Parameter age: how old the challenge was at that query; zero for the wait before the first.
    public static func watchedInterval(age: Span) -> Span {
        guard age < watchedLifetime else { return CheckSchedule.actionInterval }
        let elapsed = max(0, age.milliseconds)
        return min(longestWatchedInterval, Span(milliseconds: elapsed + firstWatchedInterval.milliseconds))
    }

    /// Queries a payment that somebody watches if its customer has something to do, or nobody knows how it ended, and
    /// it is time for a query: so a challenge that is over, or a provider that answers again, shows within seconds,
    /// without a webhook and without the customer coming back. A step that it shows to be not done is sent again with
    /// its key; else nothing that it does not find out is written. Calling it often asks the provider no more often and
    /// uses up no queries of the engine.
    ///
    /// This process's own queries count, those of other processes do not: each asks at most so often.
    public func queryWhileWatched(_ id: PaymentID) async throws(CheckoutError) {
        guard !atWork.contains(id), let payment = try await stored(id), let interval = watchedWait(payment) else {
            return
        }
        try await query(id, ifNotWithin: interval)
    }

    /// The wait that is over; `nil` if there is nothing to query, or not yet.
    private func watchedWait(_ payment: Payment) -> Span? {
        guard let began = Checkout.watchedSince(payment) else { return nil }
        let last = atWork.lastQuery(payment.id).map { max($0, began) } ?? began
        let now = clock.now()
        let wait = Checkout.watchedInterval(age: last.since(began))
        // A clock that was set back must not stop the queries.
        return now < last || now.since(last) >= wait ? wait : nil
    }

    /// Since when a payment is as it is whose end others may know; `nil` if there is nothing to be found out for
    /// those who watch it.
    private static func watchedSince(_ payment: Payment) -> Timestamp? {
        guard let attempt = payment.currentAttempt, attempt.void == nil else { return nil }
        switch payment.status {
        case .requiresAction: return attempt.continuation?.startedAt ?? attempt.startedAt
        case .unknown:
            if case .unknown(let unknown) = attempt.state { return unknown.since }
            let states = [attempt.continuation?.state] + payment.captures.map(\.state)
            return states.compactMap { state in
                if case .unknown(let unknown)? = state { unknown.since } else { nil }
            }.max()
        default: return nil
        }
    }
}
