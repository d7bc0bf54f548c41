public import TillCore

/// Takes one payment with Apple Pay: checks availability, presents the sheet, handles its callbacks, and cancels on the
/// customer's request unless the token was already sent.
@MainActor public final class ApplePayService: PaymentSheetDelegate {
    /// Resolves a coupon code for a basket.
    public typealias CouponLookup = @Sendable (String, SheetBasket) async -> Result<SheetBasket.Coupon, SheetError>

    private let presenter: any PaymentSheetPresenter
    private let factory: ApplePayPaymentRequestFactory
    private let area: DeliveryArea?
    private let lookup: CouponLookup
    private var handler: ApplePayPaymentHandler?
    private var end: CheckedContinuation<Void, Never>?
    private var isSheetOpen = false

    /// Creates a service that presents one sheet at a time.
    /// - Parameters:
    ///   - area: the delivery area; `nil` if the back end answers the sheet's questions.
    ///   - lookup: resolves a coupon code to its discount, unless the back end does.
    public init(
        presenter: any PaymentSheetPresenter, factory: ApplePayPaymentRequestFactory, area: DeliveryArea? = nil,
        lookup: @escaping CouponLookup = { _, _ in
            .failure(SheetError(.couponCodeInvalid, nil, "We do not know this coupon."))
        }
    ) {
        self.presenter = presenter
        self.factory = factory
        self.area = area
        self.lookup = lookup
    }

    /// The availability of Apple Pay, which determines the button to show.
    public var availability: ApplePayAvailability { presenter.availability(networks: factory.supportedNetworks) }

    /// Takes a payment. Returns in a final state: placed, canceled or pending.
    /// - Throws: errors of preparing the order, ``ApplePayServiceError`` otherwise.
    public func pay(with handler: ApplePayPaymentHandler) async throws -> WalletPaymentState {
        guard self.handler == nil else { throw ApplePayServiceError.busy }
        guard availability == .available else { throw ApplePayServiceError.unavailable }
        self.handler = handler
        defer { self.handler = nil }
        guard let basket = try await handler.prepare() else { return await handler.state }
        let request = try factory.request(for: basket, applicationData: await handler.applicationData)
        isSheetOpen = true
        guard await presenter.present(request, delegate: self) else {
            isSheetOpen = false
            _ = await handler.cancel()
            throw ApplePayServiceError.notPresented
        }
        if isSheetOpen { await withCheckedContinuation { end = $0 } }
        _ = await handler.cancel()
        // If the sheet closes while the token is being sent, wait for the outcome: it may be paid. Without a sheet a
        // refusal is the end, too.
        for await state in await handler.states() {
            if case .refused = state { _ = await handler.cancel() }
            if state.isFinal { return state }
        }
        return await handler.state
    }

    /// Cancels unless the token was already sent. On success the sheet is dismissed.
    public func cancel() async -> Bool {
        guard let handler, await handler.cancel() else { return false }
        await presenter.dismiss()
        await finished()
        return true
    }

    // MARK: The sheet's questions

    /// Checks that the selected area is deliverable.
    public func selected(contact: RedactedContact) async -> PaymentSheetUpdate {
        if let update = await answered(.contact(contact)) { return update }
        guard let area else { return await update { _ in } }
        let country = contact.countryCode.isEmpty ? factory.countryCode : contact.countryCode
        let answer = area.delivers(to: contact.postalCode, country: country)
        guard await handler?.basket.service == .delivery else { return await update { _ in } }
        let refusal = answer.refusal(of: contact.postalCode, isComplete: false)
        return await update(errors: refusal.map { [$0] } ?? []) { _ in }
    }

    /// Changes the basket's shipping method.
    public func selected(shippingMethod identifier: String) async -> PaymentSheetUpdate {
        if let update = await answered(.shippingMethod(identifier)) { return update }
        return await update { _ = $0.choose(shippingMethod: identifier) }
    }

    /// Records the kind of card, which may change the price.
    public func selected(isCredit: Bool) async -> PaymentSheetUpdate {
        if let update = await answered(.card(isCredit: isCredit)) { return update }
        return await update { $0.pay(byCredit: isCredit) }
    }

    /// Looks up a coupon; an invalid one removes an earlier one.
    public func entered(coupon: String) async -> PaymentSheetUpdate {
        let code = coupon.uppercased().filter { !$0.isWhitespace }
        if let update = await answered(.coupon(code)) { return update }
        guard !code.isEmpty, let basket = await handler?.basket else { return await update { $0.apply(nil) } }
        switch await lookup(code, basket) {
        case .success(let coupon): return await update { $0.apply(coupon) }
        case .failure(let error): return await update(errors: [error]) { $0.apply(nil) }
        }
    }

    /// Validates the complete address and sends the token, once.
    public func authorized(_ payment: AuthorizedWalletPayment) async -> PaymentSheetResult {
        guard let handler else { return .failure([]) }
        if let area, await handler.basket.service == .delivery, let refusal = refusal(of: payment.shipping, by: area) {
            return .failure([refusal])
        }
        switch await handler.submit(payment) {
        case .placed, .pending: return .success
        case .refused(let errors): return .failure(errors)
        case .idle, .preparing, .prepared, .submitting, .canceled: return .failure([])
        }
    }

    /// Returns the error for a complete address outside the area; `nil` inside it, and for an address that lacks a
    /// postcode which its country has, because that is named with everything else that is missing.
    private func refusal(of contact: WalletContact, by area: DeliveryArea) -> SheetError? {
        guard contact.postalCode != nil || !AddressNeeds(of: contact.countryCode).postalCode else { return nil }
        let code = contact.postalCode ?? ""
        return area.delivers(to: code, country: contact.countryCode ?? "").refusal(of: code, isComplete: true)
    }

    /// Handles the closed sheet: an unsent payment is canceled, a sent one is awaited.
    public func finished() async {
        isSheetOpen = false
        end?.resume()
        end = nil
    }

    /// Asks the back end; `nil` if it leaves the price to the app.
    private func answered(_ selection: SheetSelection) async -> PaymentSheetUpdate? {
        guard let revision = await handler?.select(selection) else { return nil }
        return await update(errors: revision.errors) { _ in }
    }

    private func update(
        errors: [SheetError] = [], _ change: @escaping @Sendable (inout SheetBasket) -> Void
    ) async -> PaymentSheetUpdate {
        guard let basket = await handler?.change(change), let items = try? factory.summaryItems(for: basket) else {
            return PaymentSheetUpdate(
                items: [], errors: [SheetError(.unknown, nil, "The basket cannot be changed any more.")])
        }
        return PaymentSheetUpdate(items: items, shippingMethods: basket.offeredMethods, errors: errors)
    }
}

/// The reason that no sheet was shown. Nothing was charged.
public enum ApplePayServiceError: ExplainedError, Hashable {
    /// The sheet of another payment is open.
    case busy
    /// The device cannot pay with Apple Pay.
    case unavailable
    /// The system did not show the sheet.
    case notPresented

    /// A stable identifier for programs.
    public var code: String {
        switch self {
        case .busy: "sheet_busy"
        case .unavailable: "apple_pay_unavailable"
        case .notPresented: "sheet_not_presented"
        }
    }
    /// The reason that Apple Pay cannot be offered.
    public var what: String {
        switch self {
        case .busy: "Another payment is being made."
        case .unavailable: "This device cannot pay with Apple Pay."
        case .notPresented: "The payment sheet could not be shown."
        }
    }
    /// Always `no`: nothing was sent.
    public var moneyMoved: MoneyMoved { .no }
    /// The recommended next step.
    public var next: String {
        switch self {
        case .busy: "Finish or cancel it first."
        case .unavailable, .notPresented: "Pay another way."
        }
    }
}
