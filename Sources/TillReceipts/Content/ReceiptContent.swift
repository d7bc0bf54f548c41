public import Foundation
public import TillCore

/// Everything a receipt says, typed and not yet written out. ``ReceiptDocument`` lays it out, and the renderers turn
/// that into a page, text, a printer's bytes or a picture.
public struct ReceiptContent: Hashable, Sendable {
    /// Most lines that are printed; an order has no more.
    public static let maximumLines = 2_000

    /// One refund of the payment, asked for and not necessarily decided.
    public struct Refund: Hashable, Sendable {
        /// Whether the money has left the shop.
        public enum Standing: String, Hashable, Sendable {
            /// Asked for; the provider has not decided, so no receipt says that it went back.
            case pending
            /// The money went back.
            case succeeded
            /// It certainly did not.
            case failed
        }
        /// The refund's name in the journal.
        public let id: RefundID
        /// What is to go back, above zero, in the payment's currency.
        public let amount: Money
        /// Why, in the shop's words; `nil` if nobody gave a reason.
        public let reason: ReceiptText?
        /// When it was asked for.
        public let at: Timestamp
        /// Whether it was decided, and how.
        public let standing: Standing

        /// A refund; the reason is cleaned of what no printer can show.
        public init(id: RefundID, amount: Money, reason: String? = nil, at: Timestamp, standing: Standing) {
            self.id = id
            self.amount = amount
            self.reason = ReceiptText(nonEmpty: reason)
            self.at = at
            self.standing = standing
        }
    }

    /// The sale that a refund belongs to.
    public struct Original: Hashable, Sendable {
        /// The payment that the receipt is of.
        public let paymentID: PaymentID
        /// When it was made.
        public let date: Timestamp

        /// A link to a sale.
        public init(paymentID: PaymentID, date: Timestamp) {
            self.paymentID = paymentID
            self.date = date
        }
    }

    /// Who sells: name, address and the numbers that the law asks for.
    public var store: StoreDetails
    /// The language, and how amounts and dates are written.
    public var locale: Locale
    /// For whom it is.
    public var copy = ReceiptCopy.customer
    /// It was printed before; it says so.
    public var isReprint = false
    /// Made by a stand-in or in test mode: it says TEST in large letters, before anything else.
    public var isTest = false
    /// The payment that the receipt is of.
    public var paymentID: PaymentID
    /// The number of the order that people see.
    public var orderNumber: ReceiptText
    /// When the payment was made: its last attempt, or its creation if there was none.
    public var date: Timestamp
    /// Whether it is paid.
    public var verdict: ReceiptVerdict
    /// One sentence to the verdict.
    public var explanation: ReceiptText?
    /// What was sold. The amounts make the subtotal.
    public var lineItems: [ReceiptLineItem]
    /// From subtotal to total. The amounts make the total.
    public var summary: [ReceiptSummaryRow]
    /// What was asked for, with a tip that was given.
    public var total: Money
    /// How it was paid.
    public var transaction: ReceiptTransaction
    /// What was taken, whether or not some of it went back.
    public var captured: Money
    /// What went back to the customer.
    public var refunded: Money
    /// What the customer's bank or the provider has taken back in disputes and not returned.
    public var disputed: Money
    /// All refunds, oldest first.
    public var refunds: [Refund] = []
    /// The sale that this refund belongs to, if it is a paper of its own.
    public var original: Original?
    /// What a fiscal device signed.
    public var fiscal: FiscalBlock?
    /// Where the receipt can be read: printed as a QR code.
    public var link: CodeText?

    /// A receipt of one's own making; check it with ``check()``.
    public init(
        store: StoreDetails, locale: Locale, paymentID: PaymentID, orderNumber: String, date: Timestamp,
        verdict: ReceiptVerdict, lineItems: [ReceiptLineItem], summary: [ReceiptSummaryRow], total: Money,
        transaction: ReceiptTransaction, captured: Money, refunded: Money
    ) {
        self.store = store
        self.locale = locale
        self.paymentID = paymentID
        self.orderNumber = ReceiptText(orderNumber)
        self.date = date
        self.verdict = verdict
        self.lineItems = lineItems
        self.summary = summary
        self.total = total
        self.transaction = transaction
        self.captured = captured
        self.refunded = refunded
        disputed = .zero(total.currency)
    }

    /// What the receipt of a payment says at this moment of its history.
    public init(payment: Payment, store: StoreDetails, locale: Locale = .current) {
        let order = payment.order
        let labels = ReceiptLabels(locale)
        let verdict = ReceiptVerdict(payment)
        self.init(
            store: store, locale: locale, paymentID: payment.id, orderNumber: order.number,
            date: payment.attempts.last?.startedAt ?? payment.createdAt, verdict: verdict,
            lineItems: ReceiptContent.lines(of: order, labels), summary: ReceiptSummaryRow.rows(of: order),
            total: order.total, transaction: ReceiptTransaction(payment), captured: payment.captured,
            refunded: payment.refunded)
        if let tip = payment.tip, let whole = order.total.adding(ifExact: tip) {
            summary.append(ReceiptSummaryRow(.tip, amount: tip))
            total = whole
        }
        explanation = verdict.sentence(payment, labels)
        isTest = payment.isTest
        disputed = payment.disputed
        refunds = payment.refunds.map { refund in
            let standing: Refund.Standing =
                switch refund.state {
                case .inFlight, .deferred, .unknown: .pending
                case .succeeded: .succeeded
                case .refused, .reversed: .failed
                }
            return Refund(
                id: refund.id, amount: refund.amount, reason: refund.reason, at: refund.startedAt, standing: standing)
        }
    }

    /// The receipt of one refund: a paper of its own, with the sale that it belongs to.
    /// - Throws: ``ReceiptError/noSuchRefund(_:)``, ``ReceiptError/refundNotDone(_:)``
    public init(
        refund id: RefundID, of payment: Payment, store: StoreDetails, locale: Locale = .current
    ) throws(ReceiptError) {
        guard let refund = payment.refunds.first(where: { $0.id == id }) else { throw .noSuchRefund(id) }
        guard case .succeeded = refund.state else { throw .refundNotDone(id) }
        let sale = ReceiptTransaction(payment)
        // What the card said when it was sold is not said again: it was not read for this.
        var transaction = ReceiptTransaction(.refund, .approved, tender: sale.tender)
        transaction.brand = sale.brand
        transaction.lastFour = sale.lastFour
        self.init(
            store: store, locale: locale, paymentID: payment.id, orderNumber: payment.order.number,
            date: refund.startedAt, verdict: .refunded,
            lineItems: [ReceiptLineItem(name: ReceiptLabels(locale)[.refund].plain, amount: refund.amount)],
            summary: [], total: refund.amount, transaction: transaction, captured: refund.amount,
            refunded: refund.amount)
        explanation = ReceiptText(nonEmpty: refund.reason)
        isTest = payment.isTest
        original = Original(
            paymentID: payment.id, date: payment.attempts.last?.startedAt ?? payment.createdAt)
    }

    private static func lines(of order: Order, _ labels: ReceiptLabels) -> [ReceiptLineItem] {
        if order.lines.isEmpty, !order.subtotal.isZero {
            return [ReceiptLineItem(sale: order.description, labels: labels, amount: order.subtotal)]
        }
        return order.lines.map { ReceiptLineItem($0) }
    }

    /// Proves that the lines make the subtotal and the rows the total, in one currency. A receipt of an order always
    /// does; one of your own making may not.
    public func check() throws(ReceiptError) {
        guard lineItems.count <= ReceiptContent.maximumLines else {
            throw .tooManyLines(limit: ReceiptContent.maximumLines)
        }
        guard !lineItems.isEmpty || !summary.isEmpty else { throw .nothingSold }
        let currency = total.currency
        guard lineItems.allSatisfy({ $0.amount.currency == currency }),
            summary.allSatisfy({ $0.amount.currency == currency }), captured.currency == currency,
            refunded.currency == currency, disputed.currency == currency,
            refunds.allSatisfy({ $0.amount.currency == currency })
        else { throw .mixedCurrencies }
        if let subtotal = summary.first(where: { $0.kind == .subtotal }), !lineItems.isEmpty {
            try equal(subtotal.amount, lineItems.map(\.amount))
        }
        try equal(total, summary.isEmpty ? lineItems.map(\.amount) : summary.map(\.amount))
    }

    private func equal(_ expected: Money, _ parts: [Money]) throws(ReceiptError) {
        var sum = Money.zero(expected.currency)
        do { for part in parts { sum = try sum.adding(part) } } catch {
            throw .doesNotAddUp(expected: expected, found: sum)
        }
        guard sum == expected else { throw .doesNotAddUp(expected: expected, found: sum) }
    }

    /// The merchant copy needs a line to sign on.
    public var needsSignature: Bool {
        copy == .merchant && (transaction.verification?.asksForSignature ?? false)
            && (transaction.outcome == .approved || transaction.outcome == .partial)
    }

    /// The rows to show: a subtotal that is the total says nothing.
    var shownSummary: [ReceiptSummaryRow] { summary.count > 1 ? summary : [] }

    /// What was taken, what never will be and what went back, under the total; a plain paid sale needs none of it.
    var movements: [(label: ReceiptLabel, amount: Money)] {
        if original != nil { return [] }
        var rows: [(label: ReceiptLabel, amount: Money)] = []
        if captured != total || !refunded.isZero || !disputed.isZero { rows.append((.taken, captured)) }
        if verdict == .paid, let rest = total.subtracting(ifExact: captured), rest.isPositive {
            rows.append((.notCharged, rest))
        }
        if !refunded.isZero { rows.append((.refundedAmount, refunded)) }
        if !disputed.isZero { rows.append((.disputedAmount, disputed)) }
        if let approved = transaction.approvedAmount { rows.append((.approvedAmount, approved)) }
        return rows
    }
}

extension ReceiptContent.Refund {
    /// What the refund's row says.
    var label: ReceiptLabel {
        switch standing {
        case .pending: .refundPending
        case .succeeded: .refund
        case .failed: .refundFailed
        }
    }
}
