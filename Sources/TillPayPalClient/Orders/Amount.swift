public import TillCore

/// The exact amount of a purchase unit, with an optional breakdown that must add up to it.
public struct Amount: Hashable, Sendable {
    /// The total, in the currency's minor units.
    public let money: Money
    /// The components of the amount.
    public let breakdown: AmountBreakdown?

    /// Creates an amount with a breakdown, in PayPal's format.
    /// - Throws: ``OrderRequestError`` if PayPal does not support the amount or the breakdown does not add up.
    public init(_ money: Money, breakdown: AmountBreakdown? = nil) throws(OrderRequestError) {
        guard money.isPositive else { throw OrderRequestError("amount/value", .notPositive) }
        _ = try PayPalMoney.text(money, at: "amount/value")
        if let breakdown {
            let sum = try breakdown.sum(money.currency)
            guard sum == money else { throw OrderRequestError("amount/breakdown", .mismatch(given: money, sum: sum)) }
        }
        self.money = money
        self.breakdown = breakdown
    }

    /// Creates an amount from a currency code and decimal text.
    /// - Throws: ``OrderRequestError``.
    public init(
        currencyCode: String, value: String, breakdown: AmountBreakdown? = nil
    ) throws(OrderRequestError) {
        let money: Money
        do throws(MoneyError) {
            money = try Money(parsing: value, currency: Currency(code: currencyCode))
        } catch { throw OrderRequestError("amount/value", .money(error)) }
        try self.init(money, breakdown: breakdown)
    }

    func json() throws(OrderRequestError) -> JSONValue {
        var value = try PayPalMoney.members(money, at: "amount")
        if let breakdown { value.append(JSONMember(key: "breakdown", value: try breakdown.json())) }
        return .object(value)
    }
}

/// The breakdown: `item total + tax + shipping + handling + insurance - shipping discount - discount`.
public struct AmountBreakdown: Hashable, Sendable {
    /// The sum of the items, each multiplied by its quantity.
    public var itemTotal: Money?
    public var shipping: Money?
    public var handling: Money?
    /// The total tax of all items.
    public var taxTotal: Money?
    public var insurance: Money?
    /// The discount on shipping; positive.
    public var shippingDiscount: Money?
    /// The discount on the order; positive.
    public var discount: Money?

    /// Creates a breakdown; its parts must add up to the amount.
    public init(
        itemTotal: Money? = nil, shipping: Money? = nil, handling: Money? = nil, taxTotal: Money? = nil,
        insurance: Money? = nil, shippingDiscount: Money? = nil, discount: Money? = nil
    ) {
        self.itemTotal = itemTotal
        self.shipping = shipping
        self.handling = handling
        self.taxTotal = taxTotal
        self.insurance = insurance
        self.shippingDiscount = shippingDiscount
        self.discount = discount
    }

    private var parts: [(String, Money?, Bool)] {
        [
            ("item_total", itemTotal, true), ("shipping", shipping, true), ("handling", handling, true),
            ("tax_total", taxTotal, true), ("insurance", insurance, true),
            ("shipping_discount", shippingDiscount, false), ("discount", discount, false),
        ]
    }

    func sum(_ currency: Currency) throws(OrderRequestError) -> Money {
        var sum = Money.zero(currency)
        for (name, part, isAdded) in parts {
            guard let part else { continue }
            let field = "amount/breakdown/\(name)"
            guard !part.isNegative else { throw OrderRequestError(field, .notPositive) }
            do throws(MoneyError) {
                sum = isAdded ? try sum.adding(part) : try sum.subtracting(part)
            } catch { throw OrderRequestError(field, .money(error)) }
        }
        return sum
    }

    func json() throws(OrderRequestError) -> JSONValue {
        var members: [JSONMember] = []
        for (name, part, _) in parts {
            guard let part else { continue }
            let value = JSONValue.object(try PayPalMoney.members(part, at: "amount/breakdown/\(name)"))
            members.append(JSONMember(key: name, value: value))
        }
        return .object(members)
    }
}

/// Amounts in PayPal's wire format.
package enum PayPalMoney {
    /// Returns `"12.50"`, or `"12"` for a currency without decimals at PayPal.
    package static func text(_ money: Money, at field: String) throws(OrderRequestError) -> String {
        do throws(MoneyError) { return try AmountCodec.payPal.wireDecimalString(money) } catch {
            throw OrderRequestError(field, .money(error))
        }
    }

    package static func members(_ money: Money, at field: String) throws(OrderRequestError) -> [JSONMember] {
        [
            JSONMember(key: "currency_code", value: .string(money.currency.code)),
            JSONMember(key: "value", value: .string(try text(money, at: "\(field)/value"))),
        ]
    }

    /// Returns the members of an amount; `nil` if PayPal's wire format cannot represent it.
    package static func members(ifExact money: Money) -> [JSONMember]? {
        do throws(OrderRequestError) { return try members(money, at: "amount") } catch { return nil }
    }

    /// Parses `{"currency_code": …, "value": …}` strictly.
    package static func read(_ value: JSONValue?) -> Money? {
        guard let code = value?["currency_code"]?.stringValue, let text = value?["value"]?.stringValue,
            let currency = Currency(ifValid: code)
        else { return nil }
        return Money(ifValid: text, currency: currency)
    }
}
