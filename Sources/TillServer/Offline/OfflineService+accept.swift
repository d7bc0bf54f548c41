public import TillCheckout
public import TillCore
public import TillOffline

extension OfflineService {
    /// Takes a payment that may be offline, as the sale says. The card is stored only if nothing was asked of the
    /// provider, or certainly nothing of it was sent: after an unknown outcome it never is.
    /// - Parameters:
    ///   - payment: begun and not paid.
    ///   - online: who is asked first.
    ///   - read: reads the card; sealed for the payment.
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
