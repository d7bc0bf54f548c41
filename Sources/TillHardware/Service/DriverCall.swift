import TillCore

/// The result of a driver call for the service. The call itself may still be running.
enum DriverOutcome<Value: Sendable>: Sendable {
    case value(Value)
    /// The driver refused, or the service determined that it cannot continue.
    case failed(CardReaderFailure)
    /// The call exceeded its limit.
    case timedOut
    /// The call was canceled, and the driver did not return in time.
    case givenUp
}

/// One driver call within a limit. The service continues at the limit; a later result of the driver is late.
final class DriverCall<Value: Sendable>: Sendable {
    private let reply = Reply<DriverOutcome<Value>>()
    private let hasReturned = Guarded(false)
    private let timer = Guarded<Task<Void, Never>?>(nil)
    private let clock: any TillClock
    private let executor: PreferredExecutor

    /// Calls the driver and starts the limit.
    /// - Parameter late: called with the driver's result if it arrives after the limit.
    init(
        limit: Span, clock: any TillClock, executor: PreferredExecutor,
        _ body: @escaping @Sendable () async throws(CardReaderFailure) -> Value,
        late: @escaping @Sendable (Result<Value, CardReaderFailure>) async -> Void
    ) {
        self.clock = clock
        self.executor = executor
        restartTimer(limit)
        executor.task {
            let result: Result<Value, CardReaderFailure>
            do throws(CardReaderFailure) { result = .success(try await body()) } catch { result = .failure(error) }
            self.hasReturned.withLock { $0 = true }
            let outcome: DriverOutcome<Value> =
                switch result {
                case .success(let value): .value(value)
                case .failure(let failure): .failed(failure)
                }
            if !self.reply.give(outcome) { await late(result) }
        }
    }

    /// Restarts the limit.
    func restartTimer(_ limit: Span) {
        let (clock, reply) = (clock, reply)
        let next = executor.task {
            guard await clock.pause(for: limit) else { return }
            reply.give(.timedOut)
        }
        let old = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        old?.cancel()
    }

    /// Ends the call for the service.
    func interrupt(_ outcome: DriverOutcome<Value>) { reply.give(outcome) }

    /// Returns the result. `isStray`: the driver has not returned.
    func outcome() async -> (outcome: DriverOutcome<Value>, isStray: Bool) {
        let outcome = await reply.value()
        timer.withLock { $0 }?.cancel()
        return (outcome, !hasReturned.withLock { $0 })
    }
}
