public import TillCore

/// One row between the lines and the total. The signed amounts of all rows add up to the total.
public struct ReceiptSummaryRow: Hashable, Sendable {
    /// The kind of a row.
    public enum Kind: String, Hashable, Sendable {
        /// The sum of all lines before shipping, fees, discounts and tax.
        case subtotal
        /// The discounts.
        case discount
        /// A surcharge for the payment method; always on its own row.
        case surcharge
        /// One shipping charge; an order may have several.
        case shipping
        /// One fee, or a reduction.
        case fee
        /// Tax in total, or one named tax.
        case tax
        /// The amount paid by a gift card.
        case giftCard = "gift_card"
        /// A tip added by the customer.
        case tip
        /// The rounding difference that arises because the shop computes with more digits than it shows.
        case rounding
    }

    /// The kind of the row.
    public let kind: Kind
    /// The shop's own label, or a suffix to the standard one: a coupon code, the last characters of a gift card.
    public let name: ReceiptText?
    /// The signed amount: a discount is negative.
    public let amount: Money

    /// Creates a row; a name given by the shop replaces the label of the kind.
    public init(_ kind: Kind, name: String? = nil, amount: Money) {
        self.kind = kind
        self.name = ReceiptText(nonEmpty: name)
        self.amount = amount
    }

    /// The English label.
    public var label: ReceiptText { label(.english) }

    /// Returns the label in a language.
    func label(_ labels: ReceiptLabels) -> ReceiptText {
        func with(_ own: ReceiptLabel) -> ReceiptText {
            guard let name else { return labels[own] }
            return ReceiptText("\(labels[own].plain) (\(name.plain))")
        }
        switch kind {
        case .subtotal: return labels[.subtotal]
        case .discount: return with(.discount)
        case .surcharge: return with(.surcharge)
        case .shipping: return name ?? labels[.shipping]
        case .fee: return name ?? labels[.fee]
        case .tax: return name ?? labels[.tax]
        case .giftCard:
            return name.map { ReceiptText("\(labels[.giftCard].plain) ****\($0.plain)") } ?? labels[.giftCard]
        case .tip: return labels[.tip]
        case .rounding: return labels[.rounding]
        }
    }

    /// Returns the rows of an order; rows other than the subtotal appear only if they change the total.
    static func rows(of order: Order) -> [ReceiptSummaryRow] {
        // The parts of an order add up, so each can be negated.
        func minus(_ amount: Money) -> Money { (try? amount.negated()) ?? amount }

        var rows = [ReceiptSummaryRow(.subtotal, amount: order.subtotal)]
        if !order.discountTotal.isZero {
            let codes = order.coupons.map(\.code).filter { !$0.isEmpty }.joined(separator: ", ")
            let kind: Kind = order.discountTotal.isNegative ? .surcharge : .discount
            rows.append(ReceiptSummaryRow(kind, name: codes, amount: minus(order.discountTotal)))
        }
        rows += order.shipping.map { ReceiptSummaryRow(.shipping, name: $0.name, amount: $0.total) }
        rows += order.fees.map { ReceiptSummaryRow(.fee, name: $0.name, amount: $0.total) }
        if !order.taxTotal.isZero {
            // Named taxes are shown only if they add up exactly to the order's tax.
            var named: Money? = Money.zero(order.currency)
            for tax in order.taxes { named = named.flatMap { $0.adding(ifExact: tax.total) } }
            if named == order.taxTotal {
                rows += order.taxes.map { ReceiptSummaryRow(.tax, name: $0.label, amount: $0.total) }
            } else {
                rows.append(ReceiptSummaryRow(.tax, amount: order.taxTotal))
            }
        }
        rows += order.giftCards.map { ReceiptSummaryRow(.giftCard, name: $0.lastFour, amount: minus($0.amount)) }
        if !order.rounding.isZero { rows.append(ReceiptSummaryRow(.rounding, amount: order.rounding)) }
        return rows
    }
}
