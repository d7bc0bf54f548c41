import Dispatch
import Synchronization
import TillCore

/// Runs blocking calls one after another on a thread of its own, and gives up waiting for one after its limit. What was
/// given up goes on in its thread; until it comes back nothing else is begun.
final class BlockingCalls: Sendable {
    private let queue: DispatchQueue
    private let clock: any TillClock
    private let hanging = Hanging()

    init(name: String, clock: any TillClock) {
        queue = DispatchQueue(label: name)
        self.clock = clock
    }

    /// A call did not come back in its time.
    struct GivenUp: Error {}

    /// Runs a call. Does not end early when the task is canceled: whoever calls knows how to interrupt the call.
    func run<Value: Sendable>(
        within limit: Span, _ call: @escaping @Sendable () throws(PCSCStatus) -> Value
    ) async throws(GivenUp) -> Result<Value, PCSCStatus> {
        guard !hanging.isAny else { throw GivenUp() }
        let answer = Answer<Value>(hanging)
        // Not a child: it must also run out when the caller's task is canceled, and it holds nothing.
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

    /// Runs something after all that was begun, without waiting for it.
    func afterwards(_ call: @escaping @Sendable () -> Void) { queue.async(execute: call) }
}

/// How many calls were given up and have not come back.
private final class Hanging: Sendable {
    private let count = Mutex(0)
    var isAny: Bool { count.withLock { $0 > 0 } }
    func add(_ number: Int) { count.withLock { $0 += number } }
}

/// One answer for one that waits: the first one given counts.
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

    /// Gives the answer, nil for "over its limit".
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
