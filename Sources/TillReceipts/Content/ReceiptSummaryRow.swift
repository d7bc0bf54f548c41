public import TillCore

/// One row between the lines and the total. The amounts of all rows, signs included, add up to the total.
public struct ReceiptSummaryRow: Hashable, Sendable {
    /// What a row is about.
    public enum Kind: String, Hashable, Sendable {
        /// The sum of all lines before shipping, fees, discounts and tax.
        case subtotal
        /// What discounts take off.
        case discount
        /// What is put on for the way of paying; always on its own row.
        case surcharge
        /// One charge for shipping; an order may have several.
        case shipping
        /// One fee or reduction.
        case fee
        /// Tax, or one tax by name.
        case tax
        /// What a gift card pays.
        case giftCard = "gift_card"
        /// What the customer gave on top.
        case tip
        /// What is left because the shop computes with more digits than it shows.
        case rounding
    }

    /// What it is about.
    public let kind: Kind
    /// The shop's words, or what stands behind ours: a coupon's code, a gift card's last characters.
    public let name: ReceiptText?
    /// With its sign: a discount is below zero.
    public let amount: Money

    /// A row of the sum; a name of the shop's stands in place of the kind's.
    public init(_ kind: Kind, name: String? = nil, amount: Money) {
        self.kind = kind
        self.name = ReceiptText(nonEmpty: name)
        self.amount = amount
    }

    /// What it is called in English.
    public var label: ReceiptText { label(.english) }

    /// What it is called in a language.
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

    /// The rows of an order; all but the subtotal only where they change something.
    static func rows(of order: Order) -> [ReceiptSummaryRow] {
        // An order's parts were proved to add up, so the opposite of each exists.
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
            // Names are shown only if what stands behind them is exactly the order's tax.
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
