public import TillCore

extension TerminalCart {
    /// Creates the reader's view of an order, at most 100 lines; the total is always the order's own.
    /// - Throws: `TillCore.MoneyError` if Stripe cannot represent the amounts.
    public init(_ order: Order) throws(MoneyError) {
        let codec = AmountCodec.stripe
        var lines: [Line] = []
        for item in order.lines.prefix(90) where item.total.isPositive {
            lines.append(
                Line(
                    description: item.name, amount: try codec.wireAmount(item.total),
                    quantity: Int64(item.quantity) ?? 1))
        }
        for charge in (order.shipping + order.fees).prefix(10) where charge.total.isPositive {
            lines.append(Line(description: charge.name, amount: try codec.wireAmount(charge.total), quantity: 1))
        }
        self.init(
            currency: order.total.currency.code.lowercased(), lines: lines,
            tax: order.taxTotal.isPositive ? try codec.wireAmount(order.taxTotal) : nil,
            total: try codec.wireAmount(order.total))
    }
}
