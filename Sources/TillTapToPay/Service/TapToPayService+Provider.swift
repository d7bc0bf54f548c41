public import Foundation
public import TillCore

extension TapToPayService {
    /// The provider of reader tokens and processor of sealed card data.
    ///
    /// Only the first three requirements have no default. It is nested in the service because TillCore's
    /// `PaymentServiceProvider`, which moves the money of every tender, has the same name; the other requirements let
    /// an implementation keep Till's order: a payment is recorded before its card is read.
    public protocol PaymentServiceProvider: Sendable {
        /// Returns a reader token for this shop.
        func fetchReaderToken() async throws -> String
        /// Charges the card. An error means that it is unknown whether money moved, unless it is an `ExplainedError`
        /// that states that none did.
        /// - Parameter cardData: sealed; opaque here.
        func processPayment(cardData: String, amount: Decimal, currency: String) async throws -> PaymentResult
        /// Refunds to the card. An error means that it is unknown whether money moved.
        func processRefund(cardData: String, amount: Decimal, currency: String) async throws -> RefundResult

        /// Records a payment before its card is read, and returns its identifier. An error ends the sale before it
        /// begins.
        func openPayment(_ amount: Money) async throws -> String?
        /// Charges the card, with everything that is known of the read.
        func processPayment(
            _ card: PaymentCardReadResult, amount: Money, payment: String?
        ) async throws -> PaymentResult
        /// Closes a payment after its card was not read, or must not be charged: nothing was charged.
        func closePayment(_ payment: String, reason: String) async
        /// Forwards the data of a failed read. The provider wants them; nothing is charged.
        func forwardFailedRead(_ card: PaymentCardReadResult, payment: String?) async
        /// Refunds to the card, with everything that is known of the read.
        func processRefund(
            _ card: PaymentCardReadResult, amount: Money, payment: String?
        ) async throws -> RefundResult
        /// Returns the provider's result for a card that was read without an amount.
        func processVerification(
            _ card: PaymentCardReadResult, reason: PaymentCardVerificationRequest.Reason
        ) async throws -> VerificationResult
    }

    /// The result of a charge.
    public struct PaymentResult: Hashable, Sendable {
        /// The status of a charge. There is no "failed".
        public enum Status: String, Hashable, Sendable {
            /// Paid, or authorized for the shop.
            case approved
            /// The provider declined it: certainly not paid.
            case declined
            /// The outcome is not known yet. The customer must not be charged again.
            case unknown
        }
        public var status: Status
        /// The payment's identifier at the provider or in the journal.
        public var payment: String?
        /// The reason, for the screen.
        public var message: String?
        /// The displayable facts of the card.
        public var card: CardSummary?

        public init(
            status: Status, payment: String? = nil, message: String? = nil, card: CardSummary? = nil
        ) {
            (self.status, self.payment, self.message, self.card) = (status, payment, message, card)
        }

        public var moneyMoved: MoneyMoved {
            switch status {
            case .approved: .yes
            case .declined: .no
            case .unknown: .unknown
            }
        }

        /// A description of the result, the movement of money and the next step.
        public var sentence: String {
            switch status {
            case .approved: "Approved."
            case .declined: "Declined\(message.map { ": \($0)" } ?? "."). No money moved. Ask for another card."
            case .unknown:
                "It is not known yet whether money moved\(message.map { " (\($0))" } ?? ""). "
                    + "Do not charge again; the outcome is being checked."
            }
        }
    }

    /// The result of a refund.
    public typealias RefundResult = PaymentResult

    /// The provider's result for a card that was read without an amount.
    public struct VerificationResult: Hashable, Sendable {
        /// The provider's identifier of the card, if it stores one.
        public var reference: String?
        /// The displayable facts of the card.
        public var card: CardSummary?
        public init(reference: String? = nil, card: CardSummary? = nil) {
            (self.reference, self.card) = (reference, card)
        }
    }
}

extension TapToPayService.PaymentServiceProvider {
    /// Returns nil, for providers that identify a payment only when it is charged.
    public func openPayment(_ amount: Money) async throws -> String? { nil }
    /// Does nothing: no payment was opened.
    public func closePayment(_ payment: String, reason: String) async {}
    /// Does nothing, for providers that do not want the data.
    public func forwardFailedRead(_ card: PaymentCardReadResult, payment: String?) async {}

    /// Charges with the sealed data alone.
    public func processPayment(
        _ card: PaymentCardReadResult, amount: Money, payment: String?
    ) async throws -> TapToPayService.PaymentResult {
        try await processPayment(
            cardData: card.paymentCardData ?? "", amount: PaymentCardTransactionRequest(amount).amount,
            currency: amount.currency.code)
    }

    /// Refunds with the sealed data alone.
    public func processRefund(
        _ card: PaymentCardReadResult, amount: Money, payment: String?
    ) async throws -> TapToPayService.RefundResult {
        try await processRefund(
            cardData: card.paymentCardData ?? "", amount: PaymentCardTransactionRequest(amount).amount,
            currency: amount.currency.code)
    }

    /// Returns the reader's own facts of the card.
    public func processVerification(
        _ card: PaymentCardReadResult, reason: PaymentCardVerificationRequest.Reason
    ) async throws -> TapToPayService.VerificationResult { TapToPayService.VerificationResult(card: card.card) }
}
