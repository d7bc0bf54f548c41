public import TillCore

extension AdyenProvider {
    /// For how long a card's network honors a hold at least: Adyen keeps it for 28 days, and says no end. Source:
    /// Adyen's page "Authorization adjustment", validity by card scheme.
    static let shortestHold = Span.days(7)

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
        let authorization = Authorization(
            reference: reference, amount: request.amount, isCaptured: isAtOnce,
            honoredUntil: isAtOnce ? nil : payment.at?.adding(AdyenProvider.shortestHold))
        return .approved(.adyen(authorization, payment.pspReference, later, isAtOnce: isAtOnce))
    }
}

extension ProviderSnapshot {
    /// What became of money that was authorized.
    /// - Parameters:
    ///   - payment: Adyen's name for it.
    ///   - later: what webhooks reported of it since.
    static func adyen(
        _ authorization: Authorization, _ payment: String, _ later: [AdyenNotification], isAtOnce: Bool
    ) -> ProviderSnapshot {
        let amount = authorization.amount
        let settled = AdyenSettled(later, atOnce: isAtOnce ? amount : nil, currency: amount.currency)
        var snapshot = ProviderSnapshot(
            reference: authorization.reference, standing: settled.isReleased ? .voided : .authorized(authorization),
            captured: settled.captured, refunds: settled.refunds)
        snapshot.failedCaptures = settled.failed.map {
            ProviderSnapshot.FailedCapture(
                reference: authorization.reference, capture: $0.capture, decline: $0.decline)
        }
        snapshot.disputes = ProviderSnapshot.Dispute.all(in: later, of: payment)
        return snapshot
    }
}
