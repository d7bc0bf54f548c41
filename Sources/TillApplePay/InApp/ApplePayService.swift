public import TillCore

/// Takes one payment with Apple Pay: asks whether the device can, shows the sheet, answers its questions, and gives up
/// if the customer does and it is not too late.
@MainActor public final class ApplePayService: PaymentSheetDelegate {
    /// Looks a coupon up for a basket.
    public typealias CouponLookup = @Sendable (String, SheetBasket) async -> Result<SheetBasket.Coupon, SheetError>

    private let presenter: any PaymentSheetPresenter
    private let factory: ApplePayPaymentRequestFactory
    private let area: DeliveryArea
    private let lookup: CouponLookup
    private var handler: ApplePayPaymentHandler?
    private var end: CheckedContinuation<Void, Never>?
    private var isSheetOpen = false

    /// A service that presents one sheet at a time.
    /// - Parameters:
    ///   - area: where is delivered to.
    ///   - lookup: what a coupon is worth.
    public init(
        presenter: any PaymentSheetPresenter, factory: ApplePayPaymentRequestFactory, area: DeliveryArea,
        lookup: @escaping CouponLookup = { _, _ in
            .failure(SheetError(.couponCodeInvalid, nil, "We do not know this coupon."))
        }
    ) {
        self.presenter = presenter
        self.factory = factory
        self.area = area
        self.lookup = lookup
    }

    /// Whether the button is shown, and which.
    public var availability: ApplePayAvailability { presenter.availability(networks: factory.supportedNetworks) }

    /// Pays. Returns when it is over: placed, given up, or not known.
    /// - Throws: what preparing throws, ``ApplePayServiceError`` otherwise.
    public func pay(with handler: ApplePayPaymentHandler) async throws -> WalletPaymentState {
        guard self.handler == nil else { throw ApplePayServiceError.busy }
        guard availability == .available else { throw ApplePayServiceError.unavailable }
        self.handler = handler
        defer { self.handler = nil }
        guard let basket = try await handler.prepare() else { return await handler.state }
        let request = try factory.request(for: basket)
        isSheetOpen = true
        guard await presenter.present(request, delegate: self) else {
            isSheetOpen = false
            _ = await handler.cancel()
            throw ApplePayServiceError.notPresented
        }
        if isSheetOpen { await withCheckedContinuation { end = $0 } }
        _ = await handler.cancel()
        // A token that is on its way when the sheet is gone is waited for: it may be paid.
        for await state in await handler.states() where state.isFinal { return state }
        return await handler.state
    }

    /// Gives up, if it is not too late. The sheet goes away when it worked.
    public func cancel() async -> Bool {
        guard let handler, await handler.cancel() else { return false }
        await presenter.dismiss()
        await finished()
        return true
    }

    // MARK: The sheet's questions

    /// Says whether the chosen area is delivered to; the price stays.
    public func selected(contact: RedactedContact) async -> PaymentSheetUpdate {
        let country = contact.countryCode.isEmpty ? factory.countryCode : contact.countryCode
        let answer = area.delivers(to: contact.postalCode, country: country)
        let refuses = await handler?.basket.service == .delivery && answer == .no
        return await update(
            errors: refuses
                ? [SheetError(.addressUnserviceable, .postalCode, "We do not deliver to this postcode.")] : []
        ) { _ in }
    }

    /// Changes the basket's way to ship.
    public func selected(shippingMethod identifier: String) async -> PaymentSheetUpdate {
        await update { _ = $0.choose(shippingMethod: identifier) }
    }

    /// Notes the kind of card, which may move the price.
    public func selected(isCredit: Bool) async -> PaymentSheetUpdate {
        await update { $0.pay(byCredit: isCredit) }
    }

    /// Looks a coupon up; one that is not valid removes an earlier one.
    public func entered(coupon: String) async -> PaymentSheetUpdate {
        let code = coupon.uppercased().filter { !$0.isWhitespace }
        guard !code.isEmpty, let basket = await handler?.basket else { return await update { $0.apply(nil) } }
        switch await lookup(code, basket) {
        case .success(let coupon): return await update { $0.apply(coupon) }
        case .failure(let error): return await update(errors: [error]) { $0.apply(nil) }
        }
    }

    /// Checks the whole address and sends the token, once.
    public func authorized(_ payment: AuthorizedWalletPayment) async -> PaymentSheetResult {
        guard let handler else { return .failure([]) }
        if await handler.basket.service == .delivery,
            area.delivers(to: payment.shipping.postalCode ?? "", country: payment.shipping.countryCode ?? "") != .yes,
            payment.shipping.postalCode != nil
        {
            return .failure([SheetError(.addressUnserviceable, .postalCode, "We do not deliver to this postcode.")])
        }
        switch await handler.submit(payment) {
        case .placed, .pending: return .success
        case .refused(let errors): return .failure(errors)
        case .idle, .preparing, .prepared, .submitting, .canceled: return .failure([])
        }
    }

    /// The sheet is gone: what was not sent is given up, what was sent is waited for.
    public func finished() async {
        isSheetOpen = false
        end?.resume()
        end = nil
    }

    private func update(
        errors: [SheetError] = [], _ change: @escaping @Sendable (inout SheetBasket) -> Void
    ) async -> PaymentSheetUpdate {
        guard let basket = await handler?.change(change), let items = try? factory.summaryItems(for: basket) else {
            return PaymentSheetUpdate(
                items: [], errors: [SheetError(.unknown, nil, "The basket cannot be changed any more.")])
        }
        return PaymentSheetUpdate(items: items, shippingMethods: basket.shippingMethods, errors: errors)
    }
}

/// Why a sheet was not shown. Nothing was charged.
public enum ApplePayServiceError: ExplainedError, Hashable {
    /// Another payment has its sheet open.
    case busy
    /// The device cannot pay.
    case unavailable
    /// The system did not show the sheet.
    case notPresented

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch self {
        case .busy: "sheet_busy"
        case .unavailable: "apple_pay_unavailable"
        case .notPresented: "sheet_not_presented"
        }
    }
    /// Why Apple Pay cannot be offered.
    public var what: String {
        switch self {
        case .busy: "Another payment is being made."
        case .unavailable: "This device cannot pay with Apple Pay."
        case .notPresented: "The payment sheet could not be shown."
        }
    }
    /// No: nothing was sent.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String {
        switch self {
        case .busy: "Finish or cancel it first."
        case .unavailable, .notPresented: "Pay another way."
        }
    }
}
