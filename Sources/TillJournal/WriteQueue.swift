import Dispatch
import Synchronization

/// A bounded queue of writes for the writer's thread, which sleeps while it is empty.
package final class WriteQueue: Sendable {
    package typealias Outcome = Result<Void, JournalError>

    /// A queued write and the task that waits for it. An object, since a write has some forty strings and arrays: as a
    /// value, each step of a batch would retain and release them all, on the writer's thread.
    package final class Item: Sendable {
        package let write: PreparedWrite
        package let done: CheckedContinuation<Outcome, Never>

        init(write: PreparedWrite, done: CheckedContinuation<Outcome, Never>) {
            self.write = write
            self.done = done
        }
    }

    private struct State {
        var items: [Item] = []
        var isAsleep = false
        var isClosed = false
        var statistics = JournalStatistics()
    }

    private let limit: Int
    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)

    package init(limit: Int) { self.limit = limit }

    package var isClosed: Bool { state.withLock(\.isClosed) }
    package var statistics: JournalStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.items.count
            return statistics
        }
    }

    package func count(batch: Int) { state.withLock { $0.statistics.count(batch: batch) } }

    /// Queues a write, or completes it immediately with a refusal.
    package func add(_ write: PreparedWrite, done: CheckedContinuation<Outcome, Never>) {
        // Made outside the lock, which all requests share.
        let item = Item(write: write, done: done)
        let (refusal, wakes) = state.withLock { state -> (JournalError?, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.items.count < limit else { return (.queueFull(limit: limit), false) }
            state.items.append(item)
            defer { state.isAsleep = false }
            return (nil, state.isAsleep)
        }
        if let refusal { done.resume(returning: .failure(refusal)) }
        if wakes { bell.signal() }
    }

    package func close() {
        let wakes = state.withLock { state in
            state.isClosed = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wakes { bell.signal() }
    }

    /// Returns the next batch, waiting for one if necessary; `nil` once the queue is closed and empty. Writer's thread
    /// only.
    package func next(limit: Int = JournalLimits.maximumBatch) -> [Item]? {
        while true {
            let (batch, isOver) = state.withLock { state -> ([Item], Bool) in
                if state.items.isEmpty {
                    state.isAsleep = !state.isClosed
                    return ([], state.isClosed)
                }
                guard state.items.count > limit else {
                    defer { state.items = [] }
                    return (state.items, false)
                }
                let batch = Array(state.items.prefix(limit))
                state.items.removeFirst(batch.count)
                return (batch, false)
            }
            if !batch.isEmpty { return batch }
            if isOver { return nil }
            bell.wait()
        }
    }

    /// Returns items to the front of the queue. Writer's thread only.
    package func putBack(_ items: [Item]) {
        guard !items.isEmpty else { return }
        state.withLock { $0.items.insert(contentsOf: items, at: 0) }
    }
}
