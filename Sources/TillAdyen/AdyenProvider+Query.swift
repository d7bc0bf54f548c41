public import TillCore

extension AdyenProvider {
    /// What webhooks have reported of an attempt. What none has reported is `unknown`: Adyen cannot be asked.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        do throws(AdyenNotificationLogError) {
            guard let payment = try await book.payment(request.context.attempt) else {
                return .unknown(reason: "Adyen has not reported it yet")
            }
            return snapshot(of: payment, try await book.modifications(of: payment.pspReference), request)
        } catch {
            return .unknown(reason: error.description)
        }
    }

    private func snapshot(
        of payment: AdyenNotification, _ later: [AdyenNotification], _ request: QueryRequest
    ) -> ProviderAnswer<ProviderSnapshot> {
        let currency = request.amount.currency
        let nothing = Money.zero(currency)
        guard payment.success else {
            let decline = Decline(
                reason: .generic, message: CardScrubbing.withoutNumbers(payment.reason ?? "refused"),
                requestID: payment.pspReference)
            return .approved(ProviderSnapshot(reference: nil, standing: .declined(decline), captured: nothing))
        }
        let isAtOnce = payment.merchantReference.hasSuffix(AdyenProvider.takenAtOnce)
        guard payment.amount == request.amount, AdyenProvider.isUsable(payment.pspReference),
            let reference = ProviderReference(
                ifValid: payment.pspReference + (isAtOnce ? AdyenProvider.takenAtOnce : ""))
        else { return .unknown(reason: "amount mismatch") }
        if later.contains(where: { $0.success && $0.eventCode.isCancel }) {
            return .approved(ProviderSnapshot(reference: reference, standing: .voided, captured: nothing))
        }
        let settled = AdyenSettled(later, atOnce: isAtOnce ? request.amount : nil, currency: currency)
        let authorization = Authorization(reference: reference, amount: request.amount, isCaptured: isAtOnce)
        var snapshot = ProviderSnapshot(
            reference: reference, standing: .authorized(authorization), captured: settled.captured,
            refunds: settled.refunds)
        snapshot.failedCaptures = settled.failed.map {
            ProviderSnapshot.FailedCapture(reference: reference, capture: $0.capture, decline: $0.decline)
        }
        snapshot.disputes = ProviderSnapshot.Dispute.all(in: later)
        return .approved(snapshot)
    }
}
