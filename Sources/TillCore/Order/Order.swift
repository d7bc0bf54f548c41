/// What is sold, and for how much.
///
/// An order always adds up, to the minor unit:
/// `subtotal - discount + shipping + fees + tax - gift cards + rounding == total`. A value that does not cannot be
/// built. ``total`` is what is charged, and it is above zero.
public struct Order: Hashable, Sendable {
    /// Most lines an order may have; as many charges, coupons and gift cards. Keeps a receipt and a page finite.
    public static let maximumLines = 1_000

    /// Most digits of a total in minor units: as many as a card message has room for (ISO 8583, field 4). It also keeps
    /// every sum of a shop's payments far away from what can be counted.
    public static let maximumDigits = 12

    /// As the shop names it, in the shop's scope if it has set one.
    public internal(set) var id: OrderID
    /// The number that people see; not always the identifier.
    public let number: String
    /// What a plain sale is for.
    public let description: String?
    /// The currency of every amount.
    public let currency: Currency
    /// What is sold; none in a plain sale.
    public let lines: [OrderLine]
    public let shipping: [OrderCharge]
    /// Fees; one below zero is a reduction.
    public let fees: [OrderCharge]
    public let coupons: [OrderCoupon]
    /// Gift cards, which pay their part.
    public let giftCards: [OrderGiftCard]
    /// Taxes by name, for people.
    public let taxes: [OrderTax]
    /// The lines before discount, without tax.
    public let subtotal: Money
    /// What discounts take off the lines.
    public let discountTotal: Money
    /// All shipping, without tax.
    public let shippingTotal: Money
    /// All fees, without tax.
    public let feeTotal: Money
    public let taxTotal: Money
    /// What gift cards pay.
    public let giftCardTotal: Money
    /// What remains because a shop computes with more digits than it shows; zero in nearly every order.
    public let rounding: Money
    /// What the customer pays.
    public let total: Money
    /// What a cashier should know, as sentences: already paid, refunded, canceled.
    public let notices: [String]
    /// What the shop says became of it already; such an order is charged only if somebody says so. `nil`: nothing
    /// that contradicts it.
    public let standing: OrderStanding?

    /// An order from its parts, from which the totals are computed.
    /// - Parameters:
    ///   - subtotal: what is sold, if there are no lines; otherwise the lines say it.
    ///   - taxTotal: the tax, if no part lists its own; otherwise the parts say it.
    /// - Throws: ``OrderError`` if the parts do not add up to `total` or the total is not above zero.
    public init(
        id: OrderID, number: String, description: String? = nil, lines: [OrderLine] = [], shipping: [OrderCharge] = [],
        fees: [OrderCharge] = [], coupons: [OrderCoupon] = [], giftCards: [OrderGiftCard] = [], taxes: [OrderTax] = [],
        subtotal: Money? = nil, taxTotal: Money? = nil, rounding: Money? = nil, total: Money, notices: [String] = [],
        standing: OrderStanding? = nil
    ) throws(OrderError) {
        for (what, count) in [
            ("lines", lines.count), ("shipping charges", shipping.count), ("fees", fees.count),
            ("coupons", coupons.count), ("gift cards", giftCards.count), ("taxes", taxes.count),
        ] where count > Order.maximumLines { throw .tooMany(what, limit: Order.maximumLines) }
        let currency = total.currency
        do throws(MoneyError) {
            let lineSubtotal = try lines.sum(currency) { $0.subtotal }
            self.subtotal = lines.isEmpty ? subtotal ?? lineSubtotal : lineSubtotal
            self.discountTotal = try lineSubtotal.subtracting(try lines.sum(currency) { $0.total })
            self.shippingTotal = try shipping.sum(currency) { $0.total }
            self.feeTotal = try fees.sum(currency) { $0.total }
            self.giftCardTotal = try giftCards.sum(currency) { $0.amount }
            let partTax = try lines.sum(currency) { $0.tax }
                .adding(try shipping.sum(currency) { $0.tax }).adding(try fees.sum(currency) { $0.tax })
            self.taxTotal = partTax.isZero ? taxTotal ?? partTax : partTax
            _ = try coupons.sum(currency) { $0.discount }
            _ = try taxes.sum(currency) { $0.total }
        } catch { throw .wrongAmount(field: "an amount", text: "", error) }
        self.id = id
        self.number = number
        self.description = description
        self.currency = currency
        self.lines = lines
        self.shipping = shipping
        self.fees = fees
        self.coupons = coupons
        self.giftCards = giftCards
        self.taxes = taxes
        self.rounding = rounding ?? .zero(currency)
        self.total = total
        self.notices = notices
        self.standing = standing
        try checkArithmetic()
    }

    /// A plain sale: one amount, no lines.
    /// - Throws: ``OrderError/zeroTotal(order:)`` or ``OrderError/negativeTotal(order:_:)``.
    public init(id: OrderID, amount: Money, description: String? = nil) throws(OrderError) {
        try self.init(
            id: id, number: id.rawValue, description: description.map { DisplayText.clean($0) }, subtotal: amount,
            total: amount)
    }

    /// Proves the identity that every order keeps.
    /// - Throws: ``OrderError`` naming the parts and the difference.
    public func checkArithmetic() throws(OrderError) {
        guard !total.isZero else { throw .zeroTotal(order: number) }
        guard total.isPositive else { throw .negativeTotal(order: number, total) }
        guard total.minorUnits < DecimalText.power(Order.maximumDigits) else {
            throw .totalTooLarge(order: number, total)
        }
        let sum: Money
        do throws(MoneyError) {
            sum = try subtotal.subtracting(discountTotal).adding(shippingTotal).adding(feeTotal).adding(taxTotal)
                .subtracting(giftCardTotal).adding(rounding)
        } catch { throw .wrongAmount(field: "an amount", text: "", error) }
        guard sum == total else {
            let parts: [(String, Money)] = [
                ("goods", subtotal), ("- discount", discountTotal), ("+ shipping", shippingTotal), ("+ fees", feeTotal),
                ("+ tax", taxTotal), ("- gift cards", giftCardTotal), ("+ rounding", rounding),
            ]
            let text = parts.filter { $0.0 == "goods" || !$0.1.isZero }.map { "\($0.0) \($0.1.decimalString)" }
            throw .doesNotAddUp(order: number, declared: total, sum: sum, parts: text.joined(separator: " "))
        }
    }
}

extension Sequence {
    /// The sum of one amount of each element.
    package func sum(_ currency: Currency, _ amount: (Element) -> Money) throws(MoneyError) -> Money {
        var sum = Money.zero(currency)
        for element in self { sum = try sum.adding(amount(element)) }
        return sum
    }
}
