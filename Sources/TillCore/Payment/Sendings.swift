/// The calls that may have been sent for an operation, and their idempotency keys: derived from its events.
public struct Sendings: Hashable, Sendable {
    /// The number of the current key, from 1. The next key is used only after the provider has spent the one before on
    /// a failure, and a query showed that nothing was done.
    public private(set) var keyNumber = 1
    /// The last time at which a call of unknown outcome may have been sent; `nil` if there is none.
    public private(set) var mayHaveLeft: Timestamp?

    /// Returns the key of the next call.
    func key(_ first: String) -> IdempotencyKey {
        IdempotencyKey(rawValue: keyNumber == 1 ? first : "\(first)-k\(keyNumber)")
    }

    /// Records an unknown outcome: a call may have been sent until now.
    mutating func noteUnknown(at: Timestamp) { mayHaveLeft = at }

    /// Records that the operation is to be sent again.
    /// - Parameter before: The previous state. A call in flight without a further report belongs to a process that has
    ///   ended or was overtaken: it may have been sent until now.
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
