public import TillCore

extension AdyenProvider {
    /// The minimum time for which a card network honors a hold: Adyen keeps it for 28 days and reports no expiration.
    /// Source: Adyen's page "Authorization adjustment", validity by card scheme.
    static let shortestHold = Span.days(7)
    /// The most payments beyond an attempt's own that a warning names.
    static let namedPayments = 5

    /// Returns the state of an attempt as reported by webhooks. Without a report it is `unknown`: Adyen cannot be
    /// queried.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        if let action = request.action, action.session != nil || action.isFinished {
            return await session(action, request)
        }
        do throws(AdyenNotificationLogError) {
            guard let payment = try await book.payment(request.context.attempt) else {
                guard request.isOfUnheldSession else { return .unknown(reason: "Adyen has not reported it yet") }
                return .approved(
                    ProviderSnapshot(
                        reference: nil, standing: .notFound, captured: Money.zero(request.amount.currency)))
            }
            return try await report(payment, request)
        } catch {
            return .unknown(reason: error.description)
        }
    }

    /// Returns what webhooks report of a payment, with a warning if Adyen has authorized others for the same attempt.
    func report(
        _ payment: AdyenNotification, _ request: QueryRequest
    ) async throws(AdyenNotificationLogError) -> ProviderAnswer<ProviderSnapshot> {
        let answer = self.snapshot(of: payment, try await book.modifications(of: payment.pspReference), request)
        guard payment.success, case .approved(var told) = answer else { return answer }
        var further: [String] = []
        for other in try await book.paid(request.context.attempt) where other.pspReference != payment.pspReference {
            let isAtOnce = other.merchantReference.hasSuffix(AdyenProvider.takenAtOnce)
            let settled = AdyenSettled(
                try await book.modifications(of: other.pspReference), atOnce: isAtOnce ? other.amount : nil,
                currency: request.amount.currency)
            if !settled.isReleased { further.append(other.pspReference) }
        }
        guard !further.isEmpty else { return answer }
        let names = further.prefix(AdyenProvider.namedPayments).joined(separator: ", ")
        told.warning =
            "Adyen has authorized \(further.count) more for the attempt of \(payment.pspReference), which Till does "
            + "not count: \(names). Cancel or refund them at Adyen."
        return .approved(told)
    }

    func snapshot(
        of payment: AdyenNotification, _ later: [AdyenNotification], _ request: QueryRequest
    ) -> ProviderAnswer<ProviderSnapshot> {
        let currency = request.amount.currency
        let nothing = Money.zero(currency)
        guard payment.success else {
            let decline = Decline(
                reason: .generic, message: CardNumberMask.maskedForPeople(payment.reason ?? "refused"),
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
    /// Returns the state of authorized money.
    /// - Parameters:
    ///   - payment: Adyen's reference of the payment.
    ///   - later: the later events reported by webhooks.
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
