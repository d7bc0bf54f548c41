import TillCore

extension StandardCardReaderService {
    /// An update that the driver reported while the reader was being connected.
    var pendingUpdate: CardReaderSoftwareUpdate? {
        if case .available(let update) = updates.current { return update }
        return nil
    }

    var isUpdating: Bool {
        if case .connecting = phase { return true }
        return phase.operation?.kind == .update
    }

    func updateAvailable(_ update: CardReaderSoftwareUpdate) {
        switch phase {
        case .connected(var link):
            link.update = update
            phase = .connected(link)
        case .operating(var link, let operation):
            link.update = update
            phase = .operating(link, operation)
            if operation.kind == .update { return }
        case .connecting: break
        case .idle, .discovering, .reconnecting, .leaving: return
        }
        updates.send(.available(update))
    }

    func updateStarted(_ isCancelable: Bool) {
        guard isUpdating else { return }
        updateIsCancelable = isCancelable
        updates.send(.started(isCancelable: isCancelable))
        tellUpdating(0)
        // A required update during the connection has the time limit of an update.
        if case .connecting(let connecting) = phase { connecting.call?.restartTimer(limits.update) }
    }

    func updateProgressed(_ percent: Int) {
        guard isUpdating else { return }
        updates.send(.installing(percent: percent))
        tellUpdating(percent)
    }

    private func tellUpdating(_ percent: Int) {
        var event = CardReaderEvent(.updating, percent: percent)
        event.attempt = phase.operation?.attempt
        events.send(event)
    }

    /// Installs the update that the reader offers.
    public func installUpdate() async throws(CardReaderServiceError) {
        if case .connected(let link) = phase {
            guard link.update != nil else { throw CardReaderServiceError(.softwareUpdate, .noUpdateAvailable) }
            try checkBattery(of: link.reader)
        }
        let (link, attempt) = try begin(.update, .softwareUpdate)
        updateIsCancelable = true
        let driver = driver
        try await running(attempt) { () async throws(CardReaderServiceError) -> Void in
            let outcome = await call(
                limits.update, for: attempt, blocks: true,
                late: { service, result in
                    if case .failure(let failure) = result {
                        await service.reconcile(
                            .failure(CardReaderServiceError(.softwareUpdate, failure), attempt: attempt))
                    }
                }
            ) { () async throws(CardReaderFailure) -> Void in try await driver.installUpdate() }
            try updateEnded(outcome, link.update)
        }
    }

    private func updateEnded(
        _ outcome: DriverOutcome<Void>, _ update: CardReaderSoftwareUpdate?
    ) throws(CardReaderServiceError) {
        guard var failure = outcome.failure(.readerSoftwareUpdateFailed) else {
            if case .operating(var link, let operation) = phase {
                link.update = nil
                phase = .operating(link, operation)
            }
            updates.sendIfChanged(.completed)
            return
        }
        failure.details.batteryPercent = failure.details.batteryPercent ?? phase.link?.reader.battery?.percent
        let error = CardReaderServiceError(.softwareUpdate, failure)
        updates.send(.failed(error))
        if let update, phase.link?.loss == nil { updates.send(.available(update)) }
        throw error
    }

    /// Refuses an update if the battery is too low, with the level and the threshold.
    private func checkBattery(of reader: CardReader) throws(CardReaderServiceError) {
        guard let battery = reader.battery, battery.percent < CardReaderBattery.updatePercent else { return }
        var details = CardReaderErrorDetails()
        details.batteryPercent = battery.percent
        details.requiredBatteryPercent = CardReaderBattery.updatePercent
        details.sentence =
            "The reader's battery is at \(battery.percent) %; an update needs "
            + "\(CardReaderBattery.updatePercent) %, also while it is being charged."
        throw CardReaderServiceError(.softwareUpdate, .readerSoftwareUpdateFailedBatteryLow, details: details)
    }

    /// Cancels an update that can still be canceled.
    public func cancelUpdate() async throws(CardReaderServiceError) {
        guard let operation = phase.operation, operation.kind == .update else { return }
        guard updateIsCancelable else {
            throw CardReaderServiceError(.softwareUpdate, .cancelFailedUnavailable)
        }
        change(operation.attempt) { $0.canceledBy = .app }
        let driver = driver
        let attempt = nextAttempt()
        let outcome = await call(limits.cancel, for: attempt) { () async throws(CardReaderFailure) -> Void in
            try await driver.cancelUpdate()
        }
        if let failure = outcome.failure(.commandTimedOut), failure.underlyingError != .cancelFailedAlreadyCompleted {
            throw CardReaderServiceError(.softwareUpdate, failure)
        }
        giveUp(operation.attempt, after: limits.cancel)
        await operation.ended.wait()
    }

    /// Shows a cart, or nothing, on the reader.
    public func display(_ cart: ReaderCart?) async throws(CardReaderServiceError) {
        guard case .connected(let link) = phase else {
            throw CardReaderServiceError(.readerDisplay, refusal(connected: .readerBusy))
        }
        guard link.reader.readerType.capabilities.showsCart else {
            throw CardReaderServiceError(.readerDisplay, .featureNotAvailableWithConnectedReader)
        }
        let driver = driver
        let attempt = nextAttempt()
        let outcome = await call(limits.display, for: attempt) { () async throws(CardReaderFailure) -> Void in
            try await driver.display(cart)
        }
        if let failure = outcome.failure(.commandTimedOut) {
            throw CardReaderServiceError(.readerDisplay, failure)
        }
    }
}
