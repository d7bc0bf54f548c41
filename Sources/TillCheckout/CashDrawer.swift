public import TillCore

/// Cash as a payment provider. The cashier counts the money, so there is no remote system to query and nothing to wait
/// for: the journal's record is final.
public struct CashDrawer: PaymentServiceProvider {
    public let name = ProviderName.cash
    /// Cash is taken immediately, and there is no remote state to query.
    public let capabilities = ProviderCapabilities(
        replayWindow: .days(36_500), preparesFirst: false, partialCapture: false, separateCapture: false,
        takesCards: false, showsAfterSale: false)
    /// Amounts in every currency, with the exponents of ISO 4217.
    public let amounts = AmountCodec(provider: "cash", exceptions: [:])

    private let mode: PaymentMode

    /// - Parameter mode: `test` for a counter in trial use; its receipts are marked accordingly.
    public init(mode: PaymentMode = .live) { self.mode = mode }

    /// Returns the identity of the shop's drawer.
    public func identity() async -> ProviderIdentity { ProviderIdentity(account: "drawer", mode: mode) }

    /// Takes the money, with the tip that the customer leaves, if enough was tendered.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard case .cash(let tendered, let tip) = tender else {
            return .declined(Decline(reason: .cardNotSupported, message: "The drawer takes cash only."))
        }
        let taken: Money
        do throws(CashRefusal) {
            try CashDrawer.check(tendered: tendered, tip: tip, due: request.amount, captureMode: .automatic)
            taken = try CashDrawer.taken(for: request.amount, with: tip)
        } catch { return .declined(Decline(reason: .insufficientFunds, message: "Less was handed over than is due.")) }
        let reference = ProviderReference(rawValue: "cash-\(request.context.attempt)")
        return .approved(Authorization(reference: reference, amount: taken, isCaptured: true, tip: tip))
    }

    /// Approves; cash has no separate capture.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }

    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }

    /// Approves; the cashier hands back the money.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        .approved(Confirmation(reference: ProviderReference(rawValue: "cash-\(request.refund)")))
    }

    /// Reports the attempt as not found: the drawer keeps no state, and an attempt that was not recorded as taken was
    /// not taken.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        .approved(
            ProviderSnapshot(reference: nil, standing: .notFound, captured: .zero(request.amount.currency)))
    }
}

extension CashDrawer: SendlessProvider {
    package var sendsNothing: Bool { true }
}
