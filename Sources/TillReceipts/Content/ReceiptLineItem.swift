public import TillCore

/// One item sold, as shown on a receipt.
public struct ReceiptLineItem: Hashable, Sendable {
    /// A product option chosen by the customer.
    public struct Attribute: Hashable, Sendable {
        /// The name of the option, such as "Color".
        public let name: ReceiptText
        /// The chosen value, such as "Orange".
        public let value: ReceiptText

        /// Creates an option; unprintable characters are removed from both texts.
        public init(name: String, value: String) {
            self.name = ReceiptText(name)
            self.value = ReceiptText(value)
        }
    }

    /// Maximum length of a quantity, in characters.
    public static let maximumQuantity = 20

    /// The product name.
    public let name: ReceiptText
    /// The quantity, as decimal text.
    public let quantity: ReceiptText
    /// The shop's SKU.
    public let sku: ReceiptText?
    /// The chosen options, in the shop's order.
    public let attributes: [Attribute]
    /// The price of the whole quantity before discounts and tax. The amounts of all lines add up to the subtotal.
    public let amount: Money

    /// Creates an order line; unprintable characters are removed from its texts.
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

    /// Creates the single line of a sale without items.
    init(sale description: String?, labels: ReceiptLabels, amount: Money) {
        self.init(name: ReceiptText(nonEmpty: description)?.plain ?? labels[.kindSale].plain, amount: amount)
    }
}
