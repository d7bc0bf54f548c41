/// How often an operation may have been sent, and under which of its keys: derived from its events.
public struct Sendings: Hashable, Sendable {
    /// 1 for the first key. The next one follows only after the provider has spent the one before it on a failure, and
    /// a query has shown that nothing was done.
    public private(set) var keyNumber = 1
    /// The last moment at which a call may have left whose outcome is unknown; `nil`: there is none.
    public private(set) var mayHaveLeft: Timestamp?

    /// The key of the next sending.
    func key(_ first: String) -> IdempotencyKey {
        IdempotencyKey(rawValue: keyNumber == 1 ? first : "\(first)-k\(keyNumber)")
    }

    /// The outcome is not known: a call may have left until now.
    mutating func noteUnknown(at: Timestamp) { mayHaveLeft = at }

    /// It is to be sent again.
    /// - Parameter before: the state until now. One that was being sent, and of which nobody has said more, belongs to
    ///   a process that has ended or that others have overtaken: its call may have left until now.
    mutating func noteDeferred(_ reason: ResendReason, from before: OperationState, at: Timestamp) {
        guard case .notDone = reason else { return }
        switch before {
        case .inFlight, .deferred(_, _, isQueried: true, _): mayHaveLeft = at
        case .unknown(let unknown):
            if case .keySpent = unknown.reason { keyNumber += 1 }
        case .deferred, .succeeded, .refused, .reversed: break
        }
    }
}
