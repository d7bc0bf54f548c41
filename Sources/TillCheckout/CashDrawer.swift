public import TillCore

/// Notes and coins. The clerk counts them, so there is nobody to ask and nothing to wait for: what the journal
/// says is what happened.
public struct CashDrawer: PaymentServiceProvider {
    public let name = ProviderName.cash
    /// Cash is taken at once and has no memory to ask.
    public let capabilities = ProviderCapabilities(
        replayWindow: .days(36_500), preparesFirst: false, partialCapture: false, separateCapture: false,
        takesCards: false, showsAfterSale: false)
    /// Every currency as ISO 4217 has it.
    public let amounts = AmountCodec(provider: "cash", exceptions: [:])

    private let mode: PaymentMode

    /// - Parameter mode: `test` where the counter only tries things out, so that its receipts say so.
    public init(mode: PaymentMode = .live) { self.mode = mode }

    /// The drawer of the shop.
    public func identity() async -> ProviderIdentity { ProviderIdentity(account: "drawer", mode: mode) }

    /// Takes the money, if enough was handed over.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard case .cash(let tendered) = tender else {
            return .declined(Decline(reason: .cardNotSupported, message: "The drawer takes cash only."))
        }
        if let tendered {
            guard tendered.currency == request.amount.currency, tendered.minorUnits >= request.amount.minorUnits else {
                return .declined(Decline(reason: .insufficientFunds, message: "Less was handed over than is due."))
            }
        }
        let reference = ProviderReference(rawValue: "cash-\(request.context.attempt)")
        return .approved(Authorization(reference: reference, amount: request.amount, isCaptured: true))
    }

    /// Cash has no captures of its own.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }

    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }

    /// The clerk hands the money back.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        .approved(Confirmation(reference: ProviderReference(rawValue: "cash-\(request.refund)")))
    }

    /// The drawer remembers nothing; an attempt that was not written as taken was not taken.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        .approved(
            ProviderSnapshot(reference: nil, standing: .notFound, captured: .zero(request.amount.currency)))
    }
}
