/// A query requested by a provider's report about a settled payment, or about an abandoned attempt: it is repeated
/// until a query sent after the newest report is answered.
public struct RequestedQuery: Hashable, Sendable {
    public let attempt: AttemptID
    /// The time of the next query, unless another operation is under way then.
    public let due: Timestamp
    /// The number of unanswered queries since the newest report.
    public let tries: Int
    /// The version of the payment at the newest report: an answer counts only if its query was sent from that version
    /// on.
    public let version: Int
    /// The time since which an answer has been outstanding.
    public let since: Timestamp
    /// `true` for a query about an attempt without money that another one followed. It stands beside other queries,
    /// which replace each other.
    let isOfEarlier: Bool

    /// Merges a further report, or a further unanswered query: only the latter is deferred.
    static func after(
        _ before: RequestedQuery?, _ attempt: AttemptID, due: Timestamp, at now: Timestamp, version: Int,
        isOfEarlier: Bool
    ) -> RequestedQuery {
        guard let before, due > now else {
            return RequestedQuery(
                attempt: attempt, due: due, tries: 0, version: version, since: before?.since ?? now,
                isOfEarlier: isOfEarlier)
        }
        return RequestedQuery(
            attempt: attempt, due: due, tries: before.tries + 1, version: before.version, since: before.since,
            isOfEarlier: isOfEarlier)
    }
}

extension Payment {
    /// Keeps a requested query. A query about the newest attempt, or about money, replaces such a query about another
    /// attempt: so did versions that knew no others, and their journals have the same queries left.
    mutating func keep(queryAbout attempt: AttemptID, due: Timestamp, at now: Timestamp) {
        let isOfEarlier =
            attempts.last?.id != attempt && attempts.contains { $0.id == attempt && endedWithoutMoney($0) }
        let query = RequestedQuery.after(
            requestedQuery(about: attempt), attempt, due: due, at: now, version: version, isOfEarlier: isOfEarlier)
        requestedQueries.removeAll { $0.attempt == attempt || (!isOfEarlier && !$0.isOfEarlier) }
        requestedQueries.append(query)
    }
}

/// The state of a payment when a query was sent. Its answer may arrive after later writes, and may then be older than
/// the journal.
public struct QueryBasis: Hashable, Sendable {
    let version: Int
    let isAtRest: Bool

    /// Captures the state from which a query is sent.
    public init(_ payment: Payment) {
        version = payment.version
        isAtRest = payment.isAtRest
    }
}

extension Payment {
    /// `true` if a call of ours for settled money is under way, or its process has died.
    public var isInFlight: Bool {
        let voids = attempts.compactMap { $0.void?.state }
        return (voids + captures.map(\.state) + refunds.map(\.state) + renewals.map(\.state)).contains(.inFlight)
    }

    /// `true` if the outcome of an attempt is not established.
    public var hasUndecidedAttempt: Bool { attempts.contains(where: \.isUndecided) }

    /// `true` if no operation is open and nothing is left to be established, apart from what the provider may report by
    /// itself.
    public var isAtRest: Bool {
        // The void of an attempt that has ended moves nothing of another one's money.
        !attempts.contains { $0.isUndecided || ($0.isLive && $0.void?.state.isOpen == true) }
            && !captures.contains { $0.state.isOpen } && !refunds.contains { $0.state.isOpen }
            && !renewals.contains { $0.state.isOpen }
    }

    /// The requested query that is sent first; `nil` if there is none.
    public var requestedQuery: RequestedQuery? { requestedQueries.min { $0.due < $1.due } }

    /// Returns the requested query about an attempt.
    public func requestedQuery(about attempt: AttemptID) -> RequestedQuery? {
        requestedQueries.first { $0.attempt == attempt }
    }

    /// Requests a query about an attempt that a provider's report names, if Till ended it without the provider's
    /// answer: the provider may have approved it after all. While another attempt is undecided the query waits for its
    /// end.
    public func requestQuery(aboutAbandoned named: AttemptID, at now: Timestamp) -> [PaymentEvent] {
        attempts.contains { $0.id == named && isAbandoned($0) } ? [.queryRequested(named, due: now)] : []
    }

    /// Requests a query of a settled payment after a provider's report: it is repeated until answered, and once more if
    /// a query is under way, which may be older than the report. While another operation is open, the query waits for
    /// its end. Does nothing while an attempt is undecided: the authorizing call receives the answer.
    public func requestQuery(at now: Timestamp) -> [PaymentEvent] {
        guard !hasUndecidedAttempt, let attempt = settledAttempt ?? abandonedAttempt else {
            return []
        }
        // One about an attempt that was the newest at its report stands beside this one from now on.
        let earlier = requestedQueries.filter { query in
            !query.isOfEarlier && query.attempt != attempt.id
                && attempts.contains { $0.id == query.attempt && isAbandoned($0) }
        }
        return earlier.map { .queryRequested($0.attempt, due: $0.due) } + [.queryRequested(attempt.id, due: now)]
    }

    /// Ends a requested query, or defers it if it was not answered. A query sent before the newest report does not
    /// count, because it may have been too early; nor does an answer while another operation is or was open at the
    /// time, because it could not attribute the moved money.
    func afterQuery(
        _ id: AttemptID, _ answer: ProviderAnswer<ProviderSnapshot>, from basis: QueryBasis, _ events: [PaymentEvent],
        at now: Timestamp
    ) -> [PaymentEvent] {
        guard let query = requestedQuery(about: id), basis.version >= query.version, basis.isAtRest,
            isAtRest
        else { return events }
        let isAskedAgain = events.contains { if case .queryRequested = $0 { true } else { false } }
        if isAskedAgain { return events }
        if isEnded(query, by: answer) { return events + [.queryAnswered(id)] }
        guard CheckSchedule.isReached(query.due, at: now) else { return events }
        return events + [.queryRequested(id, due: now.adding(CheckSchedule.wait(checks: query.tries + 1)))]
    }
}
