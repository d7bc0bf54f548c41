public import TillCore

/// One line of a sheet.
public struct SheetItem: Hashable, Sendable {
    /// What the customer reads.
    public var label: String
    /// How much; a discount is below zero.
    public var amount: Money
    /// Not known for certain yet.
    public var isPending: Bool

    /// A line of the sheet. `isPending`: the amount is not final and is shown as such.
    public init(label: String, amount: Money, isPending: Bool = false) {
        self.label = label
        self.amount = amount
        self.isPending = isPending
    }
}

/// A way to ship.
public struct SheetShippingMethod: Hashable, Sendable {
    /// The shop's name for it.
    public var identifier: String
    /// What the customer reads.
    public var label: String
    /// What the sheet shows under the label.
    public var detail: String
    /// What this way costs; may be zero.
    public var amount: Money

    /// A way to ship; the identifier comes back when it is chosen.
    public init(identifier: String, label: String, detail: String, amount: Money) {
        self.identifier = identifier
        self.label = label
        self.detail = detail
        self.amount = amount
    }
}

/// What is bought, with everything that moves its price. A value: each change makes a new version, and the total is
/// always computed from the parts.
public struct SheetBasket: Hashable, Sendable {
    /// How the goods reach the customer. Decided before the sheet opens, because what the sheet asks for hangs on it.
    public enum Service: Hashable, Sendable {
        /// To the customer's address.
        case delivery
        /// From the shop, whose address the sheet shows.
        case collection(ShopAddress)
    }

    /// Where a collected order waits.
    public struct ShopAddress: Hashable, Sendable {
        /// The shop's name, as the sheet shows it.
        public var name: String
        /// Street and number, a line each.
        public var addressLines: [String]
        public var locality: String
        public var postalCode: String
        /// ISO 3166-1 alpha-2, in capitals.
        public var countryCode: String

        /// Where the customer collects the order.
        public init(
            name: String, addressLines: [String], locality: String, postalCode: String, countryCode: String
        ) {
            self.name = name
            self.addressLines = addressLines
            self.locality = locality
            self.postalCode = postalCode
            self.countryCode = countryCode
        }
    }

    /// A coupon that was taken.
    public struct Coupon: Hashable, Sendable {
        /// What the customer typed, in capitals.
        public var code: String
        /// What it takes off the goods, above zero.
        public var discount: Money

        /// A coupon and what it takes off.
        public init(code: String, discount: Money) {
            self.code = code
            self.discount = discount
        }
    }

    /// Most lines of a basket.
    public static let maximumLines = 200

    /// The shop's identifier of the basket; the order's too.
    public let id: String
    /// Grows by one with each change.
    public internal(set) var version: Int
    /// The currency of every amount.
    public let currency: Currency
    /// Whether the order is delivered or collected.
    public let service: Service
    /// The goods, with the shop's prices.
    public internal(set) var lines: [SheetItem]
    /// Ways to ship; none for collection.
    public internal(set) var shippingMethods: [SheetShippingMethod]
    /// The way that was chosen; the first, unless another was.
    public internal(set) var shippingMethod: SheetShippingMethod?
    /// The coupon that was taken; `nil` without one.
    public internal(set) var coupon: Coupon?
    /// What paying by a credit card costs more; the law of most of Europe forbids one.
    public let creditFee: Money?
    /// The sheet's card is a credit card.
    public internal(set) var paysByCredit = false

    /// A basket of version 1.
    public init(
        id: String, currency: Currency, service: Service, lines: [SheetItem],
        shippingMethods: [SheetShippingMethod] = [], creditFee: Money? = nil
    ) {
        self.id = id
        self.currency = currency
        self.service = service
        self.lines = Array(lines.prefix(SheetBasket.maximumLines))
        self.creditFee = creditFee
        version = 1
        let ships = service == .delivery
        self.shippingMethods = ships ? shippingMethods : []
        shippingMethod = ships ? shippingMethods.first : nil
    }

    // MARK: Changes

    /// Chooses a way to ship; `false` if there is no such way.
    public mutating func choose(shippingMethod identifier: String) -> Bool {
        guard let method = shippingMethods.first(where: { $0.identifier == identifier }) else { return false }
        if method != shippingMethod {
            shippingMethod = method
            version += 1
        }
        return true
    }

    /// Takes a coupon, or none.
    public mutating func apply(_ coupon: Coupon?) {
        guard coupon != self.coupon else { return }
        self.coupon = coupon
        version += 1
    }

    /// Takes note of the kind of card in the sheet.
    public mutating func pay(byCredit: Bool) {
        guard byCredit != paysByCredit else { return }
        paysByCredit = byCredit
        if creditFee != nil { version += 1 }
    }

    // MARK: Arithmetic

    /// The goods without anything else.
    public func goods() throws(MoneyError) -> Money {
        var sum = Money.zero(currency)
        for line in lines { sum = try sum.adding(line.amount) }
        return sum
    }

    /// What takes money off, never more than the goods.
    public func discount() throws(MoneyError) -> Money {
        guard let coupon else { return .zero(currency) }
        let goods = try goods()
        return coupon.discount.minorUnits > goods.minorUnits ? goods : coupon.discount
    }

    /// What the customer pays.
    public func total() throws(MoneyError) -> Money {
        var total = try goods().subtracting(discount())
        if let shippingMethod { total = try total.adding(shippingMethod.amount) }
        if paysByCredit, let creditFee { total = try total.adding(creditFee) }
        return total
    }

    /// The lines of the sheet: goods, discount, shipping, fee. They add up to ``total()``.
    public func summaryItems() throws(MoneyError) -> [SheetItem] {
        var items = lines
        let discount = try discount()
        if !discount.isZero, let coupon {
            items.append(SheetItem(label: "Coupon \(coupon.code)", amount: try discount.negated()))
        }
        if let shippingMethod { items.append(SheetItem(label: shippingMethod.label, amount: shippingMethod.amount)) }
        if paysByCredit, let creditFee { items.append(SheetItem(label: "Credit card fee", amount: creditFee)) }
        return items
    }
}
