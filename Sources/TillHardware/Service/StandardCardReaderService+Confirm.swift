import TillCore

extension StandardCardReaderService {
    /// Has the shop record the payment, then confirms it. Nothing can be canceled after the recording.
    func confirm(
        _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard let entry = payments[key] else { throw CardReaderServiceError(.capturePayment, .noActivePaymentIntent) }
        try await write(key, entry, attempt, beforeConfirmation)
        // Nothing is awaited between this check and the driver's call: a cancellation comes before it or is refused.
        if entry.standing != .unknown, let failure = obstacle(attempt) { try await stop(key, attempt, failure) }
        change(attempt) { $0.step = .confirming }
        payments.change(key) { $0.standing = .unknown }
        if !driver.capabilities.collectsInConfirmation { tell(.processing, attempt) }
        let outcome = await ask(key, entry, attempt)
        return try await judge(outcome, key, entry, attempt)
    }

    private func write(
        _ key: IntentLedger.Key, _ entry: IntentLedger.Entry, _ attempt: CardReaderAttemptID,
        _ beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) {
        change(attempt) { $0.step = .writing }
        let intent = entry.intent
        let outcome = await call(limits.preConfirmation, for: attempt) {
            () async throws(CardReaderFailure) -> Void in
            do { try await beforeConfirmation(intent, key.order) } catch {
                var failure = CardReaderFailure(.preConfirmationFailed)
                failure.details.message = (error as? any ExplainedError)?.description ?? "\(type(of: error))"
                throw failure
            }
        }
        guard let failure = outcome.failure(.preConfirmationFailed) else { return }
        if entry.standing == .unknown {
            var details = failure.details
            details.moneyMoved = .unknown
            details.intent = intent.id
            throw CardReaderServiceError(.capturePayment, failure.underlyingError, details: details)
        }
        try await stop(key, attempt, obstacle(attempt) ?? failure)
    }

    private func ask(
        _ key: IntentLedger.Key, _ entry: IntentLedger.Entry, _ attempt: CardReaderAttemptID
    ) async -> DriverOutcome<PaymentIntent> {
        guard let link = phase.link else { return .failed(CardReaderFailure(.notConnectedToReader)) }
        let driver = driver
        let request = CardReaderConfirmRequest(
            attempt: attempt, account: key.account, reader: link.reader, clientSecret: entry.clientSecret,
            key: IntentLedger.stepKey(entry.intent, "confirm", max(1, entry.cards)))
        return await call(
            limits.confirm, for: attempt, blocks: true,
            late: { service, result in await service.confirmedLate(key, attempt, result) }
        ) { () async throws(CardReaderFailure) -> PaymentIntent in
            try await driver.confirm(entry.intent, request)
        }
    }

    /// Determines the outcome of a confirmation. The provider's state of the intent decides; an error is a hint.
    private func judge(
        _ outcome: DriverOutcome<PaymentIntent>, _ key: IntentLedger.Key, _ before: IntentLedger.Entry,
        _ attempt: CardReaderAttemptID
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        var failure: CardReaderFailure
        var answer: PaymentIntent?
        switch outcome {
        case .value(let intent):
            answer = intent
            failure = CardReaderFailure(.activePaymentStatusUnknown)
        case .failed(let why):
            answer = why.intent
            failure = why
        case .timedOut, .givenUp:
            failure = CardReaderFailure(.requestTimedOut)
        }
        if let other = answer, other.id != before.intent.id {
            failure = .mismatch(other, before.intent, key.order)
            answer = nil
        }
        var isSure = answer != nil
        if answer == nil || answer?.status.moneyMoved == .unknown && failure.intent == nil {
            if let read = await read(before.intent, before.clientSecret, key, attempt) {
                answer = read
                isSure = hasAnswered(read, since: before.intent)
            }
        }
        guard let answer else { throw unknown(key, attempt, failure) }
        return try await conclude(answer, isSure: isSure, key, attempt, failure)
    }

    /// Returns `true` if a retrieved intent shows that the confirmation was processed. An intent that does not may
    /// still be overtaken by the lost request.
    private func hasAnswered(_ read: PaymentIntent, since before: PaymentIntent) -> Bool {
        read.charges.count > before.charges.count || read.lastDecline != before.lastDecline
    }

    func read(
        _ intent: PaymentIntent, _ clientSecret: Secret<String>?, _ key: IntentLedger.Key,
        _ attempt: CardReaderAttemptID
    ) async -> PaymentIntent? {
        let driver = driver
        let outcome = await call(limits.intent, for: attempt) { () async throws(CardReaderFailure) -> PaymentIntent in
            try await driver.retrieveIntent(intent.id, clientSecret: clientSecret, account: key.account)
        }
        guard case .value(let read) = outcome, read.id == intent.id, read.account == key.account else { return nil }
        return read
    }

    private func conclude(
        _ intent: PaymentIntent, isSure: Bool, _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID,
        _ failure: CardReaderFailure
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        switch intent.status {
        case .requiresCapture, .succeeded:
            settle(key, intent)
            tell(.approved, attempt)
            return intent
        case .canceled:
            settle(key, intent)
            throw refused(intent, key, attempt, failure)
        case .requiresPaymentMethod where isSure:
            payments.change(key) { entry in
                entry.intent = intent
                entry.standing = .open
                entry.isCollected = false
            }
            throw refused(intent, key, attempt, failure)
        case .requiresConfirmation where isSure:
            // The provider reports that it was not confirmed: the same card may be confirmed again.
            payments.change(key) { entry in
                entry.intent = intent
                entry.standing = .open
            }
            throw refused(intent, key, attempt, failure)
        default:
            throw unknown(key, attempt, failure)
        }
    }

    private func refused(
        _ intent: PaymentIntent, _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ failure: CardReaderFailure
    ) -> CardReaderServiceError {
        var failure = failure
        failure.details.intent = intent.id
        failure.details.moneyMoved = .no
        failure.details.paymentMethod = intent.paymentMethod ?? failure.details.paymentMethod
        if let decline = intent.lastDecline {
            failure.details.decline = failure.details.decline ?? decline
            if failure.underlyingError.leavesOutcomeOpen {
                failure.underlyingError = .paymentDeclinedByPaymentProcessor
            }
        }
        tell(.declined, attempt, message: failure.details.decline?.reason.customerSentence)
        return CardReaderServiceError(.capturePayment, failure)
    }

    private func unknown(
        _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ failure: CardReaderFailure
    ) -> CardReaderServiceError {
        var details = failure.details
        details.moneyMoved = .unknown
        details.intent = payments[key]?.intent.id
        tell(.outcomeUnknown, attempt)
        return CardReaderServiceError(.capturePayment, failure.underlyingError, details: details)
    }

    /// Handles the late result of an abandoned confirmation: records and reports it.
    private func confirmedLate(
        _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ result: Result<PaymentIntent, CardReaderFailure>
    ) async {
        let intent: PaymentIntent?
        switch result {
        case .success(let answer): intent = answer
        case .failure(let failure): intent = failure.intent
        }
        if let intent {
            if payments[key]?.standing == .unknown { settleIfSame(key, intent) }
            await reconcile(.intent(intent, order: key.order, attempt: attempt))
        } else if case .failure(let failure) = result {
            await reconcile(.failure(CardReaderServiceError(.capturePayment, failure), attempt: attempt))
        }
    }

    // MARK: Once more

    /// Retries the open payment.
    public func retryActivePayment(
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard let key = payments.active, let entry = payments[key] else {
            if case .operating = phase { throw CardReaderServiceError(.retryNotPossible, .readerBusy) }
            throw CardReaderServiceError(.retryNotPossible, .noActivePaymentIntent)
        }
        if let answer = try settled(entry) { return answer }
        let (_, attempt) = try begin(.payment, .retryNotPossible)
        return try await running(attempt) { () async throws(CardReaderServiceError) -> PaymentIntent in
            events.forget()
            if entry.standing == .unknown {
                return try await resolve(key, entry, attempt, beforeConfirmation)
            }
            if entry.isCollected { return try await confirm(key, attempt, beforeConfirmation) }
            return try await collectAndConfirm(key, attempt, beforeConfirmation)
        }
    }

    private func settled(_ entry: IntentLedger.Entry) throws(CardReaderServiceError) -> PaymentIntent? {
        var details = CardReaderErrorDetails()
        details.intent = entry.intent.id
        switch entry.standing {
        case .open, .unknown: return nil
        case .canceled: throw CardReaderServiceError(.retryNotPossible, .activePaymentCanceled, details: details)
        case .paid:
            if entry.intent.status == .requiresCapture { return entry.intent }
            details.moneyMoved = .yes
            throw CardReaderServiceError(.retryNotPossible, .activePaymentSucceeded, details: details)
        }
    }

    /// Resolves a payment of unknown outcome: queries first, then confirms the original intent again with the same key.
    private func resolve(
        _ key: IntentLedger.Key, _ entry: IntentLedger.Entry, _ attempt: CardReaderAttemptID,
        _ beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard let read = await read(entry.intent, entry.clientSecret, key, attempt) else {
            return try await confirm(key, attempt, beforeConfirmation)
        }
        var details = CardReaderErrorDetails.moneyUnknown
        details.intent = read.id
        switch read.status {
        case .requiresCapture, .succeeded, .canceled:
            return try await conclude(read, isSure: true, key, attempt, CardReaderFailure(.activePaymentCanceled))
        case .processing:
            throw CardReaderServiceError(.retryNotPossible, .processingInProgress, details: details)
        case .requiresAction:
            throw CardReaderServiceError(.retryNotPossible, .activePaymentRequiresAction, details: details)
        case .requiresPaymentMethod where hasAnswered(read, since: entry.intent):
            payments.change(key) { entry in
                entry.intent = read
                entry.standing = .open
                entry.isCollected = false
            }
            return try await collectAndConfirm(key, attempt, beforeConfirmation)
        case .requiresPaymentMethod, .requiresConfirmation:
            return try await confirm(key, attempt, beforeConfirmation)
        default:
            throw CardReaderServiceError(.retryNotPossible, .activePaymentStatusUnknown, details: details)
        }
    }

    // MARK: Canceling

    /// Cancels the payment and returns once the reader is ready; refused once it is being confirmed.
    public func cancelPayment() async throws(CardReaderServiceError) {
        if let operation = phase.operation, operation.kind == .payment || operation.kind == .sealedCard {
            guard operation.step != .confirming else {
                throw CardReaderServiceError(.paymentCancellation, .confirmInFlight, details: .moneyUnknown)
            }
            let key = payments.active
            await callOff(operation.attempt, by: .app)
            if let key, operation.kind == .payment { try notPaid(key) }
            return
        }
        guard let key = payments.active, let entry = payments[key], entry.standing == .open else {
            if let key = payments.active { try notUnknown(key) }
            return
        }
        guard phase.operation == nil else { throw CardReaderServiceError(.paymentCancellation, .readerBusy) }
        await endIntent(entry.intent, key, nextAttempt())
        try notPaid(key)
    }

    /// Refuses to cancel a payment of unknown outcome, which stays unchanged.
    private func notUnknown(_ key: IntentLedger.Key) throws(CardReaderServiceError) {
        guard let entry = payments[key], entry.standing == .unknown else { return }
        var details = CardReaderErrorDetails.moneyUnknown
        details.intent = entry.intent.id
        throw CardReaderServiceError(.paymentCancellation, .processingInProgress, details: details)
    }

    private func notPaid(_ key: IntentLedger.Key) throws(CardReaderServiceError) {
        try notUnknown(key)
        guard let entry = payments[key], entry.standing == .paid else { return }
        var details = CardReaderErrorDetails()
        details.intent = entry.intent.id
        details.moneyMoved = .yes
        throw CardReaderServiceError(.paymentCancellation, .activePaymentSucceeded, details: details)
    }
}
