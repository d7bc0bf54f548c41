import TillCore

/// Where a payment is. After ``submitting`` there is no return: what was sent may have been done.
public enum WalletPaymentState: Hashable, Sendable {
    /// No sheet was opened yet.
    case idle
    /// The back end prepares the order.
    case preparing
    /// The sheet may be shown.
    case prepared
    /// The token is on its way.
    case submitting
    /// The order was placed and its payment succeeded.
    case placed(PlacedOrder)
    /// Certainly not paid; the sheet may be tried again.
    case refused([SheetError])
    /// Not known: the order must be looked up, and nothing paid again.
    case pending
    /// Given up before anything was sent.
    case canceled

    /// Whether giving up still has an effect.
    public var canCancel: Bool {
        switch self {
        case .idle, .preparing, .prepared, .refused: true
        case .submitting, .placed, .pending, .canceled: false
        }
    }

    /// No other state follows in this sheet.
    public var isFinal: Bool {
        switch self {
        case .placed, .pending, .canceled: true
        case .idle, .preparing, .prepared, .submitting, .refused: false
        }
    }

    /// Steps that are done, of four; for a bar.
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

/// One payment from its start to its end. An actor: however many ask at once, the token is sent once.
public actor ApplePayPaymentHandler {
    /// Where the payment is.
    public private(set) var state = WalletPaymentState.idle
    /// The basket as the back end has it, with what the sheet changed.
    public private(set) var basket: SheetBasket

    private let details: CheckoutDetails
    private let checkout: any CheckoutService
    private let backend: any PaymentBackend
    private var watchers: [Int: AsyncStream<WalletPaymentState>.Continuation] = [:]
    private var nextWatcher = 0

    /// A handler of one payment.
    public init(
        basket: SheetBasket, details: CheckoutDetails = CheckoutDetails(), checkout: any CheckoutService,
        backend: any PaymentBackend
    ) {
        self.basket = basket
        self.details = details
        self.checkout = checkout
        self.backend = backend
    }

    /// The states from now on, the present one first; ends after the last.
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
    /// - Returns: the basket to show; `nil` if the payment was given up meanwhile or is past this point.
    /// - Throws: what the service throws; the payment can be prepared again.
    public func prepare() async throws -> SheetBasket? {
        guard state == .idle || state == .prepared else { return nil }
        become(.preparing)
        do {
            let prepared = try await checkout.prepare(basket, details)
            guard state == .preparing else { return nil }
            basket = prepared
            become(.prepared)
            return prepared
        } catch {
            if state == .preparing { become(.idle) }
            throw error
        }
    }

    /// Changes the basket as the sheet asks; without effect once the token is on its way.
    public func change(_ body: @Sendable (inout SheetBasket) -> Void) -> SheetBasket {
        switch state {
        case .prepared, .refused: body(&basket)
        case .idle, .preparing, .submitting, .placed, .pending, .canceled: break
        }
        return basket
    }

    /// Sends the token and waits for the order. A second call while the first is under way changes nothing.
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

    /// Gives the payment up, if it is not too late.
    /// - Returns: whether it was given up; `false`: it goes on, or was over already.
    public func cancel() -> Bool {
        guard state.canCancel else { return false }
        become(.canceled)
        return true
    }

    /// Goods go to the shipping contact; a name, phone or e-mail that it lacks is the payer's.
    private static func contact(
        of payment: AuthorizedWalletPayment, for basket: SheetBasket
    ) throws(FullContact.Incomplete) -> FullContact {
        let merged = WalletContact.merging(billing: payment.billing, shipping: payment.shipping)
        var shipping = payment.shipping
        if shipping.givenName == nil, shipping.familyName == nil {
            shipping.givenName = merged.givenName
            shipping.familyName = merged.familyName
        }
        shipping.emailAddress = merged.emailAddress
        shipping.phoneNumber = merged.phoneNumber
        return try FullContact(shipping, needsAddress: basket.service == .delivery)
    }
}
