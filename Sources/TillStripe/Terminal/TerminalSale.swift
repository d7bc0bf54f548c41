internal import TillCore
internal import TillHardware
internal import TillProvider

/// One sale at one reader, from the command to its end.
///
/// A reader's report may be late, outdated or wrong. Money has certainly moved when the payment intent shows it; it has
/// certainly not moved when the intent shows a new decline by the issuer, or is canceled so that no card can pay it any
/// more. A reader's report alone establishes neither.
struct TerminalSale: Sendable {
    let provider: StripeTerminalProvider
    let request: AuthorizationRequest
    let reference: ProviderReference
    let reader: String
    let tipping: CardPresentPayload.Tipping?
    let wait: TerminalWait

    /// The state before the command: only a difference from it counts as news.
    private struct Before {
        var action: TerminalAction?
        var failedCharge: String?
    }

    private enum Poll {
        case end(ProviderAnswer<Authorization>)
        /// The reader waits for the card.
        case collecting
        /// The card is being charged.
        case charging
        /// The reader reports the end of the action.
        case over(TerminalAction)
        /// The slot is empty, or holds another or an earlier action.
        case gone
        /// Nothing could be read.
        case blind(String)
    }

    func run() async -> ProviderAnswer<Authorization> {
        var before = Before()
        // Later attempts reuse the same intent, which may carry an earlier decline.
        if !request.context.isFirst {
            guard case .success(let now) = await provider.read(reference) else {
                return .notSent(reason: "the payment intent could not be read")
            }
            before.failedCharge = now.intent.failedCharge
        }
        if let now = try? await provider.terminal.reader(reader) {
            if let refusal = busy(now.action) { return refusal }
            before.action = now.action
        }
        var isCertain = true
        do {
            _ = try await provider.terminal.process(reference, at: reader, settings, key: request.key)
        } catch {
            switch error.certainty {
            case .notSent: return .notSent(reason: error.what)
            case .notNow: return .notSent(reason: error.what)
            case .keyRejected: return .keyRejected(reason: error.what)
            case .refused where error.providerCode != "terminal_reader_timeout": return await refused(error)
            case .refused, .kept, .unknown: isCertain = false
            }
        }
        tell(.waitingForInput)
        return await watch(since: before, isCertain: isCertain)
    }

    private var settings: TerminalCollection {
        var settings = TerminalCollection(customerCancels: true, skipsTipping: true)
        switch tipping {
        case nil: break
        case .onWholeAmount: settings.skipsTipping = false
        case .onPart(let part):
            settings.skipsTipping = false
            settings.tipEligible = provider.amounts.wireAmount(ifExact: part)
        }
        return settings
    }

    /// Refuses the sale if another one occupies the reader's only slot.
    private func busy(_ action: TerminalAction?) -> ProviderAnswer<Authorization>? {
        guard let action, action.status == .inProgress, action.kind != .setReaderDisplay,
            action.paymentIntent != reference
        else { return nil }
        return .declined(
            Decline(
                reason: .readerBusy, code: "terminal_reader_busy",
                message: "the reader is busy with \(action.kind.rawValue)"))
    }

    /// Resolves a refused command: unless the intent shows otherwise, nothing was charged.
    private func refused(_ error: StripeTerminalError) async -> ProviderAnswer<Authorization> {
        let raw = error.declineCode ?? error.providerCode
        let reason = raw.flatMap { StripeCodes.readerReason($0) } ?? .invalidRequest
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

    // MARK: Watching

    private func watch(since before: Before, isCertain: Bool) async -> ProviderAnswer<Authorization> {
        let began = provider.clock.now()
        var isShown = false
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
            switch await poll(before) {
            case .end(let answer): return reporting(answer, isCharging)
            case .collecting: isShown = true
            case .charging:
                isShown = true
                if !isCharging {
                    isCharging = true
                    tell(.cardInserted)
                    tell(.processing)
                }
            case .over(let action):
                isShown = true
                if let answer = await ended(action.decline, before, action) { return reporting(answer, isCharging) }
            case .gone:
                // Another action in the slot indicates an end only after our command has appeared there; before that,
                // the slot may be out of date.
                if isShown || (isCertain && age >= StripeTerminalProvider.grace) {
                    let code = isCalledOff ? "reader_timeout" : "canceled"
                    let reason: DeclineReason = isCalledOff ? .noCardPresented : .canceledAtReader
                    if let answer = await ended(Decline(reason: reason, code: code), before) {
                        return reporting(answer, isCharging)
                    }
                } else if age >= StripeTerminalProvider.grace {
                    return .unknown(reason: "the reader does not show the command")
                }
            case .blind: break
            }
            if age.milliseconds >= limit, !isCharging, !isCalledOff, isShown { isCalledOff = await callOff() }
            let pause = polls.popFirst() ?? StripeTerminalProvider.pollInterval
            await wait.pause(atMost: pause, clock: provider.clock)
        }
    }

    /// Cancels the collection at the reader because no card was presented. Returns `true` once the reader has released
    /// it.
    private func callOff() async -> Bool {
        let key = IdempotencyKey(rawValue: request.key.rawValue + "-calloff")
        return (try? await provider.terminal.cancelAction(at: reader, key: key)) != nil
    }

    private func poll(_ before: Before) async -> Poll {
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
        case .failed, .succeeded:
            // The action from before the command is no response to it, unless the issuer was asked since.
            return action == before.action && !isNewRefusal(now, before) ? .gone : .over(action)
        default: return .collecting
        }
    }

    private func isNewRefusal(_ now: StripeTerminalProvider.IntentNow, _ before: Before) -> Bool {
        now.intent.failedCharge.map { $0 != before.failedCharge } ?? false
    }

    // MARK: The end

    /// Resolves an action that the reader reports as ended, from the intent. Returns `nil` while the outcome is
    /// uncertain.
    private func ended(
        _ decline: Decline, _ before: Before, _ action: TerminalAction? = nil
    ) async -> ProviderAnswer<Authorization>? {
        guard case .success(let now) = await provider.read(reference) else { return nil }
        if let answer = settled(now) { return answer }
        guard ["requires_payment_method", "requires_confirmation"].contains(now.intent.status) else { return nil }
        if action?.status == .succeeded { return .unknown(reason: "the reader says yes, the payment intent no") }
        var decline = decline
        if isNewRefusal(now, before) {
            let isOwnFailure = action.map { StripeCodes.reader[$0.failureCode ?? ""] == nil } ?? true
            if isOwnFailure, let last = now.intent.lastError { decline = last }
            return .declined(decline)
        }
        return await forgo(decline)
    }

    /// Cancels the intent, so that no card can be charged from here on, whatever the reader still does. The next
    /// attempt uses a new intent. Returns `nil` if a card may have been charged just now.
    private func forgo(_ decline: Decline) async -> ProviderAnswer<Authorization>? {
        let key = "\(request.key)-forgo-\(provider.clock.now().milliseconds)"
        let answer = await provider.online.void(
            VoidRequest(
                context: request.context, authorizationKey: request.key, reason: "abandoned",
                key: IdempotencyKey(rawValue: key)))
        guard case .approved = answer else { return nil }
        return .declined(decline)
    }

    /// Returns the definite outcome from the intent; `nil` while it is open.
    private func settled(_ now: StripeTerminalProvider.IntentNow) -> ProviderAnswer<Authorization>? {
        let intent = now.intent
        switch intent.status {
        case "requires_capture", "succeeded":
            let isCaptured = intent.status == "succeeded"
            let covered = (isCaptured ? intent.received : intent.capturable) ?? intent.amount
            guard intent.base == request.amount, covered == intent.amount else {
                return .unknown(reason: provider.online.amountMismatch)
            }
            return .approved(
                Authorization(
                    reference: intent.reference, amount: intent.amount, isCaptured: isCaptured,
                    captureBefore: intent.captureBefore, honoredUntil: intent.honoredUntil, card: intent.card,
                    tip: intent.tip))
        case "canceled":
            return .declined(Decline(reason: .canceledAtReader, code: "canceled", message: "the intent was canceled"))
        case "requires_action": return .unknown(reason: "the payment intent waits for the customer")
        default: return nil
        }
    }

    /// Shows the outcome at the reader.
    private func reporting(
        _ answer: ProviderAnswer<Authorization>, _ hadCard: Bool
    ) -> ProviderAnswer<Authorization> {
        switch answer {
        case .approved(let authorization):
            if authorization.card?.entryMode?.hasPrefix("contact_") == true { tell(.removeCard) }
            tell(.approved)
        case .declined(let decline):
            if hadCard { tell(.removeCard) }
            tell(decline.reason == .canceledAtReader ? .canceled : .declined, decline.reason.customerSentence)
        case .requiresAction, .stored, .notSent, .keyRejected, .unknown: break
        }
        return answer
    }

    private func tell(_ type: CardReaderEventType, _ message: String? = nil) {
        provider.feed.tell(
            ReaderStep(
                account: request.context.account, payment: request.context.payment, reader: reader,
                event: CardReaderEvent(type, message: message)))
    }
}

extension AttemptContext {
    func with(_ reference: ProviderReference) -> AttemptContext {
        var context = self
        context.reference = reference
        return context
    }

    /// `true` for the payment's first attempt.
    var isFirst: Bool { attempt.rawValue == "\(payment)-a1" }
}
