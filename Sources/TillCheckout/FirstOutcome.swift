import Synchronization

/// An answer or the end of the wait for it, whichever comes first. One task may wait; any task may end the wait.
final class FirstOutcome<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answer?, Never>)
        case ended(Answer?)
    }
    private let state = Mutex(State.open)

    /// Ends the wait; `nil` abandons it. Returns `false` if it had ended before.
    func end(with answer: Answer?) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            switch state {
            case .open:
                state = .ended(answer)
                return (true, CheckedContinuation<Answer?, Never>?.none)
            case .awaited(let waiter):
                state = .ended(answer)
                return (true, waiter)
            case .ended: return (false, nil)
            }
        }
        waiter?.resume(returning: answer)
        return isFirst
    }

    /// Waits, regardless of cancellation: the canceler must end the wait.
    func value() async -> Answer? {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                guard case .open = state else { return false }
                state = .awaited(waiter)
                return true
            }
            guard !isOpen, case .ended(let answer) = state.withLock({ $0 }) else { return }
            waiter.resume(returning: answer)
        }
    }
}
