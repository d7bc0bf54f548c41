public import TillCore
internal import TillHardware

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
            switch await terminal.intent(reference) {
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
        switch await terminal.intent(reference) {
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
        let refund = ReaderConversation.Refund(
            payment: reference, amount: request.amount, name: request.refund.rawValue,
            metadata: [
                "till_payment": request.context.payment.rawValue, "till_account": request.context.account.rawValue,
            ], key: request.key)
        // The refund may have been made before a crash, or by a command with a lost response.
        if let made = await terminal.listed(refund) { return answer(to: made) }
        guard let reader = feed.refundReader(of: request.context.payment) else {
            return await refundWithoutReader(request, refund)
        }
        let wait = feed.begin(reader, nil)
        defer { feed.end(wait) }
        let conversation = conversation(request.context, wait, refund: request.refund)
        let end = await conversation.refund(refund, wire)
        let answer = answer(to: end)
        if case .notMade(.refused) = end { return answer }
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

    private func answer(to end: ReaderConversation.RefundEnd) -> ProviderAnswer<Confirmation> {
        switch end {
        case .listed(let made):
            switch made.status {
            case .succeeded: .approved(Confirmation(reference: made.reference))
            case .pending: .unknown(.pending)
            case .failed(let decline): .declined(decline)
            }
        case .notMade(.refused(let error)):
            .declined(
                Decline(
                    reason: error.providerCode.flatMap { StripeCodes.errors[$0]?.reason } ?? .invalidRequest,
                    code: error.providerCode, message: error.what, requestID: error.requestID))
        case .notMade(let cause): .declined(cause.decline)
        case .notDone(let error): notDone(error)
        case .open(let reason): .unknown(reason)
        }
    }

    /// Resolves a refund for which no reader was chosen. It is declined only once no reader has it in progress.
    private func refundWithoutReader(
        _ request: RefundRequest, _ refund: ReaderConversation.Refund
    ) async -> ProviderAnswer<Confirmation> {
        guard let readers = try? await terminal.readers() else {
            return .unknown(reason: "the readers cannot be read")
        }
        let isRunning = readers.contains {
            $0.action?.status == .inProgress && $0.action?.kind == .refundPayment
                && $0.action?.paymentIntent == refund.payment
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
        if let made = await terminal.listed(refund) { return answer(to: made) }
        return .declined(
            Decline(
                reason: .refundNeedsReader, code: "interac_refund_needs_reader",
                message: "An Interac refund needs the card and a reader."))
    }
}
