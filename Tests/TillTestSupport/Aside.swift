import Dispatch

/// Runs what computes for seconds on a thread of its own, one after the other, so that the threads that tests share
/// stay free for those that wait for a socket or a clock.
package enum Aside {
    private static let queue = DispatchQueue(label: "computing aside")

    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { done in queue.async { done.resume(returning: body()) } }
    }
}
