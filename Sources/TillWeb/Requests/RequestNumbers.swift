import Synchronization

/// Generated IDs for requests without one: a random prefix for each process, and a counter.
final class RequestNumbers: Sendable {
    private let prefix = "req_" + String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private let count = Atomic<UInt64>(0)

    /// Returns the next unused ID.
    func next() -> String { prefix + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36) }
}
