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
        let now = try await run(.other) { () async throws(CardReaderFailure) -> CounterPayment in
            let created: CounterPayment
            do throws(CounterError) { created = try await client.createPayment(draft, key: request.key) } catch {
                throw CardReaderFailure(creating: error)
            }
            do throws(CounterError) { return try await client.payment(created.id) } catch {
                // What was found again may be paid.
                var failure = CardReaderFailure(error)
                failure.details.intent = ProviderReference(rawValue: created.id.rawValue)
                failure.details.moneyMoved = .unknown
                throw failure
            }
        }
        do throws(CounterError) { try now.check(against: draft) } catch {
            throw CardReaderFailure(error).knowing(now)
        }
        // Found again, and with money: with a tip, of a part of the amount, or refunded since.
        guard now.tip.isZero, !now.isOfOtherAmount else {
            var failure = CardReaderFailure(now.captured.isPositive ? .orderAlreadyPaid : .orderHasOpenIntent)
                .knowing(now)
            failure.details.sentence =
                "The order \(parameters.order) has a payment already. \(now.sentenceOfMoney) \(now.message)"
            throw failure
        }
        return try PaymentIntent(answered(now), order: parameters.order)
    }

    /// Returns the payment without the attempts that a copy of its confirmation may begin again.
    private func answered(_ payment: CounterPayment) -> CounterPayment {
        guard let open = unanswered.first(where: { $0.payment == payment.id }), open.copies.mayFollow else {
            return payment
        }
        return payment.withoutRepeatable(after: open.endedBefore)
    }

    /// Reads the payment, which is authoritative. An attempt is left out if a confirmation that has no answer may begin
    /// it again.
    public func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let (client, payment) = (client, PaymentID(rawValue: id.rawValue))
        let now = try await run(.other) { () async throws(CardReaderFailure) -> CounterPayment in
            try await client.readIntent(payment)
        }
        return try PaymentIntent(answered(now), order: nil)
    }

    /// Prepares the payment for a card and returns it as the counter has it. No card is asked for yet: the counter
    /// collects and charges in one request, which ``confirm(_:_:)`` sends after the app's durable write.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        guard let intent = request.intent else { throw CardReaderFailure(.noActivePaymentIntent) }
        _ = try reader(request.reader)
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
    /// is reported as it ended. It lasts for `CounterReaderLimits.confirmation` at most, from its first query on.
    /// - Throws: the reason without money, with the current intent. An error without an intent means an unknown
    ///   outcome; call it again with the same intent.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let reader = try reader(request.reader)
        let payment = PaymentID(rawValue: intent.id.rawValue)
        var tipping = CounterTipping.none
        if let prepared, prepared.payment == payment { tipping = prepared.tipping }
        let ended = intent.endedCharges
        let confirmation = CounterConfirmation(
            intent: intent, payment: payment, reader: reader.id, tender: .reader(reader.id, tipping: tipping),
            endedBefore: ended, key: IdempotencyKey(rawValue: "till-\(payment)-reader-\(ended + 1)"),
            earlier: unanswered.first { $0.payment == payment }?.copies ?? CounterCopies())
        let attempt = request.attempt
        let runner = CounterConfirmationRunner(client: client, limits: limits, posts: posts) { [weak self] event in
            await self?.tell(event, of: attempt)
        }
        let outcome = try await run(.confirmation) { () async throws(CardReaderFailure) -> CounterOutcome in
            await runner.run(confirmation)
        }
        unanswered.removeAll { $0.payment == payment }
        switch outcome.verdict {
        case .paid(let intent): return intent
        case .notPaid(let failure): throw failure
        case .unknown(let failure):
            if outcome.copies.open > 0 {
                unanswered.append(Unanswered(payment: payment, endedBefore: ended, copies: outcome.copies))
            }
            if unanswered.count > CounterReaderDriver.maximumUnanswered { unanswered.removeFirst() }
            throw failure
        }
    }

    /// Cancels an unpaid payment at the counter. One that is being charged or holds money is left unchanged and
    /// returned as it is, also one that another app charges at this moment: the counter decides.
    public func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let (client, id) = (client, PaymentID(rawValue: intent.id.rawValue))
        return try await run(.other) { () async throws(CardReaderFailure) -> PaymentIntent in
            let now = try await client.readIntent(id)
            guard now.isUnpaid else { return try PaymentIntent(now, order: intent.order) }
            let after: CounterPayment
            do throws(CounterError) { after = try await client.cancel(now, onlyIfUnpaid: true, key: key) } catch {
                // Refused: it has changed meanwhile.
                switch error {
                case .refused: break
                case .outcomeUnknown(let unknown) where unknown.problem != nil: break
                case .outcomeUnknown, .notSent, .notAnswered, .mismatch: throw CardReaderFailure(error)
                }
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
        copy.details.moneyMoved = payment.knownMoneyMoved
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
    var isUnpaid: Bool { standing == .unpaid }

    /// `true` if another amount than the whole one is held or captured, or some was refunded.
    var isOfOtherAmount: Bool { if case .other = standing { true } else { false } }

    /// Compares a payment that was found again with what is asked for now.
    func check(against draft: CounterPaymentDraft) throws(CounterError) {
        func differs(_ part: CounterMismatch.Part, _ asked: String, _ answered: String) -> CounterError {
            .mismatch(CounterMismatch(operation: .readPayment, part: part, asked: asked, answered: answered))
        }
        let asked = draft.amount
        guard isOf(draft.order) else { throw differs(.order, draft.order.rawValue, order.rawValue) }
        guard amount.currency == asked.currency else {
            throw differs(.currency, asked.currency.code, amount.currency.code)
        }
        guard amount == asked else { throw differs(.amount, "\(asked)", "\(amount)") }
    }
}
