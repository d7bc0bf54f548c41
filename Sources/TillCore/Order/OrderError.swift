/// The reason for which a document cannot be sold. No money has moved when one is thrown.
public enum OrderError: Error, Hashable, Sendable {
    /// The document is not JSON.
    case notJSON(JSONError)
    /// The document is JSON but not an order; the text describes the fault.
    case notAnOrder(String)
    /// The document is a list of orders; orders are sold one at a time.
    case severalOrders(count: Int)
    /// The currency cannot be used for payment.
    case unknownCurrency(MoneyError)
    /// An amount cannot be read or represented. `field` is its path, such as `line_items[0].total`.
    case wrongAmount(field: String, text: String, MoneyError)
    /// The parts do not add up to the declared total.
    case doesNotAddUp(order: String, declared: Money, sum: Money, parts: String)
    /// The order adds up, but a part that it declares is not the sum of its listed items.
    case declaredPartDiffers(order: String, part: String, declared: Money, listed: Money)
    /// There is nothing to pay.
    case zeroTotal(order: String)
    /// The order's total is below zero.
    case negativeTotal(order: String, Money)
    /// The order's total has more than ``Order/maximumDigits`` digits.
    case totalTooLarge(order: String, Money)
    /// The order has more lines, or other parts, than ``Order/maximumLines``.
    case tooMany(String, limit: Int)
}

extension OrderError: ExplainedError {
    /// A stable identifier for programs.
    public var code: String {
        switch self {
        case .doesNotAddUp: "order_does_not_add_up"
        case .declaredPartDiffers: "order_contradicts_itself"
        case .totalTooLarge: "amount_too_large"
        default: "invalid_order"
        }
    }

    public var what: String {
        switch self {
        case .notJSON(let error): "The order cannot be read. \(error)"
        case .notAnOrder(let reason): "This is not an order: \(reason)."
        case .severalOrders(let count): "This is a list (of \(count)), not one order."
        case .unknownCurrency(let error): "The order's currency cannot be charged. \(error)"
        case .wrongAmount(let field, _, let error): "The order cannot be charged: \(field) is wrong. \(error)"
        case .doesNotAddUp(let order, let declared, let sum, let parts):
            "Order \(order) does not add up: \(parts) = \(sum.decimalString), but its total says "
                + "\(declared.decimalString): a difference of \(OrderError.difference(declared, sum))."
        case .declaredPartDiffers(let order, let part, let declared, let listed):
            "Order \(order) contradicts itself: it lists \(listed.decimalString), but its \(part) says "
                + "\(declared.decimalString): a difference of \(OrderError.difference(declared, listed))."
        case .zeroTotal(let order): "Order \(order) has nothing to pay: its total is zero."
        case .negativeTotal(let order, let total):
            "Order \(order) cannot be charged: its total is \(total), below zero."
        case .totalTooLarge(let order, let total):
            "Order \(order) cannot be charged: \(total) has more than the \(Order.maximumDigits) digits of a payment."
        case .tooMany(let what, let limit): "The order has too many \(what): \(limit) is the most."
        }
    }

    /// No money moved: no provider was called.
    public var moneyMoved: MoneyMoved { .no }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .severalOrders: "Give one order at a time."
        case .zeroTotal: "Give an order with something to pay."
        default: "Correct the order and try again."
        }
    }

    private static func difference(_ a: Money, _ b: Money) -> String {
        let (units, overflow) = a.minorUnits.subtractingReportingOverflow(b.minorUnits)
        guard !overflow, let distance = Int64(exactly: units.magnitude) else { return "more than can be counted" }
        return Money(minorUnits: distance, currency: a.currency).description
    }
}
