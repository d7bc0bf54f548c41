import Synchronization
public import TillCore

/// A clock that jumps to the next moment at which somebody wakes, so that days pass in a moment.
public final class SimulatedClock: TillClock {
    private struct Timer: Comparable {
        var at: Int64
        var id: UInt64
        static func < (left: Timer, right: Timer) -> Bool { (left.at, left.id) < (right.at, right.id) }
    }
    private struct State {
        var now: Int64 = 1_795_000_000_000
        var lastID: UInt64 = 0
        var heap: [Timer] = []
        var sleepers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var canceled: Set<UInt64> = []
        var isEnded = false

        mutating func push(_ timer: Timer) {
            heap.append(timer)
            var child = heap.count - 1
            while child > 0, heap[child] < heap[(child - 1) / 2] {
                heap.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }

        mutating func pop() -> Timer? {
            guard let first = heap.first, let last = heap.popLast() else { return nil }
            guard !heap.isEmpty else { return first }
            heap[0] = last
            var parent = 0
            while true {
                var least = parent
                for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                    least = child
                }
                if least == parent { return first }
                heap.swapAt(parent, least)
                parent = least
            }
        }
    }
    private let state = Mutex(State())

    /// A clock at a fixed moment.
    public init() {}

    /// The simulated time.
    public func now() -> Timestamp { Timestamp(milliseconds: state.withLock { $0.now }) }

    /// Sleeps until the simulated time has come.
    public func sleep(for span: Span) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.canceled.remove(id) != nil || state.isEnded { return true }
                    state.push(Timer(at: state.now + max(0, span.milliseconds), id: id))
                    state.sleepers[id] = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.canceled.insert(id) }
                return sleeper
            }
            sleeper?.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.canceled.remove(id) }
    }

    /// Moves to the next moment at which somebody wakes and wakes him. `false` if nobody sleeps.
    public func jump() -> Bool {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            while let timer = state.pop() {
                guard let sleeper = state.sleepers.removeValue(forKey: timer.id) else { continue }
                state.now = max(state.now, timer.at)
                return sleeper
            }
            return nil
        }
        sleeper?.resume()
        return sleeper != nil
    }

    /// Ends the time: whoever sleeps, or wants to from now on, is canceled. Without it those who sleep
    /// stay in memory for good, with all that they know.
    public func end() {
        let sleepers = state.withLock { state in
            defer { (state.sleepers, state.heap) = ([:], []) }
            state.isEnded = true
            // In the order in which they began to sleep, so that a run is the same each time.
            return state.sleepers.sorted { $0.key < $1.key }.map(\.value)
        }
        for sleeper in sleepers { sleeper.resume(throwing: CancellationError()) }
    }

    /// Moves on without waking anybody.
    public func advance(by span: Span) { state.withLock { $0.now += span.milliseconds } }
}
