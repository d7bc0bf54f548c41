/// The items of a sale and their amounts.
///
/// ```swift
/// let price = Money(minorUnits: 1000, currency: .eur)
/// let tax = Money(minorUnits: 190, currency: .eur)
/// let tea = OrderLine(name: "Tea", quantity: "2", subtotal: price, total: price, tax: tax)
/// let order = try Order(
///     id: OrderID(selling: "1001"), number: "1001", lines: [tea], total: price.adding(tax))
/// ```
///
/// An order always adds up, to the minor unit: `subtotal - discount + shipping + fees + tax - gift cards + rounding ==
/// total`. A value that does not add up cannot be constructed. ``total`` is the amount charged, and it is above zero.
public struct Order: Hashable, Sendable {
    /// The most lines of an order; the same limit applies to charges, coupons and gift cards. Bounds the size of
    /// receipts and pages.
    public static let maximumLines = 1_000

    /// The most digits of a total in minor units, as in a card message (ISO 8583, field 4). It also keeps every sum of
    /// a shop's payments far from overflow.
    public static let maximumDigits = 12

    /// The shop's identifier of the order, within the shop's scope if one is set.
    public internal(set) var id: OrderID
    /// The display number; not always the identifier.
    public let number: String
    /// The description of a plain sale.
    public let description: String?
    /// The currency of every amount.
    public let currency: Currency
    /// The items sold; empty in a plain sale.
    public let lines: [OrderLine]
    public let shipping: [OrderCharge]
    /// Fees; a negative one is a reduction.
    public let fees: [OrderCharge]
    public let coupons: [OrderCoupon]
    /// Gift cards that pay a part of the order.
    public let giftCards: [OrderGiftCard]
    /// Taxes by name, for display.
    public let taxes: [OrderTax]
    /// The lines before discount, without tax.
    public let subtotal: Money
    /// The total discount on the lines.
    public let discountTotal: Money
    /// All shipping, without tax.
    public let shippingTotal: Money
    /// All fees, without tax.
    public let feeTotal: Money
    /// The order's tax, as the shop declares it.
    public let taxTotal: Money
    /// The part paid by gift cards.
    public let giftCardTotal: Money
    /// The remainder that results if a shop computes with more digits than it shows; zero in nearly every order.
    public let rounding: Money
    /// The amount due from the customer.
    public let total: Money
    /// Notices for the cashier, as sentences: already paid, refunded, canceled.
    public let notices: [String]
    /// The shop's report that the order is already settled; such an order is charged only with an explicit override.
    /// `nil` if nothing speaks against charging it.
    public let standing: OrderStanding?
    /// The part that one of several payments takes; `nil` for an order that is paid as a whole.
    public internal(set) var part: OrderPart?
    /// The shop's own data.
    public package(set) var metadata = OrderMetadata.none

    /// Creates an order from its parts, from which the totals are computed.
    /// - Parameters:
    ///   - subtotal: The subtotal, if there are no lines; otherwise it is computed from the lines.
    ///   - taxTotal: The order's tax as the shop declares it. Rounded part by part it may differ from the sum of the
    ///     parts; `rounding` makes up for the difference. `nil`: that sum.
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
            self.taxTotal = taxTotal ?? partTax
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

    /// Creates a plain sale: one amount, no lines.
    /// - Throws: ``OrderError/zeroTotal(order:)`` or ``OrderError/negativeTotal(order:_:)``.
    public init(id: OrderID, amount: Money, description: String? = nil) throws(OrderError) {
        try self.init(
            id: id, number: id.rawValue, description: description.map { DisplayText.clean($0) }, subtotal: amount,
            total: amount)
    }

    /// Verifies the arithmetic identity of every order.
    /// - Throws: ``OrderError`` naming the parts and the difference.
    public func checkArithmetic() throws(OrderError) {
        guard !total.isZero else { throw .zeroTotal(order: number) }
        guard total.isPositive else { throw .negativeTotal(order: number, total) }
        guard WideInteger(total.minorUnits) < DecimalText.power(Order.maximumDigits) else {
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
    /// Returns the sum of one amount of each element.
    package func sum(_ currency: Currency, _ amount: (Element) -> Money) throws(MoneyError) -> Money {
        var sum = Money.zero(currency)
        for element in self { sum = try sum.adding(amount(element)) }
        return sum
    }
}
