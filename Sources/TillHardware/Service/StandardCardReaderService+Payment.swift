import TillCore

extension StandardCardReaderService {
    /// Collects a card and takes the payment.
    public func collectPayment(
        _ parameters: PaymentIntentParameters, existing: ExistingPaymentIntent?,
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        if case .connected(let link) = phase { try check(parameters, link, existing) }
        let (link, attempt) = try begin(.payment, .intentCreation)
        return try await running(attempt) { () async throws(CardReaderServiceError) -> PaymentIntent in
            events.forget()
            let key = IntentLedger.Key(account: link.account, order: parameters.order)
            try await takeOldCardOut(attempt)
            try await openIntent(key, parameters, existing, link, attempt)
            return try await collectAndConfirm(key, attempt, beforeConfirmation)
        }
    }

    // MARK: Before the reader wakes

    /// Checks the rules of every payment: its account is the one that the service is bound to, its amount is within
    /// limits.
    func check(_ parameters: PaymentIntentParameters, _ link: ServicePhase.Link) throws(CardReaderServiceError) {
        if let account = parameters.account, account != link.account {
            throw CardReaderServiceError(
                .intentCreation,
                CardReaderFailure(
                    .accountMismatch,
                    message: "The order \(parameters.order) belongs to account \(account); the reader is connected for "
                        + "\(link.account)."))
        }
        do throws(CardReaderFailure) { try parameters.check(against: driver.capabilities.amountLimits) } catch {
            throw CardReaderServiceError(.intentCreation, error)
        }
    }

    private func check(
        _ parameters: PaymentIntentParameters, _ link: ServicePhase.Link, _ existing: ExistingPaymentIntent?
    ) throws(CardReaderServiceError) {
        try check(parameters, link)
        let origin = link.reader.readerType.capabilities.intents
        let maker = driver.capabilities.createsIntents
        switch (origin, maker) {
        case (.sealedCard, _), (_, .never):
            throw CardReaderServiceError(.intentCreation, .featureNotAvailableWithConnectedReader)
        case (.serverOnly, .onDevice) where existing == nil:
            throw CardReaderServiceError(.intentCreation, .serverSideIntentRequired)
        case (.serverOnly, _), (.deviceOrServer, _): break
        }
        let key = IntentLedger.Key(account: link.account, order: parameters.order)
        if let entry = payments[key] { try check(entry, parameters, existing) }
    }

    /// Enforces one intent per order: the order's existing intent decides whether another attempt is allowed.
    private func check(
        _ entry: IntentLedger.Entry, _ parameters: PaymentIntentParameters, _ existing: ExistingPaymentIntent?
    ) throws(CardReaderServiceError) {
        var details = CardReaderErrorDetails()
        details.intent = entry.intent.id
        switch entry.standing {
        case .paid:
            details.moneyMoved = .yes
            details.sentence = "The order \(parameters.order) is paid already, with \(entry.intent.id)."
            throw CardReaderServiceError(.intentCreation, .orderAlreadyPaid, details: details)
        case .unknown:
            details.moneyMoved = .unknown
            details.sentence = "It is not known whether \(entry.intent.id) has paid the order \(parameters.order)."
            throw CardReaderServiceError(.intentCreation, .orderHasOpenIntent, details: details)
        case .open:
            let isSame =
                entry.parameters.amount == parameters.amount
                && (existing == nil || existing?.id == entry.intent.id)
            guard isSame else {
                details.sentence =
                    "The order \(parameters.order) has the open payment \(entry.intent.id) of "
                    + "\(entry.parameters.amount). Cancel it first."
                throw CardReaderServiceError(.intentCreation, .orderHasOpenIntent, details: details)
            }
        case .canceled: break
        }
    }

    private func takeOldCardOut(_ attempt: CardReaderAttemptID) async throws(CardReaderServiceError) {
        let isOut = await cardRemoved(attempt)
        try stillWanted(attempt, .paymentMethod)
        guard isOut else { throw CardReaderServiceError(.paymentMethod, .cardLeftInReader) }
    }

    /// Throws if the command was canceled or its reader is gone.
    func stillWanted(
        _ attempt: CardReaderAttemptID, _ interaction: CardReaderServiceError.Interaction
    ) throws(CardReaderServiceError) {
        if let failure = obstacle(attempt) { throw CardReaderServiceError(interaction, failure) }
    }

    func obstacle(_ attempt: CardReaderAttemptID) -> CardReaderFailure? {
        guard let operation = phase.operation, operation.attempt == attempt else {
            return CardReaderFailure(.connectionAttemptInvalidated)
        }
        if let canceler = operation.canceledBy { return .canceled(by: canceler) }
        switch phase.link?.loss {
        case nil: return nil
        case .gone(let reason), .reconnecting(let reason): return reason.failure
        }
    }

    // MARK: The intent

    private func openIntent(
        _ key: IntentLedger.Key, _ parameters: PaymentIntentParameters, _ existing: ExistingPaymentIntent?,
        _ link: ServicePhase.Link, _ attempt: CardReaderAttemptID
    ) async throws(CardReaderServiceError) {
        if let entry = payments[key], entry.standing == .open {
            payments.active = key
            tell(.intentCreated, attempt)
            return
        }
        let generation = (payments[key]?.generation ?? 0) + 1
        let outcome = await intent(key, parameters, existing, link, attempt, generation)
        guard case .value(let intent) = outcome else {
            if let failure = obstacle(attempt) { throw CardReaderServiceError(.intentCreation, failure) }
            throw CardReaderServiceError(
                .intentCreation, outcome.failure(.requestTimedOut) ?? CardReaderFailure(.internalServiceError))
        }
        do throws(CardReaderFailure) { try check(intent, parameters, key) } catch {
            throw CardReaderServiceError(.intentCreation, error)
        }
        var entry = IntentLedger.Entry(
            intent: intent, parameters: parameters, clientSecret: existing?.clientSecret)
        entry.generation = generation
        guard payments.remember(entry, for: key) else {
            throw CardReaderServiceError(
                .intentCreation, CardReaderFailure(.processingInProgress, message: "Too many payments have no outcome.")
            )
        }
        payments.active = key
        settle(key, intent)
        if payments[key]?.standing == .canceled {
            throw CardReaderServiceError(.intentCreation, .activePaymentCanceled)
        }
        tell(.intentCreated, attempt)
    }

    private func intent(
        _ key: IntentLedger.Key, _ parameters: PaymentIntentParameters, _ existing: ExistingPaymentIntent?,
        _ link: ServicePhase.Link, _ attempt: CardReaderAttemptID, _ generation: Int
    ) async -> DriverOutcome<PaymentIntent> {
        let driver = driver
        if let existing {
            return await call(limits.intent, for: attempt) { () async throws(CardReaderFailure) -> PaymentIntent in
                try await driver.retrieveIntent(
                    existing.id, clientSecret: existing.clientSecret, account: key.account)
            }
        }
        let request = CardReaderIntentRequest(
            attempt: attempt, account: key.account, parameters: parameters, reader: link.reader,
            metadata: parameters.metadata(account: key.account, reader: link.reader),
            key: IntentLedger.intentKey(key, generation: generation))
        return await call(
            limits.intent, for: attempt,
            late: { service, result in
                if case .success(let intent) = result { await service.madeLate(intent, key, attempt) }
            }
        ) { () async throws(CardReaderFailure) -> PaymentIntent in
            try await driver.createIntent(request)
        }
    }

    /// Cancels an intent that was created after its request was abandoned, so that it cannot be paid.
    private func madeLate(_ intent: PaymentIntent, _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID) async {
        // The same key created it: if the order has adopted it meanwhile, it is in use.
        if let entry = payments[key], entry.intent.id == intent.id { return }
        await endIntent(intent, key, nextAttempt())
    }

    private func check(
        _ intent: PaymentIntent, _ parameters: PaymentIntentParameters, _ key: IntentLedger.Key
    ) throws(CardReaderFailure) {
        guard intent.account == key.account else {
            throw CardReaderFailure(
                .accountMismatch,
                message: "The payment \(intent.id) belongs to account \(intent.account), not to \(key.account).")
        }
        guard intent.amount == parameters.amount else {
            throw CardReaderFailure(
                .resultMismatch, message: "The payment \(intent.id) is of \(intent.amount), not \(parameters.amount).")
        }
        if let order = intent.order, order != key.order {
            throw CardReaderFailure(.resultMismatch, message: "The payment \(intent.id) is of order \(order).")
        }
    }

    // MARK: The card

    /// Collects a card for the order's intent and confirms it.
    func collectAndConfirm(
        _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard let entry = payments[key] else { throw CardReaderServiceError(.paymentMethod, .noActivePaymentIntent) }
        if entry.standing == .paid { return entry.intent }
        if let failure = obstacle(attempt) { try await stop(key, attempt, failure) }
        try await collect(key, entry, attempt)
        if let failure = obstacle(attempt) { try await stop(key, attempt, failure) }
        if !driver.capabilities.collectsInConfirmation { tell(.cardDetailsCollected, attempt) }
        return try await confirm(key, attempt, beforeConfirmation)
    }

    private func collect(
        _ key: IntentLedger.Key, _ entry: IntentLedger.Entry, _ attempt: CardReaderAttemptID
    ) async throws(CardReaderServiceError) {
        guard let link = phase.link else { throw CardReaderServiceError(.paymentMethod, .notConnectedToReader) }
        let driver = driver
        let request = CardReaderCollectRequest(
            attempt: attempt, account: key.account, intent: entry.intent, clientSecret: entry.clientSecret,
            parameters: entry.parameters, reader: link.reader)
        change(attempt) { $0.step = .collecting }
        let outcome = await call(
            limits.collect, for: attempt, blocks: true,
            late: { service, result in await service.collectedLate(key, attempt, result) }
        ) { () async throws(CardReaderFailure) -> PaymentIntent in
            try await driver.collect(request)
        }
        change(attempt) { $0.step = .preparing }
        switch outcome {
        case .value(let collected):
            guard isExpected(collected, for: entry) else {
                try await stop(key, attempt, .mismatch(collected, entry.intent, key.order))
                return
            }
            payments.change(key) { entry in
                entry.intent = collected
                entry.isCollected = true
                entry.cards += 1
            }
        case .failed(let failure):
            if let intent = failure.intent, intent.id == entry.intent.id { settle(key, intent) }
            try await stop(key, attempt, obstacle(attempt) ?? failure.withCanceler(.reader))
        case .timedOut:
            await stopWaiting(attempt)
            try await stop(key, attempt, CardReaderFailure(.cardReadTimedOut))
        case .givenUp:
            try await stop(key, attempt, obstacle(attempt) ?? CardReaderFailure(.commandCanceled))
        }
    }

    /// Accepts a result only for the payment that requested it: the same intent, and its amount or more by a tip.
    private func isExpected(_ intent: PaymentIntent, for entry: IntentLedger.Entry) -> Bool {
        guard intent.id == entry.intent.id, intent.account == entry.intent.account else { return false }
        if intent.amount == entry.parameters.amount { return true }
        guard entry.parameters.tipping != .none, let tip = intent.tip, !tip.isNegative,
            let sum = entry.parameters.amount.adding(ifExact: tip)
        else { return false }
        return intent.amount == sum
    }

    /// Has the driver stop waiting for a card after the time limit.
    func stopWaiting(_ attempt: CardReaderAttemptID) async {
        let driver = driver
        _ = await call(limits.cancel, for: attempt) { () async throws(CardReaderFailure) -> Void in
            try await driver.cancelCollect()
        }
    }

    /// Reports a card that was collected for an abandoned payment. No money moves.
    private func collectedLate(
        _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ result: Result<PaymentIntent, CardReaderFailure>
    ) async {
        switch result {
        case .success(let intent): await reconcile(.intent(intent, order: key.order, attempt: attempt))
        case .failure(let failure):
            await reconcile(.failure(CardReaderServiceError(.paymentMethod, failure), attempt: attempt))
        }
    }

    // MARK: Ending without money

    /// Ends a payment before its confirmation. A canceled payment loses its intent; a failed one keeps it for a retry.
    func stop(
        _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID, _ failure: CardReaderFailure
    ) async throws(CardReaderServiceError) {
        if failure.underlyingError == .commandCanceled {
            if let entry = payments[key], entry.standing == .open { await endIntent(entry.intent, key, attempt) }
            tell(.canceled, attempt)
        }
        var failure = failure
        failure.details.intent = payments[key]?.intent.id
        if payments[key]?.standing == .paid { failure.details.moneyMoved = .yes }
        throw CardReaderServiceError(.paymentMethod, failure)
    }

    /// Cancels an unconfirmed intent. The provider's answer decides: an intent that holds money is kept.
    func endIntent(_ intent: PaymentIntent, _ key: IntentLedger.Key, _ attempt: CardReaderAttemptID) async {
        let driver = driver
        let name = IntentLedger.stepKey(intent, "cancel", 1)
        let outcome = await call(
            limits.cancel, for: attempt,
            late: { service, result in
                if case .success(let intent) = result { service.settleIfSame(key, intent) }
            }
        ) { () async throws(CardReaderFailure) -> PaymentIntent in
            try await driver.cancelIntent(intent, key: name)
        }
        switch outcome {
        case .value(let ended):
            settleIfSame(key, ended)
            if ended.status.moneyMoved == .yes {
                await reconcile(.intent(ended, order: key.order, attempt: attempt))
            }
        case .failed, .timedOut, .givenUp:
            await reconcile(.intentLeftOpen(intent, order: key.order))
        }
    }

    func settleIfSame(_ key: IntentLedger.Key, _ intent: PaymentIntent) {
        if payments[key]?.intent.id == intent.id { settle(key, intent) }
    }

    /// Records the provider's state of an order's intent.
    func settle(_ key: IntentLedger.Key, _ intent: PaymentIntent) {
        payments.change(key) { entry in
            entry.intent = intent
            switch intent.status {
            case .requiresCapture, .succeeded: entry.standing = .paid
            case .canceled: entry.standing = .canceled
            default: break
            }
        }
    }
}

extension CardReaderFailure {
    static func canceled(by canceler: CardReaderCanceler) -> CardReaderFailure {
        var failure = CardReaderFailure(.commandCanceled)
        failure.details.canceledBy = canceler
        return failure
    }

    static func mismatch(_ got: PaymentIntent, _ wanted: PaymentIntent, _ order: OrderID) -> CardReaderFailure {
        CardReaderFailure(
            .resultMismatch,
            message: "The reader answered with \(got.id) of \(got.amount); \(wanted.id) of \(wanted.amount) for order "
                + "\(order) was asked for.")
    }

    /// Attributes a cancellation without a known party to `canceler`.
    func withCanceler(_ canceler: CardReaderCanceler) -> CardReaderFailure {
        guard underlyingError == .commandCanceled, details.canceledBy == nil else { return self }
        var copy = self
        copy.details.canceledBy = canceler
        return copy
    }
}
