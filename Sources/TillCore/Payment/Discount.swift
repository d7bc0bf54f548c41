/// A discount given at the counter: what the customer saved, beside the amount charged. The amount of a payment is what
/// is owed after it.
public struct Discount: Hashable, Sendable {
    /// The maximum length of a reason, in Unicode scalars. ``init(_:reason:beside:)`` keeps no more of a longer one.
    public static let maximumReasonLength = DisplayText.maximumLength

    /// What was saved: above zero, in the currency of the payment.
    public let amount: Money
    /// The reason for it, in the words of whoever gave it.
    public let reason: String

    /// Creates a discount.
    /// - Parameters:
    ///   - reason: The reason; unprintable characters are removed and card numbers masked.
    ///   - charged: The amount charged after the discount.
    /// - Throws: ``DiscountError`` for an amount that is zero, in another currency or too large, and without a reason.
    public init(_ amount: Money, reason: String, beside charged: Money) throws(DiscountError) {
        try self.init(stored: amount, reason: DisplayText.clean(reason), beside: charged)
    }

    /// Creates a discount that was stored: its reason was cleaned before and is kept as it is.
    package init(stored amount: Money, reason: String, beside charged: Money) throws(DiscountError) {
        guard amount.currency == charged.currency else { throw .otherCurrency(amount, charged: charged) }
        guard amount.isPositive else { throw .notAboveZero(amount) }
        guard let price = charged.adding(ifExact: amount),
            WideInteger(price.minorUnits) < DecimalText.power(Order.maximumDigits)
        else { throw .tooLarge(amount) }
        guard !reason.isEmpty else { throw .withoutReason }
        self.amount = amount
        self.reason = reason
    }

    /// Returns the price before the discount: ``amount`` and what is charged. `nil` if `charged` is of another payment
    /// and the sum is no amount.
    public func price(charging charged: Money) -> Money? { charged.adding(ifExact: amount) }
}

/// The reason for which a discount is refused. Nothing was charged.
public enum DiscountError: ExplainedError {
    /// The discount is zero or less.
    case notAboveZero(Money)
    /// The discount is in another currency than the payment.
    case otherCurrency(Money, charged: Money)
    /// The price before the discount has more than ``Order/maximumDigits`` digits.
    case tooLarge(Money)
    /// The discount has no reason.
    case withoutReason
    /// The order has a price of its own, which is reduced where the order was made.
    case priceIsOrders

    public var code: String {
        switch self {
        case .notAboveZero: "discount_not_above_zero"
        case .tooLarge: "discount_too_large"
        case .otherCurrency: "discount_other_currency"
        case .withoutReason: "discount_without_reason"
        case .priceIsOrders: "discount_belongs_to_shop"
        }
    }

    public var what: String {
        switch self {
        case .notAboveZero(let amount): "A discount of \(amount) is none. Nothing was charged."
        case .otherCurrency(let amount, let charged):
            "The discount is in \(amount.currency.code) and the payment in \(charged.currency.code). Nothing was "
                + "charged."
        case .tooLarge(let amount):
            "The price before a discount of \(amount) has more than the \(Order.maximumDigits) digits of a payment. "
                + "Nothing was charged."
        case .withoutReason: "The discount has no reason. Nothing was charged."
        case .priceIsOrders: "The price of an order is the shop's: it takes no discount here. Nothing was charged."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .notAboveZero, .otherCurrency: "Correct the discount, or leave it out."
        case .tooLarge: "Give a smaller discount."
        case .withoutReason: "Say why it is given."
        case .priceIsOrders: "Reduce the order in the shop, then charge it."
        }
    }
}

extension Order {
    /// `true` for a plain sale: one amount, neither an order document nor a part of an order.
    public var isPlainAmount: Bool {
        lines.isEmpty && shipping.isEmpty && fees.isEmpty && coupons.isEmpty && giftCards.isEmpty && taxes.isEmpty
            && subtotal == total && standing == nil && part == nil
    }
}
