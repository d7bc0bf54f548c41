import TillCore

/// A single-use answer for one waiting caller: later answers are refused and can thus be recognized as late.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case answered(Value)
        case taken
    }
    private let state = Guarded(State.open)

    /// Delivers the answer. Returns `false` if there was an answer already.
    @discardableResult
    func give(_ value: Value) -> Bool {
        let (isFirst, waiting): (Bool, CheckedContinuation<Value, Never>?) = state.withLock { state in
            switch state {
            case .open:
                state = .answered(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .taken
                return (true, continuation)
            case .answered, .taken: return (false, nil)
            }
        }
        waiting?.resume(returning: value)
        return isFirst
    }

    /// Waits for the answer. One caller only.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let answer: Value? = state.withLock { state in
                if case .answered(let value) = state {
                    state = .taken
                    return value
                }
                state = .awaited(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

/// A one-time gate: all waiting callers continue once it opens.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Guarded(State())

    /// Opens the gate for all current and future callers.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// The entry point of a deferred call: entered once, or shut before that.
final class Threshold: Sendable {
    private enum State { case outside, entered, shut }
    private let state = Guarded(State.outside)

    /// Enters. Returns `false` if it was shut.
    func enter() -> Bool {
        state.withLock { state in
            if state == .outside { state = .entered }
            return state == .entered
        }
    }

    /// Shuts it. Returns `false` if it was entered already.
    func shut() -> Bool {
        state.withLock { state in
            if state == .outside { state = .shut }
            return state == .shut
        }
    }
}
