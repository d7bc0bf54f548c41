public import TillCore

/// One thing sold, as a receipt shows it.
public struct ReceiptLineItem: Hashable, Sendable {
    /// One choice the customer made.
    public struct Attribute: Hashable, Sendable {
        /// What was chosen about the product, such as "Color".
        public let name: ReceiptText
        /// The choice, such as "Orange".
        public let value: ReceiptText

        /// A choice; both texts are cleaned of what no printer can show.
        public init(name: String, value: String) {
            self.name = ReceiptText(name)
            self.value = ReceiptText(value)
        }
    }

    /// Most characters of a quantity.
    public static let maximumQuantity = 20

    /// What it is called.
    public let name: ReceiptText
    /// How many, as decimal text.
    public let quantity: ReceiptText
    /// The shop's stock code.
    public let sku: ReceiptText?
    /// What was chosen about the product, in the order of the shop.
    public let attributes: [Attribute]
    /// The price of all pieces before discount, without tax. The amounts of all lines make the subtotal.
    public let amount: Money

    /// A line of the order; texts are cleaned of what no printer can show.
    public init(
        name: String, quantity: String = "1", sku: String? = nil, attributes: [Attribute] = [], amount: Money
    ) {
        self.name = ReceiptText(name)
        self.quantity = ReceiptText(quantity, atMost: ReceiptLineItem.maximumQuantity)
        self.sku = ReceiptText(nonEmpty: sku)
        self.attributes = attributes
        self.amount = amount
    }

    init(_ line: OrderLine) {
        self.init(
            name: line.name, quantity: line.quantity, sku: line.sku,
            attributes: line.attributes.map { Attribute(name: $0.name, value: $0.value) }, amount: line.subtotal)
    }

    /// The one line of a plain sale.
    init(sale description: String?, labels: ReceiptLabels, amount: Money) {
        self.init(name: ReceiptText(nonEmpty: description)?.plain ?? labels[.kindSale].plain, amount: amount)
    }
}
