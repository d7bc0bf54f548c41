public import TillCore
public import TillHardware

extension CounterReaderDriver {
    /// The most payments without an answer that a driver remembers.
    static let maximumUnanswered = 256

    /// Creates the payment at the counter, in its journal, and reads its current state: the same key finds the payment
    /// of an app that died, however far it came. Moves no money. The request's metadata is not sent; the counter
    /// records order, account and reader itself.
    public func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent {
        let parameters = request.parameters
        let draft = CounterPaymentDraft(
            order: parameters.order, amount: parameters.amount, description: parameters.description,
            captureMode: parameters.captureMethod == .automatic ? .automatic : .manual)
        let client = client
        return try await run(.other) { () async throws(CardReaderFailure) -> PaymentIntent in
            let now: CounterPayment
            do throws(CounterError) {
                let created = try await client.createPayment(draft, key: request.key)
                now = try await client.payment(created.id)
            } catch { throw CardReaderFailure(error) }
            do throws(CounterError) { try now.check(against: draft.amount) } catch {
                throw CardReaderFailure(error).knowing(now)
            }
            // Found again with a tip: it is of more than what is asked for now, and it is paid.
            guard now.tip.isZero else {
                var failure = CardReaderFailure(.orderAlreadyPaid).knowing(now)
                failure.details.sentence =
                    "The order \(parameters.order) has the payment \(now.id) with a tip of \(now.tip). \(now.message)"
                throw failure
            }
            return try PaymentIntent(now, order: parameters.order)
        }
    }

    /// Reads the payment, which is authoritative.
    public func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let (client, payment) = (client, PaymentID(rawValue: id.rawValue))
        return try await run(.other) { () async throws(CardReaderFailure) -> PaymentIntent in
            try PaymentIntent(try await client.readIntent(payment), order: nil)
        }
    }

    /// Prepares the payment for a card and returns it as the counter has it. No card is asked for yet: the counter
    /// collects and charges in one request, which ``confirm(_:_:)`` sends after the app's durable write.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        guard let intent = request.intent else { throw CardReaderFailure(.noActivePaymentIntent) }
        _ = try reader()
        let tipping: CounterTipping =
            switch request.parameters.tipping {
            case .none: .none
            case .onWholeAmount: .onWholeAmount
            case .onPart(let part): .onPart(part)
            }
        prepared = Prepared(payment: PaymentID(rawValue: intent.id.rawValue), tipping: tipping)
        return intent
    }

    /// Has the counter collect the card at the reader and charge it, and follows the payment to its end through lost
    /// answers and restarts of the counter.
    ///
    /// A payment that is already being charged or paid is followed; one with another ended attempt than `intent` shows
    /// is reported as it ended.
    /// - Throws: the reason without money, with the current intent. An error without an intent means an unknown
    ///   outcome; call it again with the same intent.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let reader = try reader()
        let payment = PaymentID(rawValue: intent.id.rawValue)
        var tipping = CounterTipping.none
        if let prepared, prepared.payment == payment { tipping = prepared.tipping }
        let ended = intent.endedCharges
        let confirmation = CounterConfirmation(
            intent: intent, payment: payment, tender: .reader(reader.id, tipping: tipping), endedBefore: ended,
            key: IdempotencyKey(rawValue: "till-\(payment)-reader-\(ended + 1)"),
            mayHaveArrived: unanswered.contains(payment))
        let runner = CounterConfirmationRunner(client: client, limits: limits) { [weak self] event in
            await self?.handler?(.reader(event))
        }
        let verdict = try await run(.confirmation) { () async throws(CardReaderFailure) -> CounterVerdict in
            await runner.run(confirmation)
        }
        unanswered.removeAll { $0 == payment }
        switch verdict {
        case .paid(let intent): return intent
        case .notPaid(let failure): throw failure
        case .unknown(let failure):
            unanswered.append(payment)
            if unanswered.count > CounterReaderDriver.maximumUnanswered { unanswered.removeFirst() }
            throw failure
        }
    }

    /// Cancels an unpaid payment at the counter. One that is being charged or holds money is left unchanged and
    /// returned as it is.
    public func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let (client, id) = (client, PaymentID(rawValue: intent.id.rawValue))
        return try await run(.other) { () async throws(CardReaderFailure) -> PaymentIntent in
            let now = try await client.readIntent(id)
            guard now.isUnpaid else { return try PaymentIntent(now, order: intent.order) }
            let after: CounterPayment
            do throws(CounterError) { after = try await client.cancel(now, key: key) } catch {
                // Refused: it has changed meanwhile.
                guard case .refused = error else { throw CardReaderFailure(error) }
                after = try await client.readIntent(id)
            }
            return try PaymentIntent(after, order: intent.order)
        }
    }
}

extension CardReaderFailure {
    /// The same with what is known of the payment that was found.
    fileprivate func knowing(_ payment: CounterPayment) -> CardReaderFailure {
        var copy = self
        copy.details.intent = ProviderReference(rawValue: payment.id.rawValue)
        copy.details.moneyMoved = payment.moneyMoved
        return copy
    }
}

extension CounterClient {
    /// Reads a payment for a driver.
    func readIntent(_ id: PaymentID) async throws(CardReaderFailure) -> CounterPayment {
        do throws(CounterError) { return try await payment(id) } catch { throw CardReaderFailure(error) }
    }
}

extension CounterPayment {
    /// `true` for a payment that no attempt holds: it may be charged, or canceled without any money.
    var isUnpaid: Bool {
        switch status {
        case .known(.requiresPaymentMethod), .known(.declined): true
        default: false
        }
    }

    /// Compares a payment that was found again with what is asked for now.
    func check(against asked: Money) throws(CounterError) {
        guard amount.currency == asked.currency else {
            throw .mismatch(
                CounterMismatch(
                    operation: .readPayment, part: .currency, asked: asked.currency.code,
                    answered: amount.currency.code))
        }
        guard amount == asked else {
            throw .mismatch(
                CounterMismatch(
                    operation: .readPayment, part: .amount, asked: "\(asked)", answered: "\(amount)"))
        }
    }
}
