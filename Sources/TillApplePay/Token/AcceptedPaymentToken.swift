import Crypto
public import TillCore

/// The merchant's expectations of a token.
public struct PaymentTokenExpectation: Sendable {
    /// The amount shown to the customer.
    public var amount: Money
    /// The merchant that the token must be encrypted for.
    public var merchant: MerchantIDHash
    /// The request's application data, decoded; the token must contain its hash. `nil`: the request had none, and a
    /// token that has some belongs to another request.
    public var applicationData: [UInt8]?
    /// The order or basket, with its version: identifies the payment in the replay store.
    public var order: String
    /// The parts of other merchants, if the request had any; a token with parts that were not asked for is refused.
    public var parts: [String: Money]

    /// Creates the set of values that a token must be bound to.
    public init(
        amount: Money, merchant: MerchantIDHash, applicationData: [UInt8]?, order: String, parts: [String: Money] = [:]
    ) {
        self.amount = amount
        self.merchant = merchant
        self.applicationData = applicationData
        self.order = order
        self.parts = parts
    }
}

/// A token that pays exactly this order and was not used before. Only this type may be charged.
public struct AcceptedPaymentToken: Sendable {
    public let token: DecryptedPaymentToken
    /// The order it was accepted for.
    public let order: String

    /// The decrypted payload.
    public var payload: PaymentTokenPayload { token.payload }
}

/// A token of this order's sheet that was not used before, still encrypted: the party that decrypts it verifies its
/// amount and card. Only this type may be passed to a provider that decrypts tokens itself.
public struct AcceptedSealedToken: Sendable {
    /// The verified token, which only the provider can decrypt.
    public let token: VerifiedPaymentToken
    /// The order it was accepted for.
    public let order: String
}

extension VerifiedPaymentToken {
    /// Accepts a token that the provider will decrypt: it must be bound to the request, and the transaction must be
    /// new.
    /// - Parameters:
    ///   - order: identifies the payment in the replay store.
    ///   - applicationData: the request's, decoded. Without it nothing would bind the token to the order.
    ///   - window: the time for which a signature counts as fresh.
    /// - Throws: ``PaymentTokenError`` at ``PaymentTokenStep/applicationData`` or ``PaymentTokenStep/replay``.
    public func acceptSealed(
        for order: String, applicationData: [UInt8], replay: any ReplayStore,
        window: Span = PaymentTokenVerifier.signingWindow
    ) async throws(PaymentTokenError) -> AcceptedSealedToken {
        try checkApplicationData(applicationData)
        let until = signingTime.adding(.milliseconds(window.milliseconds)).adding(.hours(1))
        guard await replay.reserve(transactionID, for: order, until: until) else {
            throw PaymentTokenError(.replay, "replayed", "The token was used for a payment before.")
        }
        return AcceptedSealedToken(token: self, order: order)
    }
}

extension VerifiedPaymentToken {
    /// Verifies the hash of the request's application data, which is available before decryption.
    public func checkApplicationData(_ expected: [UInt8]?) throws(PaymentTokenError) {
        try TillApplePay.checkApplicationData(applicationDataHash, expected)
    }
}

extension DecryptedPaymentToken {
    /// Verifies the hash of the request's application data.
    public func checkApplicationData(_ expected: [UInt8]?) throws(PaymentTokenError) {
        try TillApplePay.checkApplicationData(applicationDataHash, expected)
    }

    /// Accepts the token for an order: merchant, application data, amount, currency and parts must match those shown to
    /// the customer, and the transaction must be new. The transaction is reserved last, before anything is charged.
    /// - Parameter window: the time for which a signature counts as fresh; the transaction is remembered for one hour
    ///   longer.
    /// - Throws: ``PaymentTokenError`` at ``PaymentTokenStep/order``, ``PaymentTokenStep/applicationData`` or
    ///   ``PaymentTokenStep/replay``.
    public func accept(
        for expectation: PaymentTokenExpectation, replay: any ReplayStore,
        window: Span = PaymentTokenVerifier.signingWindow
    ) async throws(PaymentTokenError) -> AcceptedPaymentToken {
        guard merchant == expectation.merchant else {
            throw PaymentTokenError(.order, "merchant", "The token is for another merchant.")
        }
        try checkApplicationData(expectation.applicationData)
        guard payload.amount.currency == expectation.amount.currency else {
            throw PaymentTokenError(
                .order, "currency",
                "The token is in \(payload.amount.currency.code), the order in \(expectation.amount.currency.code).")
        }
        guard payload.amount == expectation.amount else {
            throw PaymentTokenError(
                .order, "amount", "The token is for \(payload.amount), the order for \(expectation.amount).")
        }
        try checkParts(expectation.parts)
        let until = signingTime.adding(.milliseconds(window.milliseconds)).adding(.hours(1))
        guard await replay.reserve(transactionID, for: expectation.order, until: until) else {
            throw PaymentTokenError(.replay, "replayed", "The token was used for a payment before.")
        }
        return AcceptedPaymentToken(token: self, order: expectation.order)
    }

    private func checkParts(_ expected: [String: Money]) throws(PaymentTokenError) {
        guard !expected.isEmpty else {
            // Their merchants would charge parts of an amount that is charged here in full.
            guard payload.authenticationResponses.isEmpty else {
                throw PaymentTokenError(
                    .order, "parts_unexpected", "The token has parts for other merchants, and the order has none.",
                    next: "Ask for the token without multiTokenContexts, and let the customer pay each merchant in a "
                        + "sheet of its own.")
            }
            return
        }
        let given = Dictionary(
            payload.authenticationResponses.map { ($0.merchantIdentifier, $0.amount) },
            uniquingKeysWith: { _, _ in nil })
        guard given.count == expected.count, expected.allSatisfy({ given[$0.key] == .some($0.value) }) else {
            throw PaymentTokenError(.order, "parts", "The token's parts for other merchants are not the order's.")
        }
    }
}

private func checkApplicationData(_ hash: [UInt8]?, _ expected: [UInt8]?) throws(PaymentTokenError) {
    switch (hash, expected) {
    case (nil, nil): return
    case (nil, _?):
        throw PaymentTokenError(
            .applicationData, "application_data_missing",
            "The request had application data, and the token is bound to none.")
    case (_?, nil):
        throw PaymentTokenError(
            .applicationData, "application_data_unexpected",
            "The token is bound to application data, and the request had none.")
    case (let hash?, let expected?):
        guard equalInConstantTime(hash, Array(SHA256.hash(data: expected))) else {
            throw PaymentTokenError(
                .applicationData, "application_data", "The token is bound to other application data.")
        }
    }
}
