public import TillCore
internal import TillHardware

extension StripeTerminalProvider {
    /// Asks a reader to collect a card and to charge it, and waits for the end of it.
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
        guard reader.hasPrefix("tmr_"), (try? ProviderReference(validating: reader)) != nil else {
            return .declined(Decline(reason: .cardNotSupported, message: "this reader does not belong to Stripe"))
        }
        let wait = feed.begin(reader, reference)
        defer { feed.end(wait) }
        return await TerminalSale(provider: self, request: request, reference: reference, reader: reader, wait: wait)
            .run()
    }

    /// Marks the intent as one that a device collects for; the device does the rest.
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
        // Nobody was told to collect yet.
        case .notSent(let reason), .unknown(let reason): return .notSent(reason: reason)
        }
    }
}

/// One sale at one reader, from the command to the end.
struct TerminalSale: Sendable {
    let provider: StripeTerminalProvider
    let request: AuthorizationRequest
    let reference: ProviderReference
    let reader: String
    let wait: TerminalWait

    private enum Look {
        case end(ProviderAnswer<Authorization>)
        /// The reader waits for the card.
        case collecting
        /// The card is being charged.
        case charging
        /// Another thing is in the reader's slot, or nothing.
        case gone
        /// Nothing could be read.
        case blind(String)
    }

    func run() async -> ProviderAnswer<Authorization> {
        if let refusal = await findBusy() { return refusal }
        let settings = TerminalCollection(customerCancels: true, skipsTipping: true)
        var isCertain = true
        do {
            _ = try await provider.terminal.process(reference, at: reader, settings, key: request.key)
        } catch {
            switch error.certainty {
            case .notSent: return .notSent(reason: error.what)
            case .notNow: return .notSent(reason: error.what)
            case .refused where error.providerCode != "terminal_reader_timeout": return await refused(error)
            case .refused, .unknown: isCertain = false
            }
        }
        tell(.waitingForInput)
        return await watch(isCertain: isCertain)
    }

    /// Another sale in the reader's one slot is not taken out of it.
    private func findBusy() async -> ProviderAnswer<Authorization>? {
        guard let now = try? await provider.terminal.reader(reader), let action = now.action,
            action.status == .inProgress, action.kind != .setReaderDisplay, action.paymentIntent != reference
        else { return nil }
        return .declined(
            Decline(
                reason: .readerUnavailable, code: "terminal_reader_busy",
                message: "the reader is busy with \(action.kind.rawValue)"))
    }

    /// The command was refused: unless the intent says otherwise, nothing was charged.
    private func refused(_ error: StripeTerminalError) async -> ProviderAnswer<Authorization> {
        let raw = error.declineCode ?? error.providerCode
        let reason = raw.flatMap { TerminalFailure.reasons[$0] ?? StripeDeclineTable.reasons[$0] } ?? .invalidRequest
        let decline = Decline(
            reason: reason, code: raw, message: error.providerMessage, requestID: error.requestID)
        switch await provider.read(reference) {
        case .success(let now):
            switch now.intent.status {
            case "requires_payment_method", "requires_confirmation", "canceled": return .declined(decline)
            default: return settled(now) ?? .unknown(reason: "the payment intent is \(now.intent.status)")
            }
        case .failure: return .unknown(reason: "the payment intent could not be read after a refusal")
        }
    }

    private func watch(isCertain: Bool) async -> ProviderAnswer<Authorization> {
        let began = provider.clock.now()
        var seen = isCertain
        var isCharging = false
        var isCalledOff = false
        var polls = StripeTerminalProvider.firstPolls[...]
        while true {
            let age = provider.clock.now().since(began)
            let limit = StripeTerminalProvider.collectionTime.milliseconds
            let isLate = age.milliseconds >= limit + StripeTerminalProvider.chargingTime.milliseconds
            guard !isLate, !Task.isCancelled else {
                return .unknown(reason: "the reader did not come to an end in time")
            }
            switch await look() {
            case .end(let answer): return told(answer, isCharging)
            case .collecting: seen = true
            case .charging:
                seen = true
                if !isCharging {
                    isCharging = true
                    tell(.cardInserted)
                    tell(.processing)
                }
            case .gone:
                // Only after its command was there can a slot with something else in it mean an end.
                if seen {
                    let code = isCalledOff ? "reader_timeout" : "canceled"
                    return told(await ended(.canceledAtReader, code: code), isCharging)
                }
                if age >= StripeTerminalProvider.grace {
                    return .unknown(reason: "the reader does not show the command")
                }
            case .blind: break
            }
            if age.milliseconds >= limit, !isCharging, !isCalledOff, seen { isCalledOff = await callOff() }
            let pause = polls.popFirst() ?? StripeTerminalProvider.pollInterval
            await wait.pause(atMost: pause, clock: provider.clock)
        }
    }

    /// Nobody presented a card. `true` once the reader has let go.
    private func callOff() async -> Bool {
        let key = IdempotencyKey(rawValue: request.key.rawValue + "-calloff")
        return (try? await provider.terminal.cancelAction(at: reader, key: key)) != nil
    }

    private func look() async -> Look {
        let now: StripeTerminalProvider.IntentNow
        switch await provider.read(reference) {
        case .failure(let failure): return .blind("\(failure)")
        case .success(let read): now = read
        }
        if let answer = settled(now) { return .end(answer) }
        if now.intent.status == "processing" { return .charging }
        guard let state = try? await provider.terminal.reader(reader) else { return .blind("the reader") }
        guard let action = state.action, action.paymentIntent == reference else { return .gone }
        switch action.status {
        case .inProgress: return .collecting
        case .failed: return .end(await ended(action.decline.reason, action: action))
        case .succeeded: return .end(await ended(.generic, action: action))
        default: return .collecting
        }
    }

    /// The reader has come to an end; what that means the intent says.
    private func ended(
        _ reason: DeclineReason, code: String? = nil, action: TerminalAction? = nil
    ) async -> ProviderAnswer<Authorization> {
        guard case .success(let now) = await provider.read(reference) else {
            return .unknown(reason: "the payment intent could not be read at the end")
        }
        if let answer = settled(now) { return answer }
        switch now.intent.status {
        case "requires_payment_method", "requires_confirmation":
            if action?.status == .succeeded { return .unknown(reason: "the reader says yes, the payment intent no") }
            var decline = action?.decline ?? Decline(reason: reason, code: code)
            let isOwnFailure = action.map { TerminalFailure.reasons[$0.failureCode ?? ""] == nil } ?? false
            if isOwnFailure, let last = now.intent.lastError { decline = last }
            if code == "reader_timeout" { decline.reason = .noCardPresented }
            return .declined(decline)
        default: return .unknown(reason: "the payment intent is \(now.intent.status)")
        }
    }

    /// What the intent says for certain; `nil` while it can still go either way.
    private func settled(_ now: StripeTerminalProvider.IntentNow) -> ProviderAnswer<Authorization>? {
        let intent = now.intent
        switch intent.status {
        case "requires_capture", "succeeded":
            let isCaptured = intent.status == "succeeded"
            let covered = (isCaptured ? intent.received : intent.capturable) ?? request.amount
            guard intent.amount == request.amount, covered == request.amount else {
                return .unknown(reason: provider.online.amountMismatch)
            }
            return .approved(
                Authorization(
                    reference: intent.reference, amount: request.amount, isCaptured: isCaptured,
                    captureBefore: intent.captureBefore, card: intent.card))
        case "canceled":
            return .declined(Decline(reason: .canceledAtReader, code: "canceled", message: "the intent was canceled"))
        case "requires_action": return .unknown(reason: "the payment intent waits for the customer")
        default: return nil
        }
    }

    /// Says how it ended to the people at the reader.
    private func told(
        _ answer: ProviderAnswer<Authorization>, _ hadCard: Bool
    ) -> ProviderAnswer<Authorization> {
        switch answer {
        case .approved(let authorization):
            if authorization.card?.entryMode?.hasPrefix("contact_") == true { tell(.removeCard) }
            tell(.approved)
        case .declined(let decline):
            if hadCard { tell(.removeCard) }
            tell(decline.reason == .canceledAtReader ? .canceled : .declined, decline.reason.customerSentence)
        case .requiresAction, .stored, .notSent, .unknown: break
        }
        return answer
    }

    private func tell(_ type: CardReaderEventType, _ message: String? = nil) {
        provider.feed.tell(
            TerminalStep(
                account: request.context.account, payment: request.context.payment, reader: reader,
                event: CardReaderEvent(type, message: message)))
    }
}
