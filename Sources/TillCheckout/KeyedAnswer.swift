import Synchronization
public import TillCore
public import TillJournal

/// The answer to a request under an idempotency key, stored in the same commit as the last event that it tells of.
///
/// Without it the answer is a write of its own after the events: one more sync before the caller is answered. The
/// record is made for each payment that may be final, and written only with events after which nothing is due.
public final class KeyedAnswer: Sendable {
    private let make: @Sendable (Payment) -> IdempotencyRecord?
    private let state = Mutex<(version: Int, record: IdempotencyRecord)?>(nil)

    /// - Parameter make: returns the finished record for a payment; `nil` if its answer must not be stored, because an
    ///   outcome is open.
    public init(_ make: @escaping @Sendable (Payment) -> IdempotencyRecord?) { self.make = make }

    /// Returns the stored answer if it tells of this version of the payment.
    public func written(for payment: Payment) -> IdempotencyRecord? {
        state.withLock { $0.flatMap { $0.version == payment.version ? $0.record : nil } }
    }

    func record(for payment: Payment) -> IdempotencyRecord? { make(payment) }

    func noteWritten(_ record: IdempotencyRecord, for payment: Payment) {
        state.withLock { $0 = (payment.version, record) }
    }
}
