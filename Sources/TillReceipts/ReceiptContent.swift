public import Foundation
public import TillCore

/// Everything a receipt says, typed and not yet written out. `ReceiptRenderer` turns it into a page or into text.
public struct ReceiptContent: Hashable, Sendable {
    /// One refund.
    public struct Refund: Hashable, Sendable {
        /// How it stands.
        public enum Standing: String, Hashable, Sendable {
            /// Not known yet.
            case pending
            /// The money went back.
            case succeeded
            /// It certainly did not.
            case failed
        }
        /// Its name.
        public let id: RefundID
        /// How much.
        public let amount: Money
        /// Why.
        public let reason: ReceiptText?
        /// When it was asked for.
        public let at: Timestamp
        /// How it stands.
        public let standing: Standing
    }

    /// Who sells.
    public let store: StoreDetails
    /// How amounts are written.
    public let locale: Locale
    /// The payment.
    public let paymentID: PaymentID
    /// The number of the order that people see.
    public let orderNumber: ReceiptText
    /// When the payment was made: its last attempt, or its creation if there was none.
    public let date: Timestamp
    /// Whether it is paid.
    public let verdict: ReceiptVerdict
    /// One sentence to the verdict.
    public let explanation: ReceiptText?
    /// What was sold. The amounts make the subtotal.
    public let lineItems: [ReceiptLineItem]
    /// From subtotal to total. The amounts make the total.
    public let summary: [ReceiptSummaryRow]
    /// What was asked for.
    public let total: Money
    /// How it was paid.
    public let transaction: ReceiptTransaction
    /// What was taken, whether or not some of it went back.
    public let captured: Money
    /// What went back.
    public let refunded: Money
    /// All refunds, oldest first.
    public let refunds: [Refund]

    /// What the receipt of a payment says at this moment of its history.
    public init(payment: Payment, store: StoreDetails, locale: Locale = .current) {
        self.store = store
        self.locale = locale
        let order = payment.order
        paymentID = payment.id
        orderNumber = ReceiptText(order.number)
        date = payment.attempts.last?.startedAt ?? payment.createdAt
        verdict = ReceiptVerdict(payment)
        explanation = ReceiptText(nonEmpty: verdict.sentence(payment))
        if order.lines.isEmpty, !order.subtotal.isZero {
            lineItems = [ReceiptLineItem(sale: order.description, amount: order.subtotal)]
        } else {
            lineItems = order.lines.map { ReceiptLineItem($0) }
        }
        summary = ReceiptSummaryRow.rows(of: order)
        total = order.total
        transaction = ReceiptTransaction(payment)
        captured = payment.captured
        refunded = payment.refunded
        refunds = payment.refunds.map { refund in
            let standing: Refund.Standing =
                switch refund.state {
                case .inFlight, .deferred, .unknown: .pending
                case .succeeded: .succeeded
                case .refused: .failed
                }
            return Refund(
                id: refund.id, amount: refund.amount, reason: ReceiptText(nonEmpty: refund.reason),
                at: refund.startedAt, standing: standing)
        }
    }

    /// The moment in the shop's zone: `2026-11-21 10:30:05 +01:00`.
    func localTime(_ moment: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        let seconds = store.timeZone.secondsFromGMT(for: date)
        let shifted = moment.adding(.seconds(Int64(seconds))).description
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let offset = "\(seconds < 0 ? "-" : "+")\(two(abs(seconds) / 3600)):\(two(abs(seconds) / 60 % 60))"
        return "\(shifted.prefix(10)) \(shifted.dropFirst(11).prefix(8)) \(offset)"
    }

    /// An amount for people.
    func shown(_ money: Money) -> ReceiptText { ReceiptText(money.formatted(locale: locale)) }

    /// The rows to show: a subtotal that is the total says nothing.
    var shownSummary: [ReceiptSummaryRow] { summary.count > 1 ? summary : [] }

    /// What was taken and what went back, under the total; a plain paid sale needs neither.
    var movements: [(label: StaticString, amount: Money)] {
        var rows: [(label: StaticString, amount: Money)] = []
        if captured != total || !refunded.isZero { rows.append(("Taken", captured)) }
        if !refunded.isZero { rows.append(("Refunded", refunded)) }
        if let approved = transaction.approvedAmount { rows.append(("Approved amount", approved)) }
        return rows
    }
}

extension ReceiptContent.Refund {
    /// What the refund's row says.
    var label: StaticString {
        switch standing {
        case .pending: "Refund, not confirmed yet"
        case .succeeded: "Refund"
        case .failed: "Refund failed, not refunded"
        }
    }
}
