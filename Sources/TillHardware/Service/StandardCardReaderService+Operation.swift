import TillCore

extension StandardCardReaderService {
    /// Starts a command on the connected reader.
    func begin(
        _ kind: ServicePhase.Operation.Kind, _ interaction: CardReaderServiceError.Interaction,
        step: ServicePhase.Operation.Step = .preparing
    ) throws(CardReaderServiceError) -> (ServicePhase.Link, CardReaderAttemptID) {
        guard case .connected(let link) = phase else {
            throw CardReaderServiceError(interaction, refusal(connected: .readerBusy))
        }
        guard strays.isEmpty else { throw CardReaderServiceError(interaction, .readerBusy) }
        let attempt = nextAttempt()
        var operation = ServicePhase.Operation(kind: kind, attempt: attempt, ended: Gate())
        operation.step = step
        phase = .operating(link, operation)
        return (link, attempt)
    }

    /// Ends the command and moves to the reader's current state.
    func end(_ attempt: CardReaderAttemptID) {
        guard case .operating(var link, let operation) = phase, operation.attempt == attempt else { return }
        let loss = link.loss
        link.loss = nil
        switch loss {
        case nil: phase = .connected(link)
        case .gone(let reason): gone(reason, tell: false)
        case .reconnecting(let reason): reachAgain(link, reason, tell: false)
        }
        operation.ended.open()
    }

    /// Changes the running command, if it is still this one.
    func change(_ attempt: CardReaderAttemptID, _ body: (inout ServicePhase.Operation) -> Void) {
        guard case .operating(let link, var operation) = phase, operation.attempt == attempt else { return }
        body(&operation)
        phase = .operating(link, operation)
    }

    /// Runs a command to its end. If the caller's task is canceled, the command is canceled where that is still
    /// possible.
    func running<Value: Sendable>(
        _ attempt: CardReaderAttemptID,
        _ body: () async throws(CardReaderServiceError) -> Value
    ) async throws(CardReaderServiceError) -> Value {
        let result: Result<Value, CardReaderServiceError> = await withTaskCancellationHandler {
            do throws(CardReaderServiceError) { return .success(try await body()) } catch { return .failure(error) }
        } onCancel: {
            later { service in await service.callOff(attempt, by: .app) }
        }
        end(attempt)
        return try result.get()
    }

    /// Cancels a command and returns once it has ended. Does nothing once a payment is being confirmed.
    func callOff(_ attempt: CardReaderAttemptID, by canceler: CardReaderCanceler) async {
        guard let operation = phase.operation, operation.attempt == attempt, operation.step != .confirming,
            operation.kind != .update
        else { return }
        let isFirst = operation.canceledBy == nil
        change(attempt) { $0.canceledBy = $0.canceledBy ?? canceler }
        if isFirst {
            cardWaiters[attempt.number]?.give(false)
            if operation.step == .collecting { await stopCollecting(operation) }
            giveUp(attempt, after: limits.cancel)
        }
        await operation.ended.wait()
    }

    /// Has the driver stop waiting for a card. Ignores that it may no longer be waiting.
    private func stopCollecting(_ operation: ServicePhase.Operation) async {
        let driver = driver
        let isRefund = operation.kind == .refund
        let call = startCall(limits.cancel, for: nextAttempt(), late: { _, _ in }) {
            () async throws(CardReaderFailure) -> Void in
            if isRefund { try await driver.cancelRefund() } else { try await driver.cancelCollect() }
        }
        // The command may end without an answer of the driver to the cancellation.
        later { _ in
            await operation.ended.wait()
            call.interrupt(.givenUp)
        }
        _ = await call.outcome()
    }

    /// Ends a command's driver call for the service, if it is still running after `limit`.
    func giveUp(_ attempt: CardReaderAttemptID, after limit: Span, with failure: CardReaderFailure? = nil) {
        guard let operation = phase.operation, operation.attempt == attempt else { return }
        let clock = clock
        let timer = executor.task { [weak self] in
            guard await clock.pause(for: limit) else { return }
            await self?.interrupt(attempt, with: failure)
        }
        later { _ in
            await operation.ended.wait()
            timer.cancel()
        }
    }

    func interrupt(_ attempt: CardReaderAttemptID, with failure: CardReaderFailure?) {
        guard let operation = phase.operation, operation.attempt == attempt else { return }
        operation.interrupt?(failure)
    }

    /// Publishes an event of a command.
    func tell(_ type: CardReaderEventType, _ attempt: CardReaderAttemptID, message: String? = nil) {
        var event = CardReaderEvent(type, message: message)
        event.attempt = attempt
        events.send(event)
    }
}
