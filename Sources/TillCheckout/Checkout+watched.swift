public import TillCore

extension Checkout {
    /// The time after the start of a challenge at which a watched payment is queried for the first time; each further
    /// wait grows with the age of the challenge.
    public static let firstWatchedInterval: Span = .seconds(2)
    /// The longest wait between two queries of a watched payment.
    public static let longestWatchedInterval: Span = .seconds(30)
    /// The age up to which a challenge is queried because it is watched; older ones wait for the engine's own queries.
    public static let watchedLifetime: Span = .minutes(10)

    /// Returns the wait after a query of a watched payment that requires action by the customer: 2, 4, 8, 16 and then
    /// 30 seconds; the engine's own `CheckSchedule.actionInterval` once the challenge is old.
    /// - Parameter age: The age of the challenge at that query; zero for the wait before the first.
    public static func watchedInterval(age: Span) -> Span {
        guard age < watchedLifetime else { return CheckSchedule.actionInterval }
        let elapsed = max(0, age.milliseconds)
        return min(longestWatchedInterval, Span(milliseconds: elapsed + firstWatchedInterval.milliseconds))
    }

    /// Queries a watched payment that awaits its customer's action or has an unknown outcome, if its next query is due.
    /// A finished challenge, or a provider that answers again, thus shows within seconds, without a webhook and without
    /// the customer's return. An operation that the query shows not to be done is sent again with its key; beyond that,
    /// a query without news writes nothing. Frequent calls do not increase the query rate and do not use up the
    /// engine's own queries.
    ///
    /// The rate is limited per process: queries by other processes do not count.
    public func queryWhileWatched(_ id: PaymentID) async throws(CheckoutError) {
        guard !atWork.contains(id), let payment = try await stored(id), let interval = watchedWait(payment) else {
            return
        }
        try await query(id, ifNotWithin: interval)
    }

    /// Returns the wait that has passed; `nil` if there is nothing to query, or not yet.
    private func watchedWait(_ payment: Payment) -> Span? {
        guard let began = Checkout.watchedSince(payment) else { return nil }
        let last = atWork.lastQuery(payment.id).map { max($0, began) } ?? began
        let now = clock.now()
        let wait = Checkout.watchedInterval(age: last.since(began))
        // A clock that was set back must not stop the queries.
        return now < last || now.since(last) >= wait ? wait : nil
    }

    /// Returns the time since which the payment has been in a state that a query may resolve; `nil` if watching it
    /// cannot reveal anything.
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
