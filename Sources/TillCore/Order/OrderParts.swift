public struct OrderLine: Hashable, Sendable {
    /// The display name.
    public var name: String
    /// The quantity, as decimal text: `"2"`, `"1.5"`. For display only; no amount is computed from it.
    public var quantity: String
    /// The shop's stock code.
    public var sku: String?
    /// The chosen options: size, color, engraving.
    public var attributes: [OrderAttribute]
    /// The price of all pieces before discount, without tax.
    public var subtotal: Money
    /// The price of all pieces after discount, without tax.
    public var total: Money
    /// The tax on ``total``, which excludes it.
    public var tax: Money

    public init(
        name: String, quantity: String, sku: String? = nil, attributes: [OrderAttribute] = [], subtotal: Money,
        total: Money, tax: Money
    ) {
        self.name = name
        self.quantity = quantity
        self.sku = sku
        self.attributes = attributes
        self.subtotal = subtotal
        self.total = total
        self.tax = tax
    }
}

/// An option chosen by the customer for a line.
public struct OrderAttribute: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A charge beside the goods: shipping or a fee. A negative charge is a reduction.
public struct OrderCharge: Hashable, Sendable {
    /// The display name.
    public var name: String
    /// The charge without tax.
    public var total: Money
    public var tax: Money

    public init(name: String, total: Money, tax: Money) {
        self.name = name
        self.total = total
        self.tax = tax
    }
}

/// A redeemed coupon. Its discount is already in the totals of the lines: it is listed for display only.
public struct OrderCoupon: Hashable, Sendable {
    /// The code that the customer entered.
    public var code: String
    /// The discount, without tax.
    public var discount: Money

    public init(code: String, discount: Money) {
        self.code = code
        self.discount = discount
    }
}

/// A gift card that pays a part of the order.
public struct OrderGiftCard: Hashable, Sendable {
    /// The last four characters of its code. The code itself is as good as cash and is not stored.
    public var lastFour: String
    public var amount: Money

    public init(lastFour: String, amount: Money) {
        self.lastFour = lastFour
        self.amount = amount
    }
}

/// A tax by name. Its amount is a part of the order's tax, listed for display only.
public struct OrderTax: Hashable, Sendable {
    public var label: String
    /// The tax on goods, fees and shipping under this name.
    public var total: Money

    public init(label: String, total: Money) {
        self.label = label
        self.total = total
    }
}
