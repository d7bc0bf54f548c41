import TillCore

/// The state of a payment. ``submitting`` cannot be undone: the request may have been processed once it is sent.
public enum WalletPaymentState: Hashable, Sendable {
    /// No sheet was opened yet.
    case idle
    /// The back end is preparing the order.
    case preparing
    /// Ready to show the sheet.
    case prepared
    /// The token is being sent.
    case submitting
    /// The order was placed and its payment succeeded.
    case placed(PlacedOrder)
    /// Certainly not paid; the customer may retry in the sheet.
    case refused([SheetError])
    /// Unknown outcome: query the order, and do not pay again.
    case pending
    /// Canceled before anything was sent.
    case canceled

    /// `true` while the payment can still be canceled.
    public var canCancel: Bool {
        switch self {
        case .idle, .preparing, .prepared, .refused: true
        case .submitting, .placed, .pending, .canceled: false
        }
    }

    /// `true` if no other state follows in this sheet.
    public var isFinal: Bool {
        switch self {
        case .placed, .pending, .canceled: true
        case .idle, .preparing, .prepared, .submitting, .refused: false
        }
    }

    /// Number of completed steps, of four; for a progress bar.
    public var completedUnits: Int {
        switch self {
        case .idle, .canceled: 0
        case .preparing: 1
        case .prepared, .refused: 2
        case .submitting: 3
        case .placed, .pending: 4
        }
    }
}

/// One payment from start to end. An actor: the token is sent once, regardless of concurrent calls.
public actor ApplePayPaymentHandler {
    /// The current state.
    public private(set) var state = WalletPaymentState.idle
    /// The basket prepared by the back end, with changes made in the sheet.
    public private(set) var basket: SheetBasket
    /// The bytes that bind the token to the basket, once the back end has prepared it.
    public private(set) var applicationData: [UInt8]?

    private let details: CheckoutDetails
    private let checkout: any CheckoutService
    private let backend: any PaymentBackend
    private var watchers: [Int: AsyncStream<WalletPaymentState>.Continuation] = [:]
    private var nextWatcher = 0

    /// Creates a handler for one payment.
    public init(
        basket: SheetBasket, details: CheckoutDetails = CheckoutDetails(), checkout: any CheckoutService,
        backend: any PaymentBackend
    ) {
        self.basket = basket
        self.details = details
        self.checkout = checkout
        self.backend = backend
    }

    /// Returns a stream of states, starting with the current one; it ends after the final state.
    public func states() -> AsyncStream<WalletPaymentState> {
        let (stream, continuation) = AsyncStream<WalletPaymentState>.makeStream(bufferingPolicy: .bufferingNewest(16))
        continuation.yield(state)
        guard !state.isFinal else {
            continuation.finish()
            return stream
        }
        let number = nextWatcher
        nextWatcher += 1
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.forget(number) }
        }
        return stream
    }

    private func forget(_ number: Int) { watchers[number] = nil }

    private func become(_ next: WalletPaymentState) {
        state = next
        for watcher in watchers.values {
            watcher.yield(next)
            if next.isFinal { watcher.finish() }
        }
        if next.isFinal { watchers = [:] }
    }

    /// Prepares the order at the back end.
    /// - Returns: the basket to show; `nil` if the payment was canceled meanwhile or is past this point.
    /// - Throws: the service's errors; preparing can be retried.
    public func prepare() async throws -> SheetBasket? {
        guard state == .idle || state == .prepared else { return nil }
        become(.preparing)
        do {
            let prepared = try await checkout.prepare(basket, details)
            guard state == .preparing else { return nil }
            basket = prepared.basket
            applicationData = prepared.applicationData
            become(.prepared)
            return basket
        } catch {
            if state == .preparing { become(.idle) }
            throw error
        }
    }

    /// Changes the basket as requested by the sheet; has no effect once the token is being sent.
    public func change(_ body: @Sendable (inout SheetBasket) -> Void) -> SheetBasket {
        switch state {
        case .prepared, .refused: body(&basket)
        case .idle, .preparing, .submitting, .placed, .pending, .canceled: break
        }
        return basket
    }

    /// Has the back end apply a selection made in the sheet.
    /// - Returns: the present basket and the errors to show; `nil` if the app computes the price itself.
    public func select(_ selection: SheetSelection) async -> SheetRevision? {
        guard let revision = await checkout.select(selection, in: basket) else { return nil }
        switch state {
        case .prepared, .refused:
            // Answers may arrive in another order than they were given.
            if revision.basket.id == basket.id, revision.basket.version >= basket.version { basket = revision.basket }
        case .idle, .preparing, .submitting, .placed, .pending, .canceled: break
        }
        return SheetRevision(basket: basket, errors: revision.errors)
    }

    /// Sends the token and waits for the order. A concurrent second call has no effect.
    public func submit(_ payment: AuthorizedWalletPayment) async -> WalletPaymentState {
        switch state {
        case .prepared, .refused: break
        case .idle, .preparing, .submitting, .placed, .pending, .canceled: return state
        }
        guard !payment.token.reveal().isEmpty else {
            become(.refused([SheetError(.unknown, nil, "The simulator makes no token. Pay with a real device.")]))
            return state
        }
        let contact: FullContact
        do throws(FullContact.Incomplete) {
            contact = try ApplePayPaymentHandler.contact(of: payment, for: basket)
        } catch {
            become(.refused(error.errors))
            return state
        }
        become(.submitting)
        do throws(PaymentBackendError) {
            let order = try await backend.place(
                OrderPlacement(basket: basket, token: payment.token, contact: contact))
            become(.placed(order))
        } catch {
            switch error {
            case .refused(let errors): become(.refused(errors))
            case .unknown: become(.pending)
            }
        }
        return state
    }

    /// Cancels the payment unless the token was already sent.
    /// - Returns: `true` if it was canceled; `false` if it continues or had already ended.
    public func cancel() -> Bool {
        guard state.canCancel else { return false }
        become(.canceled)
        return true
    }

    /// Returns the customer's contact: the shipping contact, completed from the billing contact.
    private static func contact(
        of payment: AuthorizedWalletPayment, for basket: SheetBasket
    ) throws(FullContact.Incomplete) -> FullContact {
        let customer = WalletContact.customer(
            shipping: payment.shipping, billing: payment.billing, service: basket.service)
        return try FullContact(customer, needsAddress: basket.service == .delivery)
    }
}
