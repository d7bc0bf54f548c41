public import Foundation
public import TillCore

/// The complete content of a receipt, typed and not yet rendered. ``ReceiptDocument`` lays it out, and the renderers
/// turn the layout into HTML, text, printer bytes or an image.
///
/// ```swift
/// import Foundation
///
/// let store = StoreDetails(name: "Corner shop", address: "Example Street 1\n10115 Berlin", taxID: "DE123456789")
/// var slip = ReceiptContent(payment: payment, store: store, locale: Locale(identifier: "de_DE"))
/// slip.copy = .merchant
/// print(ReceiptRenderer.text(slip))
/// ```
public struct ReceiptContent: Hashable, Sendable {
    /// Maximum number of printed lines, which is also the limit of an order.
    public static let maximumLines = 2_000

    /// One refund of the payment, in any state from requested to decided.
    public struct Refund: Hashable, Sendable {
        /// The state of a refund.
        public enum Standing: String, Hashable, Sendable {
            /// Requested and not yet decided by the provider; no receipt claims that the money was returned.
            case pending
            /// The money was returned to the customer.
            case succeeded
            /// Definitively failed; no money was returned.
            case failed
        }
        /// The refund's identifier in the journal.
        public let id: RefundID
        /// The requested amount, positive, in the payment's currency.
        public let amount: Money
        /// The reason in the shop's words; `nil` if none was given.
        public let reason: ReceiptText?
        /// The time of the request.
        public let at: Timestamp
        /// The state of the refund.
        public let standing: Standing

        /// Creates a refund; unprintable characters are removed from the reason.
        public init(id: RefundID, amount: Money, reason: String? = nil, at: Timestamp, standing: Standing) {
            self.id = id
            self.amount = amount
            self.reason = ReceiptText(nonEmpty: reason)
            self.at = at
            self.standing = standing
        }
    }

    /// The original sale of a refund.
    public struct Original: Hashable, Sendable {
        /// The payment of the sale.
        public let paymentID: PaymentID
        /// The time of the sale.
        public let date: Timestamp

        /// Creates a reference to a sale.
        public init(paymentID: PaymentID, date: Timestamp) {
            self.paymentID = paymentID
            self.date = date
        }
    }

    /// The seller: name, address and legally required identifiers.
    public var store: StoreDetails
    /// The locale of the text, amounts and dates.
    public var locale: Locale
    /// The intended recipient of this copy.
    public var copy = ReceiptCopy.customer
    /// `true` for a reprint, which is marked as such.
    public var isReprint = false
    /// `true` for a receipt from a stand-in or test mode: it begins with TEST in large letters.
    public var isTest = false
    /// The payment documented by the receipt.
    public var paymentID: PaymentID
    /// The human-readable order number. One made up for a plain sale is not printed.
    public var orderNumber: ReceiptText
    /// The time of the payment: its last attempt, or its creation if there was none.
    public var date: Timestamp
    /// The payment status shown first.
    public var verdict: ReceiptVerdict
    /// One sentence that explains the verdict.
    public var explanation: ReceiptText?
    /// The items sold. Their amounts add up to the subtotal.
    public var lineItems: [ReceiptLineItem]
    /// The rows from subtotal to total. Their amounts add up to the total.
    public var summary: [ReceiptSummaryRow]
    /// The requested amount, including any tip.
    public var total: Money
    /// The payment details.
    public var transaction: ReceiptTransaction
    /// The captured amount, regardless of refunds.
    public var captured: Money
    /// The amount refunded to the customer.
    public var refunded: Money
    /// The amount withdrawn by the issuer or the provider in disputes and not returned.
    public var disputed: Money
    /// All refunds, oldest first.
    public var refunds: [Refund] = []
    /// The original sale, on a separate refund receipt.
    public var original: Original?
    /// The block signed by a fiscal device.
    public var fiscal: FiscalBlock?
    /// The address of the online receipt, printed as a QR code.
    public var link: CodeText?

    /// Creates custom content; validate it with ``check()``.
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

    /// Creates the receipt of a payment in its current state.
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
        if let discount = payment.discount { take(discount, from: order, labels) }
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

    /// Shows the price of a plain sale before its discount, and the discount as a row.
    private mutating func take(_ discount: Discount, from order: Order, _ labels: ReceiptLabels) {
        guard order.isPlainAmount, let price = discount.price(charging: order.total),
            let saved = Money.zero(order.currency).subtracting(ifExact: discount.amount)
        else { return }
        lineItems = [ReceiptLineItem(sale: order.description, labels: labels, amount: price)]
        summary = [
            ReceiptSummaryRow(.subtotal, amount: price),
            ReceiptSummaryRow(.discount, name: discount.reason, amount: saved),
        ]
    }

    /// Creates the separate receipt of one refund, which refers to the original sale.
    /// - Throws: ``ReceiptError/noSuchRefund(_:)``, ``ReceiptError/refundNotDone(_:)``
    public init(
        refund id: RefundID, of payment: Payment, store: StoreDetails, locale: Locale = .current
    ) throws(ReceiptError) {
        guard let refund = payment.refunds.first(where: { $0.id == id }) else { throw .noSuchRefund(id) }
        guard case .succeeded = refund.state else { throw .refundNotDone(id) }
        let sale = ReceiptTransaction(payment)
        // Card data of the sale is not repeated: no card was read for the refund.
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

    /// Returns the lines and rows of an order.
    package static func body(of order: Order, locale: Locale) -> ([ReceiptLineItem], [ReceiptSummaryRow]) {
        (lines(of: order, ReceiptLabels(locale)), ReceiptSummaryRow.rows(of: order))
    }

    /// Returns the lines and rows of an amount without an order.
    package static func body(ofAmount amount: Money, locale: Locale) -> ([ReceiptLineItem], [ReceiptSummaryRow]) {
        (
            [ReceiptLineItem(sale: nil, labels: ReceiptLabels(locale), amount: amount)],
            [ReceiptSummaryRow(.subtotal, amount: amount)]
        )
    }

    private static func lines(of order: Order, _ labels: ReceiptLabels) -> [ReceiptLineItem] {
        if order.lines.isEmpty, !order.subtotal.isZero {
            return [ReceiptLineItem(sale: order.description, labels: labels, amount: order.subtotal)]
        }
        return order.lines.map { ReceiptLineItem($0) }
    }

    /// Verifies that the lines add up to the subtotal and the rows to the total, in one currency. A receipt made from
    /// an order always passes; custom content may not.
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

    /// The order number as printed; `nil` where nobody gave one. A name made up for a plain sale and the payment's own
    /// identifier, which has its row, are none.
    package var printedOrderNumber: ReceiptText? {
        let number = orderNumber.plain
        return number.isEmpty || number == paymentID.rawValue || OrderID.isGenerated(number) ? nil : orderNumber
    }

    /// The name of the receipt in its title and in a printer's queue: the order number, or the end of the payment's
    /// identifier.
    package var name: ReceiptText {
        printedOrderNumber ?? ReceiptText(own: String(ReceiptText(paymentID.rawValue).plain.suffix(5)))
    }

    /// `true` if the merchant copy needs a signature line.
    public var needsSignature: Bool {
        copy == .merchant && (transaction.verification?.asksForSignature ?? false)
            && (transaction.outcome == .approved || transaction.outcome == .partial)
    }

    /// The rows to show; a subtotal that equals the total is omitted.
    var shownSummary: [ReceiptSummaryRow] { summary.count > 1 ? summary : [] }

    /// The captured, never charged, refunded, disputed and approved amounts below the total; empty for a plain paid
    /// sale.
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
    /// The label of the refund's row.
    var label: ReceiptLabel {
        switch standing {
        case .pending: .refundPending
        case .succeeded: .refund
        case .failed: .refundFailed
        }
    }
}
