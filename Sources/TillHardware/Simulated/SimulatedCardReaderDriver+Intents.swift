public import TillCore

// Refused by a reader of sealed cards.
extension SimulatedCardReaderDriver {
    public func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent {
        try await run(.createIntent) { () async throws(CardReaderFailure) -> PaymentIntent in
            try checkHoldsIntents()
            return try books.create(request, at: clock.now())
        }
    }

    public func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await run(.retrieveIntent) { () async throws(CardReaderFailure) -> PaymentIntent in
            try checkHoldsIntents()
            return try books.intent(id, account: account)
        }
    }

    /// Collects a card for an intent.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        try await run(.collect) { () async throws(CardReaderFailure) -> PaymentIntent in
            try checkHoldsIntents()
            guard let intent = request.intent else { throw CardReaderFailure(.nilPaymentIntent) }
            let card = try await readCard(for: request.parameters.amount.currency)
            return try books.attach(card, to: intent.id, account: request.account)
        }
    }

    /// Takes the payment of an intent, once for a key.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await run(.confirm) { () async throws(CardReaderFailure) -> PaymentIntent in
            try checkHoldsIntents()
            await wait()
            return try books.confirm(intent.id, account: request.account, key: request.key)
        }
    }

    public func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await run(.cancelIntent) { () async throws(CardReaderFailure) -> PaymentIntent in
            try checkHoldsIntents()
            return try books.cancel(intent.id, account: intent.account)
        }
    }

    /// Waits for the card and refunds it, once for a key; a refund that was made needs no card.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund {
        try await run(.refund) { () async throws(CardReaderFailure) -> CardReaderRefund in
            try checkHoldsIntents()
            if let made = books.refund(parameters.key) { return made }
            try books.check(parameters)
            let card = try await readCard(for: parameters.amount.currency)
            return try books.refund(parameters, to: card)
        }
    }

    public func cancelRefund() async throws(CardReaderFailure) { try await cancelCollect() }

    private func checkHoldsIntents() throws(CardReaderFailure) {
        guard capabilities.createsIntents != .never else {
            throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
        }
    }
}
