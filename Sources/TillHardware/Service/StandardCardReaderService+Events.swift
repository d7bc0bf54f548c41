import TillCore

extension StandardCardReaderService {
    /// Handles an unsolicited event of the driver.
    func happened(_ event: CardReaderDriverEvent) {
        switch event {
        case .reader(let event): readerSaid(event)
        case .changed(let reader): changed(reader)
        case .disconnected(let reason): lost(reason, isBeingReached: false)
        case .reconnecting(let reason): lost(reason, isBeingReached: true)
        case .reconnected(let reader): reached(reader)
        case .reconnectFailed: notReached()
        case .updateAvailable(let update): updateAvailable(update)
        case .updateStarted(let isCancelable): updateStarted(isCancelable)
        case .updateProgress(let percent): updateProgressed(min(100, max(0, percent)))
        case .updateEnded:
            if isUpdating { updates.send(.completed) }
        }
    }

    private func readerSaid(_ event: CardReaderEvent) {
        switch event.type {
        case .cardInserted:
            let holdsCard = phase.link?.reader.readerType.capabilities.holdsCard ?? false
            let isInside = event.input?.contains(.insert) ?? holdsCard
            cardIsInserted = holdsCard && isInside && driver.capabilities.reportsRemoval
        case .cardRemoved:
            cardIsInserted = false
            wakeCardWaiters(true)
        default: break
        }
        guard phase.link != nil else { return }
        let current = phase.operation?.attempt
        if let of = event.attempt, of != current { return }
        // Outside of a command, a reader has nothing to report about one.
        switch event.type {
        case .cardInserted, .cardRemoved, .removeCard, .displayMessage: break
        default: if current == nil { return }
        }
        var event = event
        event.attempt = current
        events.send(event)
    }

    private func changed(_ reader: CardReader) {
        var reader = reader
        switch phase {
        case .connected(var link) where link.reader.serial == reader.serial:
            reader.status = link.reader.status
            link.reader = reader
            phase = .connected(link)
        case .operating(var link, let operation) where link.reader.serial == reader.serial:
            reader.status = link.reader.status
            link.reader = reader
            phase = .operating(link, operation)
        default: return
        }
        reportBattery()
    }

    /// Records a low battery of a reader that was just connected, and reports it.
    func noteBattery() { reportBattery() }

    private func reportBattery() {
        guard let link = phase.link, let battery = link.reader.battery else { return }
        let isLow = battery.percent <= CardReaderBattery.lowPercent && battery.isCharging != true
        guard isLow != link.isBatteryLow else { return }
        switch phase {
        case .connected(var link):
            link.isBatteryLow = isLow
            phase = .connected(link)
        case .operating(var link, let operation):
            link.isBatteryLow = isLow
            phase = .operating(link, operation)
        default: return
        }
        var event = CardReaderEvent(isLow ? .lowBattery : .lowBatteryResolved)
        event.attempt = phase.operation?.attempt
        events.send(event)
    }

    // MARK: The card in the reader

    /// Returns when no card is in the reader.
    @discardableResult
    public func waitForInsertedCardToBeRemoved() async -> Bool {
        await cardRemoved(nextAttempt(), reportsWithoutCommand: true)
    }

    func cardRemoved(_ attempt: CardReaderAttemptID, reportsWithoutCommand: Bool = false) async -> Bool {
        guard cardIsInserted else { return true }
        var event = CardReaderEvent(.removeCard)
        event.attempt = phase.operation?.attempt
        events.send(event)
        let reply = Reply<Bool>()
        cardWaiters[attempt.number] = reply
        let (clock, limit) = (clock, limits.cardRemoval)
        let timer = executor.task {
            if await clock.pause(for: limit) { reply.give(false) }
        }
        let isOut = await withTaskCancellationHandler {
            await reply.value()
        } onCancel: {
            reply.give(false)
        }
        timer.cancel()
        cardWaiters[attempt.number] = nil
        // A canceled command did not find the card left in the reader.
        if Task.isCancelled { change(attempt) { $0.canceledBy = $0.canceledBy ?? .app } }
        return isOut
    }

    func wakeCardWaiters(_ isOut: Bool) {
        for waiter in cardWaiters.values { waiter.give(isOut) }
    }

    /// Publishes an event.
    public func show(_ event: CardReaderEvent) async { events.send(event) }

    // MARK: Readers that go away and come back

    private func lost(_ reason: CardReaderDisconnectReason, isBeingReached: Bool) {
        switch phase {
        case .connected(let link):
            if isBeingReached { reachAgain(link, reason, tell: true) } else { gone(reason, tell: true) }
        case .operating(var link, let operation):
            link.loss = isBeingReached ? .reconnecting(reason) : .gone(reason)
            phase = .operating(link, operation)
            if isBeingReached {
                tell(.reconnecting, operation.attempt)
            } else {
                tell(.disconnected, operation.attempt, message: reason.advice)
            }
            lost(reason, during: operation)
        case .reconnecting(let link, _):
            guard !isBeingReached else { return }
            reconnections.send(.failed(link.reader))
            gone(reason, tell: true)
        case .connecting(let connecting):
            if !isBeingReached { connecting.call?.interrupt(.failed(reason.failure)) }
        case .idle, .discovering, .leaving: break
        }
    }

    /// Handles the loss of the reader during a command: a pending card collection fails; a confirmation or refund is
    /// awaited, because its answer does not need the reader.
    private func lost(_ reason: CardReaderDisconnectReason, during operation: ServicePhase.Operation) {
        wakeCardWaiters(true)
        let failure = reason.failure
        switch (operation.kind, operation.step) {
        case (.payment, .confirming), (.refund, _):
            giveUp(operation.attempt, after: limits.confirm)
        case (.update, _):
            operation.interrupt?(CardReaderFailure(.readerSoftwareUpdateFailedInterrupted))
        case (.payment, _), (.sealedCard, _):
            if operation.step == .collecting { operation.interrupt?(failure) }
        }
    }

    /// Waits for the driver to reconnect the reader, within the limit.
    /// - Parameter tell: `false` if the event is published already.
    func reachAgain(_ link: ServicePhase.Link, _ reason: CardReaderDisconnectReason, tell: Bool) {
        guard link.options.reconnectsAutomatically, driver.capabilities.reconnects else {
            gone(reason, tell: true)
            later { service in _ = await service.stopReaching() }
            return
        }
        var link = link
        link.reader.status = .reconnecting
        link.attempt = nextAttempt()
        phase = .reconnecting(link, reason)
        cardIsInserted = false
        reconnections.send(.reconnecting(link.reader, reason))
        if tell { events.send(CardReaderEvent(.reconnecting)) }
        let (clock, limit) = (clock, limits.reconnect)
        let attempt = link.attempt
        executor.task { [weak self] in
            guard await clock.pause(for: limit) else { return }
            await self?.reachingTimedOut(attempt)
        }
    }

    private func reachingTimedOut(_ attempt: CardReaderAttemptID) async {
        guard case .reconnecting(let link, _) = phase, link.attempt == attempt else { return }
        notReached()
        _ = await stopReaching()
    }

    func stopReaching() async -> CardReaderFailure? {
        let driver = driver
        let attempt = nextAttempt()
        let outcome = await call(limits.cancel, for: attempt) { () async throws(CardReaderFailure) -> Void in
            try await driver.cancelReconnection()
        }
        return outcome.failure(.commandTimedOut)
    }

    private func reached(_ reader: CardReader) {
        var reader = reader
        reader.status = .connected
        switch phase {
        case .reconnecting(var link, _) where link.reader.serial == reader.serial:
            link.reader = reader
            phase = .connected(link)
            reconnections.send(.succeeded(reader))
            events.send(CardReaderEvent(.reconnected))
            reportBattery()
        case .operating(var link, let operation) where link.reader.serial == reader.serial:
            let wasLost = link.loss != nil
            link.loss = nil
            link.reader = reader
            phase = .operating(link, operation)
            reconnections.send(.succeeded(reader))
            if wasLost { tell(.reconnected, operation.attempt) }
        default: break
        }
    }

    private func notReached() {
        switch phase {
        case .reconnecting(let link, let reason):
            reconnections.send(.failed(link.reader))
            gone(reason, tell: true)
        case .operating(var link, let operation):
            if case .reconnecting(let reason) = link.loss { link.loss = .gone(reason) }
            phase = .operating(link, operation)
        default: break
        }
    }

    /// Cancels the reconnection; the reader is then not connected.
    public func cancelReconnection() async throws(CardReaderServiceError) {
        guard case .reconnecting(let link, _) = phase else { return }
        phase = .leaving(nil)
        reconnections.send(.failed(link.reader))
        let failure = await stopReaching()
        gone(.requested, tell: false)
        if let failure, failure.underlyingError != .cancelFailedAlreadyCompleted {
            throw CardReaderServiceError(.reconnectionCancellation, failure)
        }
    }
}

extension CardReaderDisconnectReason {
    /// The failure of a command that was running.
    var failure: CardReaderFailure {
        CardReaderFailure(.notConnectedToReader, message: "The card reader disconnected (\(rawValue)). \(advice)")
    }
}
