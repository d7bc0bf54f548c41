/// A settled payment of which a provider has reported something: it is queried until a query is answered that was sent
/// after the newest report.
public struct RequestedQuery: Hashable, Sendable {
    public let attempt: AttemptID
    /// When it is queried next, unless something else is under way then.
    public let due: Timestamp
    /// How many queries were not answered.
    public let tries: Int
    /// The version of the payment with the newest report: an answer counts only if its query was sent from there on.
    public let version: Int
    /// Since when it waits for an answer.
    public let since: Timestamp

    /// Takes in one more report, or one more query without an answer: only the latter is put off.
    static func after(
        _ before: RequestedQuery?, _ attempt: AttemptID, due: Timestamp, at now: Timestamp, version: Int
    ) -> RequestedQuery {
        guard let before, due > now else {
            return RequestedQuery(
                attempt: attempt, due: due, tries: before?.tries ?? 0, version: version, since: before?.since ?? now)
        }
        return RequestedQuery(
            attempt: attempt, due: due, tries: before.tries + 1, version: before.version, since: before.since)
    }
}

/// What was known of a payment when a query was sent. Its answer may come after others have written more: it may say
/// less than the journal knows by then.
public struct QueryBasis: Hashable, Sendable {
    let version: Int
    let isAtRest: Bool

    /// The query is sent from this state.
    public init(_ payment: Payment) {
        version = payment.version
        isAtRest = payment.isAtRest
    }
}

extension Payment {
    /// A call of ours for settled money is under way, or its process has died.
    public var isInFlight: Bool {
        let voids = attempts.compactMap { $0.void?.state }
        return (voids + captures.map(\.state) + refunds.map(\.state) + renewals.map(\.state)).contains(.inFlight)
    }

    /// Nothing is asked of a provider and nothing is left to be found out, apart from what it reports by itself.
    public var isAtRest: Bool {
        !attempts.contains { $0.isUndecided || $0.void?.state.isOpen == true }
            && !captures.contains { $0.state.isOpen } && !refunds.contains { $0.state.isOpen }
            && !renewals.contains { $0.state.isOpen }
    }

    /// A provider has reported something about a payment whose money is settled: it is queried, however long that
    /// takes, and once more if a query is under way, which may be older than the report. While something else is open
    /// the query waits for its end. Nothing while an attempt is undecided: whoever asks for the money hears the answer.
    public func requestQuery(at now: Timestamp) -> [PaymentEvent] {
        guard !attempts.contains(where: \.isUndecided), let attempt = settledAttempt else { return [] }
        return [.queryRequested(attempt.id, due: now)]
    }

    /// Ends a query that was asked for, or puts it off if it was not answered. What was sent before the newest report
    /// answers nothing, since it may have been too early; nor does an answer while something else is open or was when
    /// it was sent, since it could not tell whose money was moved.
    func afterQuery(
        _ id: AttemptID, isAnswered: Bool, from basis: QueryBasis, _ events: [PaymentEvent], at now: Timestamp
    ) -> [PaymentEvent] {
        guard let query = requestedQuery, query.attempt == id, basis.version >= query.version, basis.isAtRest,
            isAtRest
        else { return events }
        let isAskedAgain = events.contains { if case .queryRequested = $0 { true } else { false } }
        if isAskedAgain { return events }
        if isAnswered { return events + [.queryAnswered(id)] }
        guard CheckSchedule.isReached(query.due, at: now) else { return events }
        return events + [.queryRequested(id, due: now.adding(CheckSchedule.wait(checks: query.tries + 1)))]
    }
}
