public import Foundation
public import TillCore

extension TapToPayService {
    /// Who gives reader tokens and takes what readers seal.
    ///
    /// The first three are all that must be written. It is named inside the service because TillCore's
    /// `PaymentServiceProvider`, which moves the money of every tender, has the same name; the others let an
    /// implementation keep the house's order: a payment is written before its card is read.
    public protocol PaymentServiceProvider: Sendable {
        /// A reader token for this shop.
        func fetchReaderToken() async throws -> String
        /// Asks for the money. A throw means that nobody knows whether money moved, unless it is an
        /// `ExplainedError` that says that none did.
        /// - Parameter cardData: sealed; opaque here.
        func processPayment(cardData: String, amount: Decimal, currency: String) async throws -> PaymentResult
        /// Gives money back to the card. A throw means that nobody knows whether money moved.
        func processRefund(cardData: String, amount: Decimal, currency: String) async throws -> RefundResult

        /// Writes a payment before its card is read, and gives its name. A throw ends the sale before it begins.
        func openPayment(_ amount: Money) async throws -> String?
        /// As the one above, with everything that is known of the read.
        func processPayment(
            _ card: PaymentCardReadResult, amount: Money, payment: String?
        ) async throws -> PaymentResult
        /// The card was not read, or must not be charged: no money was asked for.
        func closePayment(_ payment: String, reason: String) async
        /// A read that failed gave data nevertheless. The provider wants them; no money is asked for.
        func forwardFailedRead(_ card: PaymentCardReadResult, payment: String?) async
        /// As the one above, for a payment.
        func processRefund(
            _ card: PaymentCardReadResult, amount: Money, payment: String?
        ) async throws -> RefundResult
        /// What a card that was read without an amount is to the provider.
        func processVerification(
            _ card: PaymentCardReadResult, reason: PaymentCardVerificationRequest.Reason
        ) async throws -> VerificationResult
    }

    /// What came of asking for the money.
    public struct PaymentResult: Hashable, Sendable {
        /// How it ended. There is no "failed".
        public enum Status: String, Hashable, Sendable {
            /// Paid, or held for the shop.
            case approved
            /// The provider refused it: certainly not paid.
            case declined
            /// Nobody knows yet. The customer must not be charged again.
            case unknown
        }
        public var status: Status
        /// The payment's name at the provider or in the journal.
        public var payment: String?
        /// Why, for the screen.
        public var message: String?
        /// What may be shown of the card.
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

        /// What happened, whether money moved, what to do next.
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

    /// What came of giving money back.
    public typealias RefundResult = PaymentResult

    /// What a card that was read without an amount is to the provider.
    public struct VerificationResult: Hashable, Sendable {
        /// The provider's name for the card, if it keeps one.
        public var reference: String?
        /// What may be shown of the card.
        public var card: CardSummary?
        public init(reference: String? = nil, card: CardSummary? = nil) {
            (self.reference, self.card) = (reference, card)
        }
    }
}

extension TapToPayService.PaymentServiceProvider {
    /// Providers that name a payment only when it is asked for.
    public func openPayment(_ amount: Money) async throws -> String? { nil }
    /// Nothing was opened, nothing is closed.
    public func closePayment(_ payment: String, reason: String) async {}
    /// Providers that do not want them.
    public func forwardFailedRead(_ card: PaymentCardReadResult, payment: String?) async {}

    /// With the sealed data alone.
    public func processPayment(
        _ card: PaymentCardReadResult, amount: Money, payment: String?
    ) async throws -> TapToPayService.PaymentResult {
        try await processPayment(
            cardData: card.paymentCardData ?? "", amount: PaymentCardTransactionRequest(amount).amount,
            currency: amount.currency.code)
    }

    /// With the sealed data alone.
    public func processRefund(
        _ card: PaymentCardReadResult, amount: Money, payment: String?
    ) async throws -> TapToPayService.RefundResult {
        try await processRefund(
            cardData: card.paymentCardData ?? "", amount: PaymentCardTransactionRequest(amount).amount,
            currency: amount.currency.code)
    }

    /// What the reader may report.
    public func processVerification(
        _ card: PaymentCardReadResult, reason: PaymentCardVerificationRequest.Reason
    ) async throws -> TapToPayService.VerificationResult { TapToPayService.VerificationResult(card: card.card) }
}
