import TillCore

/// The app's own checkout screens.
@MainActor public protocol StandardCheckout: AnyObject, Sendable {
    /// Guides the customer through the checkout.
    func pay(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> WalletPaymentState
}

/// Both checkouts behind one interface: sets up each, offers Apple Pay first where available, and runs one payment at a
/// time.
///
/// ```swift
/// let state = try await flow.pay(basket, by: .applePay) { state in
///     print("Step \(state.completedUnits) of 4")
/// }
/// switch state {
/// case .placed(let order): print("\(order.id) is paid: \(order.amount)")
/// case .pending: print("Query the order; do not pay again.")
/// default: print("Not paid.")
/// }
/// ```
@MainActor public final class PaymentFlowController {
    /// A payment method.
    public enum Method: Hashable, Sendable {
        /// Pays with the wallet.
        case applePay
        /// The app's own screens.
        case standard
    }

    private let service: ApplePayService
    private let standard: any StandardCheckout
    private let checkout: any CheckoutService
    private let backend: any PaymentBackend
    private var isPaying = false

    /// Creates a controller from its parts.
    public init(
        service: ApplePayService, standard: any StandardCheckout, checkout: any CheckoutService,
        backend: any PaymentBackend
    ) {
        self.service = service
        self.standard = standard
        self.checkout = checkout
        self.backend = backend
    }

    /// Available methods in display order. None requires signing in.
    public var methods: [Method] { service.availability == .available ? [.applePay, .standard] : [.standard] }

    /// Pays for a basket. `onState` receives each state of a wallet payment.
    /// - Throws: ``ApplePayServiceError/busy`` while another payment runs, or the checkout's errors.
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

    /// Cancels the payment unless the token was already sent.
    public func cancel() async -> Bool { await service.cancel() }
}
