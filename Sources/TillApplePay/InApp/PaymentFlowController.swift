import TillCore

/// The app's own checkout, with whatever screens it has.
@MainActor public protocol StandardCheckout: AnyObject, Sendable {
    /// Takes the customer through it.
    func pay(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> WalletPaymentState
}

/// Both checkouts behind one face: builds what each needs, offers Apple Pay first where the device has it, and lets one
/// payment run at a time.
@MainActor public final class PaymentFlowController {
    /// A way to pay.
    public enum Method: Hashable, Sendable {
        /// The order is paid with the wallet.
        case applePay
        /// The app's own screens.
        case standard
    }

    private let service: ApplePayService
    private let standard: any StandardCheckout
    private let checkout: any CheckoutService
    private let backend: any PaymentBackend
    private var isPaying = false

    /// Puts the parts together.
    public init(
        service: ApplePayService, standard: any StandardCheckout, checkout: any CheckoutService,
        backend: any PaymentBackend
    ) {
        self.service = service
        self.standard = standard
        self.checkout = checkout
        self.backend = backend
    }

    /// The ways to offer, in the order in which to show them. Signing in is asked for by none.
    public var methods: [Method] { service.availability == .available ? [.applePay, .standard] : [.standard] }

    /// Pays a basket. `onState` receives each state of a wallet's payment.
    /// - Throws: ``ApplePayServiceError/busy`` while another payment runs, or what the checkout throws.
    public func pay(
        _ basket: SheetBasket, by method: Method, details: CheckoutDetails = CheckoutDetails(),
        onState: @escaping @MainActor (WalletPaymentState) -> Void = { _ in }
    ) async throws -> WalletPaymentState {
        guard !isPaying else { throw ApplePayServiceError.busy }
        isPaying = true
        defer { isPaying = false }
        switch method {
        case .standard: return try await standard.pay(basket, details)
        case .applePay:
            let handler = ApplePayPaymentHandler(
                basket: basket, details: details, checkout: checkout, backend: backend)
            let states = await handler.states()
            let watching = Task { @MainActor in for await state in states { onState(state) } }
            do {
                let state = try await service.pay(with: handler)
                await watching.value
                return state
            } catch {
                watching.cancel()
                throw error
            }
        }
    }

    /// Gives the payment up, if it is not too late.
    public func cancel() async -> Bool { await service.cancel() }
}
