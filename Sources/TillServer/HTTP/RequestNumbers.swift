import Synchronization

/// Names for requests that bring none: unlike those of other processes, and counted within this one.
final class RequestNumbers: Sendable {
    private let prefix = "req_" + String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private let count = Atomic<UInt64>(0)

    /// One that was not given before.
    func next() -> String { prefix + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36) }
}
