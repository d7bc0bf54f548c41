public import TillCore
internal import TillHardware
internal import TillProvider

extension StripeTerminalProvider {
    /// Captures as ``StripeProvider/capture(_:)`` does. An Interac payment is captured at confirmation and never gets
    /// here.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        await online.capture(request)
    }

    /// Cancels at the reader if it is still waiting, then cancels the payment intent, so that it can never be charged.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        // The reference is in the journal before a reader is asked, so without one there is nothing to charge.
        guard let reference = request.context.reference else { return .approved(Confirmation()) }
        if let reader = await reader(at: reference) {
            let key = IdempotencyKey(rawValue: request.key.rawValue + "-calloff")
            _ = try? await terminal.cancelAction(at: reader, key: key)
        }
        return await online.void(request)
    }

    /// Returns the reader that awaits a card for an intent: from this process, or, after a crash, the one that reports
    /// it. A reader that cannot be found is left to time out: the canceled intent cannot be charged.
    private func reader(at reference: ProviderReference) async -> String? {
        if let own = feed.reader(of: reference) { return own }
        let all = (try? await terminal.readers()) ?? []
        return all.first { $0.action?.status == .inProgress && $0.action?.paymentIntent == reference }?.id
    }

    /// Reads the payment intent, as ``StripeProvider/query(_:)`` does.
    ///
    /// Never returns `declined` while the intent can still be charged: its error may be that of an earlier attempt, and
    /// a reader may be collecting for it right now. The engine voids such an intent before it releases the order.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let answer = await online.query(request)
        guard case .approved(var snapshot) = answer, let reference = snapshot.reference else { return answer }
        switch snapshot.standing {
        case .unconfirmed, .declined:
            switch await read(reference) {
            case .success(let now) where now.isOnDevice:
                snapshot.standing = .requiresAction(CustomerAction(kind: StripeTerminalProvider.deviceAction))
            case .success: snapshot.standing = .unconfirmed
            case .failure(let failure): return failure.answer(online)
            }
            return .approved(snapshot)
        default: return answer
        }
    }

    /// Refunds to the card on file, or, for Interac, to the card presented again at the reader of
    /// ``TerminalFeed/useReader(_:forRefundOf:)``.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference else { return .notSent(reason: "there is no payment intent") }
        switch await read(reference) {
        case .failure(let failure): return failure.answer(online)
        case .success(let now):
            return now.isInterac ? await refundAtReader(request, reference) : await online.refund(request)
        }
    }

    private func refundAtReader(
        _ request: RefundRequest, _ reference: ProviderReference
    ) async -> ProviderAnswer<Confirmation> {
        guard let wire = amounts.wireAmount(ifExact: request.amount), wire > 0 else {
            return .declined(online.unsendableAmount)
        }
        // The refund may have been made before a crash, or by a command with a lost response.
        if let made = await refundMade(request, reference) { return made }
        guard let reader = feed.refundReader(of: request.context.payment) else {
            return await refundWithoutReader(request, reference)
        }
        let wait = feed.begin(reader, nil)
        defer { feed.end(wait) }
        feed.sends(request.refund, at: clock.now())
        let refund = TerminalRefund(
            paymentIntent: reference, amount: wire,
            metadata: [
                "till_refund": request.refund.rawValue, "till_payment": request.context.payment.rawValue,
                "till_account": request.context.account.rawValue,
            ],
            customerCancels: true)
        var doubt: UnknownReason?
        do {
            _ = try await terminal.refund(refund, at: reader, key: request.key)
        } catch {
            // The command may have left as late as now.
            feed.sends(request.refund, at: clock.now())
            switch error.certainty {
            case .notSent, .notNow: return .notSent(reason: error.what)
            case .keyRejected: return .keyRejected(reason: error.what)
            case .refused where error.providerCode != "terminal_reader_timeout":
                return await refundMade(request, reference)
                    ?? .declined(
                        Decline(
                            reason: error.providerCode.flatMap { StripeCodes.errors[$0]?.reason } ?? .invalidRequest,
                            code: error.providerCode, message: error.what,
                            requestID: error.requestID))
            case .kept: doubt = .keySpent(error.what)
            case .refused, .unknown: doubt = .unclear("the command may still reach the reader")
            }
        }
        tell(.waitingForInput, request.context, reader)
        let answer = await watchRefund(request, reference, reader, wait, doubt)
        switch answer {
        case .approved: tell(.approved, request.context, reader)
        case .declined(let decline):
            tell(
                decline.reason == .canceledAtReader ? .canceled : .declined, request.context, reader,
                decline.reason.refundSentence)
        case .requiresAction, .stored, .notSent, .keyRejected, .unknown: break
        }
        return answer
    }

    private func tell(
        _ type: CardReaderEventType, _ context: AttemptContext, _ reader: String, _ message: String? = nil
    ) {
        feed.tell(
            ReaderStep(
                account: context.account, payment: context.payment, reader: reader,
                event: CardReaderEvent(type, message: message)))
    }

    /// Waits for the end of a refund at a reader. Stripe's list of refunds is authoritative. If the refund is not
    /// listed, the reader's report is a definite decline only once the action was canceled and the command cannot
    /// arrive later.
    /// - Parameter doubt: the reason that the command may still arrive; `nil` if it cannot.
    private func watchRefund(
        _ request: RefundRequest, _ reference: ProviderReference, _ reader: String, _ wait: TerminalWait,
        _ doubt: UnknownReason?
    ) async -> ProviderAnswer<Confirmation> {
        let began = clock.now()
        let limit = StripeTerminalProvider.collectionTime
        var polls = StripeTerminalProvider.firstPolls[...]
        while clock.now().since(began) < limit, !Task.isCancelled {
            let state = try? await terminal.reader(reader)
            let isOurs = state?.action?.kind == .refundPayment && state?.action?.paymentIntent == reference
            if isOurs, let action = state?.action, action.status != .inProgress {
                if let made = await refundMade(request, reference) { return made }
                if action.status == .failed,
                    let end = await letGo(reader, request, reference, action.decline, doubt)
                {
                    return end
                }
            } else if let state, !isOurs, clock.now().since(began) >= StripeTerminalProvider.grace {
                if let made = await refundMade(request, reference) { return made }
                // Another action is left alone; the end of ours cannot be established then.
                guard state.action?.status != .inProgress else {
                    return .unknown(reason: "the reader is busy with something else")
                }
                let decline = Decline(reason: .canceledAtReader, code: "canceled")
                if let end = await letGo(reader, request, reference, decline, doubt) { return end }
            }
            await wait.pause(atMost: polls.popFirst() ?? StripeTerminalProvider.pollInterval, clock: clock)
        }
        let decline = Decline(reason: .noCardPresented, code: "reader_timeout")
        return await letGo(reader, request, reference, decline, doubt)
            ?? .unknown(reason: "the reader did not come to an end in time")
    }

    /// Cancels at the reader and queries once more. Returns `nil` if the action cannot be canceled now.
    private func letGo(
        _ reader: String, _ request: RefundRequest, _ reference: ProviderReference, _ decline: Decline,
        _ doubt: UnknownReason?
    ) async -> ProviderAnswer<Confirmation>? {
        let key = IdempotencyKey(rawValue: "\(request.key)-calloff-\(clock.now().milliseconds)")
        guard (try? await terminal.cancelAction(at: reader, key: key)) != nil else { return nil }
        if let made = await refundMade(request, reference) { return made }
        return doubt.map { .unknown($0) } ?? .declined(decline)
    }

    /// Resolves a refund for which no reader was chosen. It is declined only once no reader has it in progress.
    private func refundWithoutReader(
        _ request: RefundRequest, _ reference: ProviderReference
    ) async -> ProviderAnswer<Confirmation> {
        guard let readers = try? await terminal.readers() else {
            return .unknown(reason: "the readers cannot be read")
        }
        let isRunning = readers.contains {
            $0.action?.status == .inProgress && $0.action?.kind == .refundPayment
                && $0.action?.paymentIntent == reference
        }
        if isRunning { return .unknown(.pending) }
        if request.mayHaveBeenSent {
            let now = clock.now()
            let last = feed.lastCommand(for: request.refund, at: now)
            guard now.since(last) >= StripeTerminalProvider.latestCommand else {
                // Nothing was sent now, so the next query follows soon and consumes no attempt.
                return .notSent(reason: "a command for it may still come to a reader")
            }
        }
        // A reader that has finished may have made the refund since the list was read.
        if let made = await refundMade(request, reference) { return made }
        return .declined(
            Decline(
                reason: .refundNeedsReader, code: "interac_refund_needs_reader",
                message: "An Interac refund needs the card and a reader."))
    }

    /// Returns the refund with this id, if Stripe has it.
    private func refundMade(
        _ request: RefundRequest, _ reference: ProviderReference
    ) async -> ProviderAnswer<Confirmation>? {
        let call = StripeRequest.get(StripePath.refunds, [("payment_intent", reference.rawValue), ("limit", "100")])
        guard case .answered(let json) = await online.client.send(call, within: online.deadline),
            let data = json["data"]?.arrayValue
        else { return .unknown(reason: "the refunds cannot be read") }
        guard let refund = data.compactMap(StripeRefund.init).first(where: { $0.refund == request.refund }) else {
            return nil
        }
        guard refund.amount == request.amount else { return .unknown(reason: online.amountMismatch) }
        switch refund.status {
        case .succeeded: return .approved(Confirmation(reference: refund.reference))
        case .pending: return .unknown(.pending)
        case .failed(let decline): return .declined(decline)
        }
    }
}
