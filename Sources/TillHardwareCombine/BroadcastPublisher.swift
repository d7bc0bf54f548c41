import TillCore
public import TillHardware

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A `TillHardware.BroadcastValues` as a publisher: Combine on Apple's systems, OpenCombine elsewhere.
///
/// Every subscriber receives the current value first, then as many values as it demands, and completes when the service
/// ends. Values arrive one after another on no particular thread; use `receive(on:)` for the user interface. Without
/// demand, the newest 256 values are kept for a subscriber.
public struct BroadcastPublisher<Output: Sendable>: Publisher, Sendable {
    /// The publisher never fails; errors are thrown by the commands themselves.
    public typealias Failure = Never
    private let values: BroadcastValues<Output>

    init(_ values: BroadcastValues<Output>) { self.values = values }

    /// Starts delivering the current value and all that follow, within the subscriber's demand.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let subscription = BroadcastSubscription(values.subscribe(), AnySubscriber(subscriber))
        subscriber.receive(subscription: subscription)
    }
}

extension BroadcastValues {
    /// The same values as a publisher.
    public var publisher: BroadcastPublisher<Element> { BroadcastPublisher(self) }
}

/// One subscriber of a broadcast. A subscriber is not thread-safe; only the single task of this subscription touches
/// it, and its demand is guarded by a lock, so sending it there is safe.
private final class BroadcastSubscription<Value: Sendable>: Subscription, @unchecked Sendable {
    private enum Phase {
        case waiting(AsyncStream<Value>)
        case running(Task<Void, Never>)
        case over
    }
    private struct State {
        var phase: Phase
        /// The number of values that are still wanted; `nil`: any number. Not `Subscribers.Demand`, which is not known
        /// to be sendable.
        var wantedCount: Int? = 0
        var wanted: CheckedContinuation<Bool, Never>?

        /// Adds to the demand, which ends at the largest number.
        mutating func want(_ more: Subscribers.Demand) {
            guard let count = wantedCount, let more = more.max else {
                wantedCount = nil
                return
            }
            let (sum, overflow) = count.addingReportingOverflow(more)
            wantedCount = overflow ? .max : sum
        }
    }
    private let state: Guarded<State>
    private let subscriber: AnySubscriber<Value, Never>

    init(_ stream: AsyncStream<Value>, _ subscriber: AnySubscriber<Value, Never>) {
        state = Guarded(State(phase: .waiting(stream)))
        self.subscriber = subscriber
    }

    func request(_ demand: Subscribers.Demand) {
        let wanted: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard demand > .none else { return nil }
            state.want(demand)
            if case .waiting(let stream) = state.phase { state.phase = .running(Task { await self.run(stream) }) }
            defer { state.wanted = nil }
            return state.wanted
        }
        wanted?.resume(returning: true)
    }

    func cancel() {
        let (task, wanted): (Task<Void, Never>?, CheckedContinuation<Bool, Never>?) = state.withLock { state in
            defer {
                state.phase = .over
                state.wanted = nil
            }
            if case .running(let task) = state.phase { return (task, state.wanted) }
            return (nil, state.wanted)
        }
        task?.cancel()
        wanted?.resume(returning: false)
    }

    private func run(_ stream: AsyncStream<Value>) async {
        for await value in stream {
            guard await isWanted() else { return }
            let more = subscriber.receive(value)
            state.withLock { $0.want(more) }
        }
        let isOver = state.withLock { state in
            defer { state.phase = .over }
            if case .over = state.phase { return true }
            return false
        }
        if !isOver { subscriber.receive(completion: .finished) }
    }

    /// Waits for demand and consumes one unit of it. Returns `false` if the subscription is over.
    private func isWanted() async -> Bool {
        while true {
            let answer: Bool? = state.withLock { state in
                if case .over = state.phase { return false }
                guard let count = state.wantedCount else { return true }
                guard count > 0 else { return nil }
                state.wantedCount = count - 1
                return true
            }
            if let answer { return answer }
            guard await wakeUp() else { return false }
        }
    }

    /// Waits for ``request(_:)`` or ``cancel()``.
    private func wakeUp() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if case .over = state.phase { return false }
                if state.wantedCount != 0 { return true }
                state.wanted = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
