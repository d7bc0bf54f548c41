public import TillCore

/// One thing sold, as a receipt shows it.
public struct ReceiptLineItem: Hashable, Sendable {
    /// One choice the customer made.
    public struct Attribute: Hashable, Sendable {
        /// Such as "Colour".
        public let name: ReceiptText
        /// Such as "Orange".
        public let value: ReceiptText
    }

    /// What it is called.
    public let name: ReceiptText
    /// How many, as decimal text.
    public let quantity: ReceiptText
    /// The shop's stock code.
    public let sku: ReceiptText?
    /// What was chosen.
    public let attributes: [Attribute]
    /// The price of all pieces before discount, without tax. The amounts of all lines make the subtotal.
    public let amount: Money

    init(_ line: OrderLine) {
        name = ReceiptText(line.name)
        quantity = ReceiptText(line.quantity)
        sku = ReceiptText(nonEmpty: line.sku)
        attributes = line.attributes.map { Attribute(name: ReceiptText($0.name), value: ReceiptText($0.value)) }
        amount = line.subtotal
    }

    /// The one line of a plain sale.
    init(sale description: String?, amount: Money) {
        name = ReceiptText(nonEmpty: description) ?? ReceiptText("Sale")
        quantity = ReceiptText("1")
        sku = nil
        attributes = []
        self.amount = amount
    }
}
