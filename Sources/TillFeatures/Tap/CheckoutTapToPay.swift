public import Foundation
public import TillCheckout
public import TillCore
public import TillTapToPay

/// Taps through the payment engine: the payment is in the journal before its card is read, the attempt before the
/// provider is called, and an uncertain outcome is `unknown` with an owner that resolves it.
public struct CheckoutTapToPay: TapToPayService.PaymentServiceProvider {
    private let checkout: Checkout
    private let account: AccountID
    private let provider: ProviderName
    private let reader: String
    private let token: @Sendable () async throws -> String
    private let order: @Sendable () -> OrderID
    private let read: @Sendable (PaymentCardReadResult, String?) async -> Void

    /// Creates a tap provider over an engine.
    /// - Parameters:
    ///   - provider: The provider that moves the money.
    ///   - reader: The reader's name on the receipt.
    ///   - order: Returns the next order's ID.
    ///   - failedRead: Receives the result of a failed read.
    ///   - token: Returns reader tokens.
    public init(
        checkout: Checkout, account: AccountID = .main, provider: ProviderName, reader: String = "tap",
        order: @escaping @Sendable () -> OrderID,
        failedRead: @escaping @Sendable (PaymentCardReadResult, String?) async -> Void = { _, _ in },
        token: @escaping @Sendable () async throws -> String
    ) {
        (self.checkout, self.account, self.provider, self.reader) = (checkout, account, provider, reader)
        (self.order, self.token, read) = (order, token, failedRead)
    }

    /// Returns a token from the configured source.
    public func fetchReaderToken() async throws -> String { try await token() }

    /// Creates a payment for the next order, after checking that the provider can represent the amount.
    public func openPayment(_ amount: Money) async throws -> String? {
        try checkout.checkAmount(amount, provider: provider)
        let order = try Order(id: order(), amount: amount, description: "Tap")
        return try await checkout.create(
            checkout.draft(account: account, order: order, captureMode: .automatic)
        ).id.rawValue
    }

    /// Confirms the payment with the reader's encrypted card data.
    public func processPayment(
        _ card: PaymentCardReadResult, amount: Money, payment: String?
    ) async throws -> TapToPayService.PaymentResult {
        guard let payment, let sealed = card.paymentCardData else { throw TapToPayError.noCardData }
        let done = try await checkout.confirm(
            PaymentID(rawValue: payment), account: account, provider: provider,
            tender: .cardPresent(CardPresentPayload(reader: reader, sealed: Secret(sealed), card: card.card)))
        return TapToPayService.PaymentResult(done)
    }

    /// Closes the payment; no money was requested.
    public func closePayment(_ payment: String, reason: String) async {
        _ = try? await checkout.cancel(PaymentID(rawValue: payment), account: account, reason: reason)
    }

    public func forwardFailedRead(_ card: PaymentCardReadResult, payment: String?) async { await read(card, payment) }

    /// Refunds a payment to the card that paid it.
    public func processRefund(
        _ card: PaymentCardReadResult, amount: Money, payment: String?
    ) async throws -> TapToPayService.RefundResult {
        guard let payment else {
            return .init(status: .declined, message: "the payment to refund was not named")
        }
        let id = PaymentID(rawValue: payment)
        let paid = try await checkout.payment(id, account: account)
        let used = paid.attempts.last(where: { $0.authorization != nil })?.tender.card
        guard let used, let shown = card.card, used.lastFour == shown.lastFour else {
            return .init(
                status: .declined, payment: payment, message: "this is not the card that paid", card: card.card)
        }
        let refunded: Payment
        do { refunded = try await checkout.refund(id, account: account, amount: amount, reason: "card_present") } catch
        {
            guard case .refused = error else { throw error }
            return .init(status: .declined, payment: payment, message: error.what, card: card.card)
        }
        return .init(refundOf: refunded, card: card.card)
    }

    /// Confirms a payment that was not opened before: opens it first.
    public func processPayment(
        cardData: String, amount: Decimal, currency: String
    ) async throws -> TapToPayService.PaymentResult {
        let money = try Money(exactly: amount, currencyCode: currency)
        let payment = try await openPayment(money)
        return try await processPayment(
            PaymentCardReadResult(id: payment ?? "", paymentCardData: cardData), amount: money, payment: payment)
    }

    /// Declines, since a refund requires its payment here.
    public func processRefund(
        cardData: String, amount: Decimal, currency: String
    ) async throws -> TapToPayService.RefundResult {
        .init(status: .declined, message: "the payment to refund was not named")
    }
}

extension TapToPayService.PaymentResult {
    /// Creates the result of a payment's current state.
    package init(_ payment: Payment) {
        let attempt = payment.attempts.last
        var status = Status.unknown
        var message: String?
        switch attempt?.state {
        case .authorized: status = .approved
        case .declined(let decline): (status, message) = (.declined, decline.message ?? decline.code)
        case .notSent(let reason): (status, message) = (.declined, "the provider was not reached: \(reason)")
        case .voided, .expired: status = .declined
        case .inFlight, nil: break
        case .requiresAction: message = "the bank wants something of the customer"
        case .stored: message = "stored on this device, not authorized"
        case .unknown(let unknown): message = unknown.reason.sentence
        }
        self.init(status: status, payment: payment.id.rawValue, message: message, card: attempt?.tender.card)
    }

    /// Creates the result of a payment's latest refund.
    package init(refundOf payment: Payment, card: CardSummary?) {
        var status = Status.unknown
        var message: String?
        switch payment.refunds.last?.state {
        case .succeeded: status = .approved
        case .refused(let decline), .reversed(_, let decline):
            (status, message) = (.declined, decline.message ?? decline.code)
        case .unknown(let unknown): message = unknown.reason.sentence
        case .inFlight, .deferred, nil: break
        }
        self.init(status: status, payment: payment.id.rawValue, message: message, card: card)
    }
}
