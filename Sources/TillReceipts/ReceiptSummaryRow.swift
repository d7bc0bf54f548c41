public import TillCore

/// One row between the lines and the total. The amounts of all rows, signs included, add up to the total.
public struct ReceiptSummaryRow: Hashable, Sendable {
    /// What a row is about.
    public enum Kind: String, Hashable, Sendable {
        /// All lines.
        case subtotal
        /// What discounts take off.
        case discount
        /// One shipping charge.
        case shipping
        /// One fee or reduction.
        case fee
        /// Tax, or one tax by name.
        case tax
        /// What a gift card pays.
        case giftCard = "gift_card"
        /// What is left because the shop computes with more digits than it shows.
        case rounding
    }

    /// What it is about.
    public let kind: Kind
    /// What it is called.
    public let label: ReceiptText
    /// With its sign: a discount is below zero.
    public let amount: Money

    /// The rows of an order; all but the subtotal only where they change something.
    static func rows(of order: Order) -> [ReceiptSummaryRow] {
        func row(_ kind: Kind, _ label: String, _ amount: Money) -> ReceiptSummaryRow {
            ReceiptSummaryRow(kind: kind, label: ReceiptText(label), amount: amount)
        }
        // An order's parts were proved to add up, so the opposite of each exists.
        func minus(_ amount: Money) -> Money { (try? amount.negated()) ?? amount }

        var rows = [row(.subtotal, "Subtotal", order.subtotal)]
        if !order.discountTotal.isZero {
            let codes = order.coupons.map(\.code).filter { !$0.isEmpty }.joined(separator: ", ")
            let label = order.discountTotal.isNegative ? "Surcharge" : "Discount"
            rows.append(row(.discount, codes.isEmpty ? label : "\(label) (\(codes))", minus(order.discountTotal)))
        }
        rows += order.shipping.map { row(.shipping, $0.name, $0.total) }
        rows += order.fees.map { row(.fee, $0.name, $0.total) }
        if !order.taxTotal.isZero {
            // Names are shown only if what stands behind them is exactly the order's tax.
            var named: Money? = Money.zero(order.currency)
            for tax in order.taxes { named = named.flatMap { try? $0.adding(tax.total) } }
            if named == order.taxTotal {
                rows += order.taxes.map { row(.tax, $0.label, $0.total) }
            } else {
                rows.append(row(.tax, "Tax", order.taxTotal))
            }
        }
        rows += order.giftCards.map { card in
            row(.giftCard, card.lastFour.isEmpty ? "Gift card" : "Gift card ****\(card.lastFour)", minus(card.amount))
        }
        if !order.rounding.isZero { rows.append(row(.rounding, "Rounding", order.rounding)) }
        return rows
    }
}
