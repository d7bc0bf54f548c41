public import TillCore

/// What is charged for a purchase unit, exact, with an optional breakdown that must add up to it.
public struct Amount: Hashable, Sendable {
    /// The whole amount, in the currency's minor units.
    public let money: Money
    /// What it is made of.
    public let breakdown: AmountBreakdown?

    /// An amount with its breakdown, written as PayPal wants it.
    /// - Throws: ``OrderRequestError`` if PayPal cannot take it or the breakdown does not add up.
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

    /// An amount as the seed writes it: a currency code and decimal text.
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

/// `item total + tax + shipping + handling + insurance - shipping discount - discount`.
public struct AmountBreakdown: Hashable, Sendable {
    /// The sum of the items, each times its quantity.
    public var itemTotal: Money?
    public var shipping: Money?
    public var handling: Money?
    /// The tax of all items together.
    public var taxTotal: Money?
    public var insurance: Money?
    /// Taken off the shipping; above zero.
    public var shippingDiscount: Money?
    /// Taken off the whole; above zero.
    public var discount: Money?

    /// A breakdown; its parts must make up the amount.
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

/// Amounts on PayPal's wire.
package enum PayPalMoney {
    /// `"12.50"`, or `"12"` where PayPal allows no decimal places.
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

    /// The members of an amount; `nil` for one that PayPal's wire cannot carry.
    package static func members(ifExact money: Money) -> [JSONMember]? {
        do throws(OrderRequestError) { return try members(money, at: "amount") } catch { return nil }
    }

    /// Reads `{"currency_code": …, "value": …}`; nothing is guessed.
    package static func read(_ value: JSONValue?) -> Money? {
        guard let code = value?["currency_code"]?.stringValue, let text = value?["value"]?.stringValue,
            let currency = Currency(ifValid: code)
        else { return nil }
        return Money(ifValid: text, currency: currency)
    }
}
