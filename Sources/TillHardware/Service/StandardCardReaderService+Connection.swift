import TillCore

extension StandardCardReaderService {
    @discardableResult
    public func connect(
        _ reader: CardReader, options: CardReaderConnectionOptions
    ) async throws(CardReaderServiceError) -> CardReader {
        var discovery: ServicePhase.Discovery?
        switch phase {
        case .idle: break
        case .discovering(let running) where !running.isCanceled: discovery = running
        default: throw CardReaderServiceError(.connection, refusal(connected: .alreadyConnectedToReader))
        }
        guard let configuration = binding, let newest = cache[reader.serial] else {
            throw CardReaderServiceError(.connection, .readerNotFound)
        }
        guard strays.isEmpty else { throw CardReaderServiceError(.connection, .readerBusy) }
        let connecting = ServicePhase.Connecting(attempt: nextAttempt(), reader: newest, ended: Gate())
        phase = .connecting(connecting)
        let result = await withTaskCancellationHandler {
            await outcome(of: connecting, options, configuration, after: discovery)
        } onCancel: {
            later { service in await service.invalidate(connecting.attempt) }
        }
        connecting.ended.open()
        return try result.get()
    }

    private func outcome(
        of connecting: ServicePhase.Connecting, _ options: CardReaderConnectionOptions,
        _ configuration: GuardedConfiguration, after discovery: ServicePhase.Discovery?
    ) async -> Result<CardReader, CardReaderServiceError> {
        if let discovery { try? await stop(discovery) }
        let failure: CardReaderFailure
        do throws(CardReaderFailure) {
            // The driver has not returned from a discovery: do not start a second command beside it.
            guard strays.isEmpty else { throw CardReaderFailure(.readerBusy) }
            try await checkLocation(of: connecting.reader, configuration)
            return .success(try await connect(connecting, options, configuration))
        } catch { failure = error }
        if isCurrent(connecting.attempt) { phase = .idle }
        guard failure.underlyingError.isSoftwareUpdateError else {
            return .failure(CardReaderServiceError(.connection, failure))
        }
        var details = failure.details
        details.batteryPercent = details.batteryPercent ?? connecting.reader.battery?.percent
        if failure.underlyingError == .readerSoftwareUpdateFailedBatteryLow {
            details.requiredBatteryPercent = details.requiredBatteryPercent ?? CardReaderBattery.updatePercent
        }
        let error = CardReaderServiceError(.softwareUpdate, failure.underlyingError, details: details)
        updates.send(.failed(error))
        return .failure(error)
    }

    private func isCurrent(_ attempt: CardReaderAttemptID) -> Bool {
        if case .connecting(let connecting) = phase { return connecting.attempt == attempt }
        return false
    }

    /// Refuses a smart or countertop reader registered at a location other than the app's.
    private func checkLocation(
        of reader: CardReader, _ configuration: GuardedConfiguration
    ) async throws(CardReaderFailure) {
        let form = reader.readerType.capabilities.form
        guard form == .smart || form == .countertop, let place = reader.locationID else { return }
        let wanted: String?
        do { wanted = try await configuration.locationID() } catch {
            throw error as? CardReaderFailure ?? CardReaderFailure(.invalidLocation)
        }
        guard wanted == nil || wanted == place else {
            throw CardReaderFailure(
                .invalidLocation, message: "The reader \(reader.label) stands at another place than the app's.")
        }
    }

    private func connect(
        _ connecting: ServicePhase.Connecting, _ options: CardReaderConnectionOptions,
        _ configuration: GuardedConfiguration
    ) async throws(CardReaderFailure) -> CardReader {
        let attempt = connecting.attempt
        guard case .connecting(var current) = phase, current.attempt == attempt, !current.isInvalid else {
            throw CardReaderFailure(.connectionAttemptInvalidated)
        }
        let driver = driver
        let request = CardReaderConnectionRequest(attempt: attempt, options: options, configuration: configuration)
        let call = startCall(
            limits.connect, for: attempt,
            late: { service, result in
                await service.connectedLate(attempt, result)
            }
        ) { () async throws(CardReaderFailure) -> CardReader in
            try await driver.connect(connecting.reader, request)
        }
        current.call = call
        phase = .connecting(current)
        let outcome = await finish(call, attempt, blocks: true)
        guard case .connecting(let now) = phase, now.attempt == attempt, !now.isInvalid else {
            // The reader may have connected anyway: the invalidating command releases it.
            throw CardReaderFailure(.connectionAttemptInvalidated)
        }
        guard case .value(var connected) = outcome else {
            if case .timedOut = outcome { await releaseReader() }
            throw outcome.failure(.connectTimedOut) ?? CardReaderFailure(.internalServiceError)
        }
        guard connected.serial == connecting.reader.serial else {
            await releaseReader()
            throw CardReaderFailure(.resultMismatch, message: "Another reader than the chosen one answered.")
        }
        connected.status = .connected
        cache = [:]
        cardIsInserted = false
        reconnections.send(.idle)
        phase = .connected(
            ServicePhase.Link(
                reader: connected, account: configuration.account, options: options, attempt: attempt,
                update: pendingUpdate))
        noteBattery()
        return connected
    }

    /// Handles a connection that succeeded after its attempt was abandoned: it is never used.
    private func connectedLate(
        _ attempt: CardReaderAttemptID, _ result: Result<CardReader, CardReaderFailure>
    ) async {
        switch result {
        case .success(let reader):
            if case .idle = phase { await releaseReader() }
            await reconcile(.reader(reader, attempt: attempt))
        case .failure(let failure):
            await reconcile(.failure(CardReaderServiceError(.connection, failure), attempt: attempt))
        }
    }

    /// Has the driver release its reader, within the limit.
    @discardableResult
    func releaseReader() async -> CardReaderFailure? {
        let driver = driver
        let attempt = nextAttempt()
        let outcome = await call(limits.disconnect, for: attempt) { () async throws(CardReaderFailure) -> Void in
            try await driver.disconnect()
        }
        guard let failure = outcome.failure(.commandTimedOut) else {
            strays = []
            statusValues.sendIfChanged(.ready)
            return nil
        }
        return failure
    }

    /// Cancels a connection attempt.
    func invalidate(_ attempt: CardReaderAttemptID) async {
        guard case .connecting(var connecting) = phase, connecting.attempt == attempt else { return }
        let isFirst = !connecting.isInvalid
        connecting.isInvalid = true
        phase = .connecting(connecting)
        if isFirst {
            await releaseReader()
            connecting.call?.interrupt(.givenUp)
        }
        await connecting.ended.wait()
    }

    /// Releases the reader and returns once nothing is connected.
    public func disconnect() async throws(CardReaderServiceError) {
        switch phase {
        case .idle, .discovering: throw CardReaderServiceError(.disconnection, .notConnectedToReader)
        case .leaving: throw CardReaderServiceError(.disconnection, .readerBusy)
        case .connecting(let connecting): await invalidate(connecting.attempt)
        case .connected(let link): try await leave(link)
        case .reconnecting(let link, _):
            reconnections.send(.failed(link.reader))
            try await leave(link)
        case .operating(_, let operation):
            try await endOperation(operation)
            switch phase {
            case .connected, .reconnecting: try await disconnect()
            case .idle, .discovering: break
            case .connecting, .operating, .leaving: throw CardReaderServiceError(.disconnection, .readerBusy)
            }
        }
    }

    /// Cancels what can be canceled before a reader is released.
    private func endOperation(_ operation: ServicePhase.Operation) async throws(CardReaderServiceError) {
        switch operation.kind {
        case .payment, .sealedCard:
            guard operation.step != .confirming else {
                throw CardReaderServiceError(.disconnection, .confirmInFlight, details: .moneyUnknown)
            }
            await callOff(operation.attempt, by: .app)
        case .refund: await callOff(operation.attempt, by: .app)
        case .update: throw CardReaderServiceError(.disconnection, .readerBusy)
        }
    }

    private func leave(_ link: ServicePhase.Link) async throws(CardReaderServiceError) {
        phase = .leaving(link)
        if let failure = await releaseReader() {
            phase = .connected(link)
            throw CardReaderServiceError(.disconnection, failure)
        }
        gone(.requested, tell: false)
    }

    /// Moves to `idle` after the connection ended.
    func gone(_ reason: CardReaderDisconnectReason, tell: Bool) {
        phase = .idle
        cardIsInserted = false
        wakeCardWaiters(true)
        updates.sendIfChanged(CardReaderSoftwareUpdateState.none)
        if tell { events.send(CardReaderEvent(.disconnected, message: reason.advice)) }
    }

    /// Discards everything known about readers, payments and the account.
    public func clear() async throws(CardReaderServiceError) {
        while case .discovering = phase { try? await cancelDiscovery() }
        if case .connecting(let connecting) = phase { await invalidate(connecting.attempt) }
        guard case .idle = phase else {
            throw CardReaderServiceError(.disconnection, refusal(connected: .alreadyConnectedToReader))
        }
        phase = .leaving(nil)
        binding?.leave()
        binding = nil
        let left = payments.unsettled
        payments = IntentLedger(limit: limits.rememberedOrders)
        openRefunds = [:]
        forgetDiscovered()
        cardIsInserted = false
        wakeCardWaiters(true)
        events.forget()
        updates.send(CardReaderSoftwareUpdateState.none)
        reconnections.send(.idle)
        discoveryState.send(.idle)
        let driver = driver
        let attempt = nextAttempt()
        let outcome = await call(limits.disconnect, for: attempt) { () async throws(CardReaderFailure) -> Void in
            await driver.clear()
        }
        for (key, entry) in left {
            await reconcile(.forgotten(entry.intent, order: key.order, isUnknown: entry.standing == .unknown))
        }
        phase = .idle
        if let failure = outcome.failure(.commandTimedOut) { throw CardReaderServiceError(.disconnection, failure) }
        strays = []
        statusValues.sendIfChanged(.ready)
    }

    /// Returns the reason for refusing a command in the current state.
    func refusal(connected: UnderlyingError) -> UnderlyingError {
        switch phase {
        case .idle, .discovering: .notConnectedToReader
        case .connected: connected
        case .connecting, .operating, .leaving: .readerBusy
        case .reconnecting: .readerReconnecting
        }
    }
}

extension CardReaderErrorDetails {
    /// Details for an unknown movement of money.
    static var moneyUnknown: CardReaderErrorDetails {
        var details = CardReaderErrorDetails()
        details.moneyMoved = .unknown
        return details
    }
}
