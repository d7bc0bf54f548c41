public import TillCheckout
public import TillCore
public import TillOffline

extension OfflineService {
    /// Takes a payment online or offline, by the sale's choice. The card is stored only if no request was made to the
    /// provider, or if certainly nothing of it was sent: never after an unknown outcome.
    /// - Parameters:
    ///   - payment: A payment that is begun and not paid.
    ///   - online: The provider tried first.
    ///   - read: Reads the card; sealed for the payment.
    public func accept(
        _ payment: Payment, _ choice: OfflineChoice, online: ProviderName, checkout: Checkout,
        card read: () async throws -> CardPresentPayload
    ) async throws -> OfflineAcceptance {
        if choice == .forceOffline {
            let reasons = try await log(creating: true).reasonsAgainst(
                OfflinePolicy.Request(amount: payment.amount), policy: options.policy)
            guard reasons.isEmpty else { throw OfflineLogError.refused(reasons) }
        }
        let payload = try await read()
        var payment = payment
        if choice != .forceOffline {
            payment = try await checkout.confirm(
                payment.id, account: payment.account, provider: online, tender: .cardPresent(payload))
            guard case .notSent(let reason)? = payment.attempts.last?.state else { return .online(payment) }
            guard choice == .preferOnline else { return .refused(payment, reason: reason) }
        }
        let stored = try await checkout.confirm(
            payment.id, account: payment.account, provider: OfflineProvider.providerName,
            tender: .cardPresent(payload))
        if let result = StoredNotAuthorized(stored) { return .stored(result, stored) }
        if case .declined(let decline)? = stored.attempts.last?.state {
            return .refused(stored, reason: decline.message ?? decline.reason.customerSentence)
        }
        return .online(stored)
    }
}
