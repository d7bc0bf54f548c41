public import TillCore

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
        let sale = TerminalSale(
            provider: self, request: request, reference: reference, reader: reader, tipping: payload.tipping, wait: wait
        )
        return await sale.run()
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
