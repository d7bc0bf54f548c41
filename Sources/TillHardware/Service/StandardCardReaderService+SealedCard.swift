public import TillCore

extension StandardCardReaderService {
    /// Collects a card for a payment.
    public func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) async throws(CardReaderServiceError) -> CardPresentPayload {
        if case .connected(let link) = phase {
            try check(parameters, link)
            guard link.reader.readerType.capabilities.intents == .sealedCard else {
                throw CardReaderServiceError(.intentCreation, .featureNotAvailableWithConnectedReader)
            }
        }
        let (link, attempt) = try begin(.sealedCard, .intentCreation)
        return try await running(attempt) { () async throws(CardReaderServiceError) -> CardPresentPayload in
            events.forget()
            let isOut = await cardRemoved(attempt)
            try stillWanted(attempt, .paymentMethod)
            guard isOut else { throw CardReaderServiceError(.paymentMethod, .cardLeftInReader) }
            return try await collectSealed(parameters, link, attempt)
        }
    }

    private func collectSealed(
        _ parameters: PaymentIntentParameters, _ link: ServicePhase.Link, _ attempt: CardReaderAttemptID
    ) async throws(CardReaderServiceError) -> CardPresentPayload {
        let driver = driver
        let request = CardReaderCollectRequest(
            attempt: attempt, account: link.account, intent: nil, clientSecret: nil, parameters: parameters,
            reader: link.reader)
        change(attempt) { $0.step = .collecting }
        let outcome = await call(limits.collect, for: attempt, blocks: true) {
            () async throws(CardReaderFailure) -> CardPresentPayload in
            try await driver.collectSealed(request)
        }
        change(attempt) { $0.step = .preparing }
        let failure: CardReaderFailure
        switch outcome {
        case .value(let payload):
            guard let obstacle = obstacle(attempt) else {
                tell(.cardDetailsCollected, attempt)
                tell(.processing, attempt)
                return payload
            }
            failure = obstacle
        case .failed(let why): failure = obstacle(attempt) ?? why.withCanceler(.reader)
        case .timedOut:
            await stopWaiting(attempt)
            failure = CardReaderFailure(.cardReadTimedOut)
        case .givenUp: failure = obstacle(attempt) ?? CardReaderFailure(.commandCanceled)
        }
        if failure.underlyingError == .commandCanceled { tell(.canceled, attempt) }
        throw CardReaderServiceError(.paymentMethod, failure)
    }
}
