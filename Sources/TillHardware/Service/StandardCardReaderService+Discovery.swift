import TillCore

extension StandardCardReaderService {
    public func start(
        _ configProvider: any CardReaderConfigProvider, discoveryMethod: CardReaderDiscoveryMethod
    ) async throws(CardReaderServiceError) {
        // The last start wins: an earlier one that waits for the same discovery to end yields.
        let ticket = nextAttempt()
        latestStart = ticket
        await observeDriver()
        while case .discovering = phase, latestStart == ticket { try await cancelDiscovery() }
        guard latestStart == ticket else { throw CardReaderServiceError(.discovery, .canceledByNewerCommand) }
        guard case .idle = phase else {
            throw CardReaderServiceError(.discovery, refusal(connected: .alreadyConnectedToReader))
        }
        guard strays.isEmpty else { throw CardReaderServiceError(.discovery, .readerBusy) }
        if let binding, binding.account != configProvider.account {
            throw CardReaderServiceError(
                .discovery,
                CardReaderFailure(
                    .accountMismatch,
                    message: "The service is bound to account \(binding.account), not to \(configProvider.account)."))
        }
        binding?.leave()
        let configuration = GuardedConfiguration(
            configProvider, needsToken: driver.capabilities.needsConnectionToken, limits: limits, clock: clock,
            executor: executor)
        binding = configuration
        try await discover(configuration, discoveryMethod)
    }

    private func discover(
        _ configuration: GuardedConfiguration, _ method: CardReaderDiscoveryMethod
    ) async throws(CardReaderServiceError) {
        let attempt = nextAttempt()
        let started = Reply<CardReaderFailure?>()
        let request = CardReaderDiscoveryRequest(attempt: attempt, method: method, configuration: configuration)
        let driver = driver
        let threshold = Threshold()
        let call = startCall(limits.discovery, for: attempt, late: { _, _ in }) {
            [weak self] () async throws(CardReaderFailure) -> Void in
            do throws(CardReaderFailure) { try await configuration.fetchAhead() } catch {
                started.give(error)
                throw error
            }
            guard threshold.enter() else { throw CardReaderFailure(.commandCanceled) }
            started.give(nil)
            try await driver.discover(request) { [weak self] readers in await self?.found(readers, attempt) }
        }
        cache = [:]
        discovered.send([])
        discoveryState.send(.discovering)
        let ended = Gate()
        phase = .discovering(ServicePhase.Discovery(attempt: attempt, call: call, threshold: threshold, ended: ended))
        later { service in
            let outcome = await service.finish(call, attempt, blocks: !threshold.shut())
            // A discovery that ended before the token arrived still answers its caller.
            started.give(outcome.failure(.discoveryTimedOut))
            service.discoveryEnded(attempt, outcome)
            ended.open()
        }
        if let failure = await started.value() {
            await ended.wait()
            throw CardReaderServiceError(.discovery, failure)
        }
    }

    private func found(_ readers: [CardReader], _ attempt: CardReaderAttemptID) {
        guard case .discovering(let discovery) = phase, discovery.attempt == attempt, !discovery.isCanceled else {
            return
        }
        var newest: [String: CardReader] = [:]
        var order: [String] = []
        for reader in readers.prefix(limits.discoveredReaders) {
            if newest.updateValue(reader, forKey: reader.serial) == nil { order.append(reader.serial) }
        }
        cache = newest
        discovered.send(order.compactMap { newest[$0] })
    }

    private func discoveryEnded(_ attempt: CardReaderAttemptID, _ outcome: DriverOutcome<Void>) {
        var isCurrent = false
        if case .discovering(let discovery) = phase, discovery.attempt == attempt {
            isCurrent = true
            if discovery.isCanceled { forgetDiscovered() }
            phase = .idle
        }
        switch outcome {
        case .value, .givenUp:
            discoveryState.send(.idle)
        case .failed(let failure):
            if failure.underlyingError == .commandCanceled {
                discoveryState.send(.idle)
            } else {
                if isCurrent { forgetDiscovered() }
                discoveryState.send(.fault(CardReaderServiceError(.discovery, failure)))
            }
        case .timedOut:
            if isCurrent { forgetDiscovered() }
            discoveryState.send(.fault(CardReaderServiceError(.discovery, .discoveryTimedOut)))
            let driver = driver
            let attempt = nextAttempt()
            later { service in
                _ = await service.call(service.limits.cancel, for: attempt) {
                    () async throws(CardReaderFailure) -> Void in try await driver.cancelDiscovery()
                }
            }
        }
    }

    func forgetDiscovered() {
        cache = [:]
        discovered.send([])
    }

    public func cancelDiscovery() async throws(CardReaderServiceError) {
        guard case .discovering(var discovery) = phase else { return }
        let isFirst = !discovery.isCanceled
        discovery.isCanceled = true
        phase = .discovering(discovery)
        if isFirst {
            try await stop(discovery)
        } else {
            await discovery.ended.wait()
        }
    }

    /// Has the driver end a discovery and returns once it has, or once the limit for that has passed.
    func stop(_ discovery: ServicePhase.Discovery) async throws(CardReaderServiceError) {
        if discovery.threshold.shut() {
            discovery.call.interrupt(.givenUp)
            await discovery.ended.wait()
            return
        }
        let driver = driver
        let attempt = nextAttempt()
        let outcome = await call(limits.cancel, for: attempt) { () async throws(CardReaderFailure) -> Void in
            try await driver.cancelDiscovery()
        }
        if case .value = outcome {
            let (clock, limit) = (clock, limits.cancel)
            let timer = executor.task {
                if await clock.pause(for: limit) { discovery.call.interrupt(.givenUp) }
            }
            await discovery.ended.wait()
            timer.cancel()
            return
        }
        discovery.call.interrupt(.givenUp)
        await discovery.ended.wait()
        if let failure = outcome.failure(.commandTimedOut), failure.underlyingError != .cancelFailedAlreadyCompleted {
            throw CardReaderServiceError(.discovery, failure)
        }
    }
}

extension DriverOutcome {
    /// Returns the failure, or `nil` for success.
    func failure(_ timeOut: UnderlyingError) -> CardReaderFailure? {
        switch self {
        case .value: nil
        case .failed(let failure): failure
        case .timedOut: CardReaderFailure(timeOut)
        case .givenUp: CardReaderFailure(.commandCanceled)
        }
    }
}
