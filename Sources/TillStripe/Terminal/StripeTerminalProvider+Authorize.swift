public import TillCore
internal import TillHardware
internal import TillProvider

extension StripeTerminalProvider {
    /// Collects a card at a reader, charges it, and waits for the end.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard let reference = request.context.reference else {
            return .notSent(reason: "no payment intent was prepared")
        }
        guard case .cardPresent(let payload) = tender else {
            return .declined(Decline(reason: .cardNotSupported, message: "a reader takes cards that are there"))
        }
        let reader = payload.sealed.reveal()
        if reader == StripeTerminalProvider.deviceMark { return await handOver(reference, request) }
        guard reader.hasPrefix("tmr_"), ProviderReference(ifValid: reader) != nil else {
            return .declined(Decline(reason: .cardNotSupported, message: "this reader does not belong to Stripe"))
        }
        let wait = feed.begin(reader, reference)
        defer { feed.end(wait) }
        return await collect(request, reference, conversation(request.context, wait), payload.tipping)
    }

    private func collect(
        _ request: AuthorizationRequest, _ reference: ProviderReference, _ conversation: ReaderConversation,
        _ tipping: CardPresentPayload.Tipping?
    ) async -> ProviderAnswer<Authorization> {
        var settings = TerminalCollection(customerCancels: true, skipsTipping: tipping == nil)
        if case .onPart(let part) = tipping { settings.tipEligible = amounts.wireAmount(ifExact: part) }
        // Later attempts reuse the same intent, which may carry an earlier decline.
        let end = await conversation.sell(
            ReaderConversation.Sale(
                intent: reference, amount: request.amount, kind: .processPaymentIntent,
                command: TerminalCall.process(conversation.reader, reference, settings, key: request.key),
                charges: request.context.isFirst ? [] : nil, forgo: { await forgo(request) }))
        func tell(_ type: CardReaderEventType, _ message: String? = nil) {
            if end.wasAsked { self.tell(type, request.context, conversation.reader, message) }
        }
        switch end.outcome {
        case .moved(let now):
            let intent = now.intent
            if intent.card?.entryMode?.hasPrefix("contact_") == true { tell(.removeCard) }
            tell(.approved)
            return .approved(
                Authorization(
                    reference: intent.reference, amount: intent.amount, isCaptured: now.status == .succeeded,
                    captureBefore: intent.captureBefore, honoredUntil: intent.honoredUntil, card: intent.card,
                    tip: intent.tip))
        case .notMoved(let cause, _):
            let decline = cause.decline
            if end.hadCard { tell(.removeCard) }
            tell(decline.reason == .canceledAtReader ? .canceled : .declined, decline.reason.customerSentence)
            return .declined(decline)
        case .notDone(let error): return notDone(error)
        case .open(let reason): return .unknown(reason: reason)
        case .collected, .abandoned: return .unknown(reason: "the reader did not come to an end in time")
        }
    }

    /// Cancels the intent; the next attempt uses a new one.
    private func forgo(_ request: AuthorizationRequest) async -> Bool {
        let key = "\(request.key)-forgo-\(clock.now().milliseconds)"
        let answer = await online.void(
            VoidRequest(
                context: request.context, authorizationKey: request.key, reason: "abandoned",
                key: IdempotencyKey(rawValue: key)))
        if case .approved = answer { return true }
        return false
    }

    // MARK: What sales and refunds share

    func conversation(
        _ context: AttemptContext, _ wait: TerminalWait, refund: RefundID? = nil
    ) -> ReaderConversation {
        ReaderConversation(
            terminal: terminal, reader: wait.reader, pause: { await wait.pause(atMost: $0, clock: clock) },
            progress: { progress in
                switch progress {
                case .sending: if let refund { feed.sends(refund, at: clock.now()) }
                case .asked: tell(.waitingForInput, context, wait.reader)
                case .charging:
                    tell(.cardInserted, context, wait.reader)
                    tell(.processing, context, wait.reader)
                }
            })
    }

    func tell(
        _ type: CardReaderEventType, _ context: AttemptContext, _ reader: String, _ message: String? = nil
    ) {
        feed.tell(
            ReaderStep(
                account: context.account, payment: context.payment, reader: reader,
                event: CardReaderEvent(type, message: message)))
    }

    /// The answer to a command that was certainly not carried out.
    func notDone<Success>(_ error: StripeTerminalError) -> ProviderAnswer<Success> {
        switch error.certainty {
        case .keyRejected: .keyRejected(reason: error.what)
        case .refused, .notNow, .notSent, .kept, .unknown: .notSent(reason: error.what)
        }
    }

    /// Marks the intent for collection by a device, which does the rest.
    private func handOver(
        _ reference: ProviderReference, _ request: AuthorizationRequest
    ) async -> ProviderAnswer<Authorization> {
        let call = StripeRequest.post(
            StripePath.paymentIntent(reference),
            [("metadata[\(StripeTerminalProvider.collectorKey)]", StripeTerminalProvider.deviceMark)],
            key: request.key)
        switch await online.client.send(call, within: online.deadline) {
        case .answered(let json):
            guard let intent = StripePaymentIntent(json), intent.reference == reference else {
                return .unknown(reason: online.unreadable)
            }
            return .requiresAction(CustomerAction(kind: StripeTerminalProvider.deviceAction))
        case .failed(let error): return online.answer(to: error)
        // No reader was asked to collect yet.
        case .notSent(let reason), .unknown(let reason): return .notSent(reason: reason)
        }
    }
}
