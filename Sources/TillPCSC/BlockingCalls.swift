import Dispatch
import Synchronization
import TillCore

/// Runs blocking calls one after another on a dedicated thread and stops waiting for a call that exceeds its limit. An
/// abandoned call keeps running on its thread; no further call starts until it returns.
final class BlockingCalls: Sendable {
    private let queue: DispatchQueue
    private let clock: any TillClock
    private let hanging = Hanging()

    init(name: String, clock: any TillClock) {
        queue = DispatchQueue(label: name)
        self.clock = clock
    }

    /// A call that did not return within its limit.
    struct GivenUp: Error {}

    /// Runs a call. Canceling the task does not end it early; the caller is responsible for interrupting the call
    /// itself.
    func run<Value: Sendable>(
        within limit: Span, _ call: @escaping @Sendable () throws(PCSCStatus) -> Value
    ) async throws(GivenUp) -> Result<Value, PCSCStatus> {
        guard !hanging.isAny else { throw GivenUp() }
        let answer = Answer<Value>(hanging)
        // Not a child task: the timer must also expire when the caller's task is canceled, and it holds nothing.
        let timer = Task { [clock] in
            do { try await clock.sleep(for: limit) } catch { return }
            answer.give(nil)
        }
        let result = await withCheckedContinuation { continuation in
            answer.expect(continuation)
            queue.async {
                let result: Result<Value, PCSCStatus>
                do throws(PCSCStatus) { result = .success(try call()) } catch { result = .failure(error) }
                answer.give(result)
            }
        }
        timer.cancel()
        guard let result else { throw GivenUp() }
        return result
    }

    /// Runs `call` after everything already queued, without waiting for it.
    func afterwards(_ call: @escaping @Sendable () -> Void) { queue.async(execute: call) }
}

/// The number of abandoned calls that have not returned.
private final class Hanging: Sendable {
    private let count = Mutex(0)
    var isAny: Bool { count.withLock { $0 > 0 } }
    func add(_ number: Int) { count.withLock { $0 += number } }
}

/// A single-use answer for one waiting caller; only the first value counts.
private final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Result<Value, PCSCStatus>?, Never>)
        case givenUp
        case done
    }

    private let state = Mutex<State>(.idle)
    private let hanging: Hanging

    init(_ hanging: Hanging) { self.hanging = hanging }

    func expect(_ continuation: CheckedContinuation<Result<Value, PCSCStatus>?, Never>) {
        state.withLock { state in
            if case .givenUp = state { continuation.resume(returning: nil) } else { state = .waiting(continuation) }
        }
    }

    /// Delivers the answer; `nil` means the limit was exceeded.
    func give(_ result: Result<Value, PCSCStatus>?) {
        state.withLock { state in
            switch state {
            case .idle:
                state = .givenUp
                hanging.add(1)
            case .waiting(let continuation):
                state = result == nil ? .givenUp : .done
                if result == nil { hanging.add(1) }
                continuation.resume(returning: result)
            case .givenUp where result != nil:
                state = .done
                hanging.add(-1)
            case .givenUp, .done: break
            }
        }
    }
}
