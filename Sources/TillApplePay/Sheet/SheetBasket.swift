public import TillCore

/// One line of a sheet.
public struct SheetItem: Hashable, Sendable {
    /// The label shown to the customer.
    public var label: String
    /// The amount; negative for a discount.
    public var amount: Money
    /// `true` if the amount is not final yet.
    public var isPending: Bool

    /// Creates a line of the sheet. `isPending`: the amount is not final and is displayed as such.
    public init(label: String, amount: Money, isPending: Bool = false) {
        self.label = label
        self.amount = amount
        self.isPending = isPending
    }
}

/// A shipping method.
public struct SheetShippingMethod: Hashable, Sendable {
    /// The merchant's identifier.
    public var identifier: String
    /// The label shown to the customer.
    public var label: String
    /// The detail shown under the label.
    public var detail: String
    /// The shipping cost; may be zero.
    public var amount: Money

    /// Creates a shipping method; the identifier is returned when the customer selects it.
    public init(identifier: String, label: String, detail: String, amount: Money) {
        self.identifier = identifier
        self.label = label
        self.detail = detail
        self.amount = amount
    }
}

/// A purchase with every component of its price. A value: each change creates a new version, and the total is always
/// computed from the components.
public struct SheetBasket: Hashable, Sendable {
    /// The fulfillment of the order, fixed before the sheet opens because it determines the sheet's fields.
    public enum Service: Hashable, Sendable {
        /// Delivery to the customer's address.
        case delivery
        /// Collection from the shop; the sheet shows its address.
        case collection(ShopAddress)
        /// Nothing is delivered or collected, as with tickets and vouchers. The sheet requests no postal address.
        case neither
    }

    /// The pickup location of an order.
    public struct ShopAddress: Hashable, Sendable {
        /// The shop's name, as displayed in the sheet.
        public var name: String
        /// Street and number, one entry per line.
        public var addressLines: [String]
        public var locality: String
        public var postalCode: String
        /// ISO 3166-1 alpha-2, in capitals.
        public var countryCode: String

        /// Creates a pickup address.
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

    /// An applied coupon.
    public struct Coupon: Hashable, Sendable {
        /// The code that the customer entered, in capitals.
        public var code: String
        /// The discount on the goods, not below zero; zero where the merchant tells all lines of the price, with what
        /// the coupon takes off among them.
        public var discount: Money

        /// Creates a coupon with its discount.
        public init(code: String, discount: Money) {
            self.code = code
            self.discount = discount
        }
    }

    /// The source of a basket's price.
    public enum Price: Hashable, Sendable {
        /// The basket's own lines, with discount, shipping and fee.
        case own
        /// The merchant is asked for the price of the address and the choices in the sheet, and has told none for these
        /// yet. The total is that of the basket's own lines and is not final: it must not be charged.
        case awaited
        /// The lines that the merchant told for the address and the choices in the sheet. They are the whole price.
        case quoted([SheetItem])
    }

    /// Maximum number of lines in a basket.
    public static let maximumLines = 200

    /// The merchant's identifier of the basket, and of the order.
    public let id: String
    /// Incremented with each change.
    public internal(set) var version: Int
    /// The currency of every amount.
    public let currency: Currency
    /// Delivery, collection or neither.
    public let service: Service
    /// The goods, at the merchant's prices.
    public internal(set) var lines: [SheetItem]
    /// Available shipping methods; none without delivery.
    public internal(set) var shippingMethods: [SheetShippingMethod]
    /// The selected method; the first by default.
    public internal(set) var shippingMethod: SheetShippingMethod?
    /// The applied coupon, if any.
    public internal(set) var coupon: Coupon?
    /// The surcharge for credit cards, which the law of most of Europe forbids.
    public let creditFee: Money?
    /// The agreement on later charges that the customer accepts in the sheet, if any. The total is what is charged now.
    public let agreement: BillingAgreement?
    /// `true` if the card in the sheet is a credit card.
    public internal(set) var paysByCredit = false
    /// The source of the price.
    public internal(set) var price: Price

    /// Creates a basket of version 1.
    /// - Parameter price: the source of the price; ``Price/awaited`` for a basket whose price depends on the address.
    public init(
        id: String, currency: Currency, service: Service, lines: [SheetItem],
        shippingMethods: [SheetShippingMethod] = [], creditFee: Money? = nil, agreement: BillingAgreement? = nil,
        price: Price = .own
    ) {
        self.id = id
        self.currency = currency
        self.service = service
        self.lines = Array(lines.prefix(SheetBasket.maximumLines))
        self.creditFee = creditFee
        self.agreement = agreement
        self.price = price
        version = 1
        let ships = service == .delivery
        self.shippingMethods = ships ? shippingMethods : []
        shippingMethod = ships ? shippingMethods.first : nil
    }

    // MARK: Changes

    /// Replaces everything but the version, which is incremented. Choices made in the sheet (coupon, shipping method,
    /// kind of card) are those of the new basket.
    public mutating func replace(with basket: SheetBasket) {
        let next = version + 1
        self = basket
        version = next
    }

    /// Selects a shipping method; returns `false` if there is no such method.
    public mutating func choose(shippingMethod identifier: String) -> Bool {
        guard let method = shippingMethods.first(where: { $0.identifier == identifier }) else { return false }
        if method != shippingMethod {
            shippingMethod = method
            outdatePrice()
            version += 1
        }
        return true
    }

    /// Applies a coupon, or removes it.
    public mutating func apply(_ coupon: Coupon?) {
        guard coupon != self.coupon else { return }
        self.coupon = coupon
        outdatePrice()
        version += 1
    }

    /// Records the kind of card in the sheet.
    public mutating func pay(byCredit: Bool) {
        guard byCredit != paysByCredit else { return }
        paysByCredit = byCredit
        if creditFee != nil {
            outdatePrice()
            version += 1
        }
    }

    /// Sets the price that the merchant told for the address and the present choices.
    /// - Parameters:
    ///   - items: all lines of the price, which are shown as they are.
    ///   - methods: the shipping methods from now on; `nil` leaves them as they are. The selected one stays selected if
    ///     it is among them; otherwise the first one is.
    public mutating func quote(_ items: [SheetItem], methods: [SheetShippingMethod]? = nil) {
        if let methods, service == .delivery {
            let selected = shippingMethod?.identifier
            shippingMethods = methods
            shippingMethod = methods.first { $0.identifier == selected } ?? methods.first
        }
        price = .quoted(items)
        version += 1
    }

    /// Replaces the lines of a told price by others of the same total, after the sheet was authorized. The version
    /// stays: the customer has authorized this total.
    /// - Returns: `false` if the total would be another; the basket is unchanged then.
    public mutating func confirm(_ items: [SheetItem]) -> Bool {
        guard case .quoted = price else { return false }
        var confirmed = self
        confirmed.price = .quoted(items)
        do throws(MoneyError) { guard try confirmed.total() == total() else { return false } } catch { return false }
        self = confirmed
        return true
    }

    /// Marks the price as unknown, because the merchant told none for the address or the choices.
    public mutating func awaitPrice() {
        guard price != .awaited else { return }
        price = .awaited
        version += 1
    }

    /// `true` if the price is unknown until the merchant tells it.
    public var awaitsPrice: Bool { price == .awaited }

    /// A told price is for the choices that it was told for.
    private mutating func outdatePrice() {
        if case .quoted = price { price = .awaited }
    }

    // MARK: Arithmetic

    /// Returns the sum of the goods.
    public func goods() throws(MoneyError) -> Money {
        var sum = Money.zero(currency)
        for line in lines { sum = try sum.adding(line.amount) }
        return sum
    }

    /// Returns the discount, never more than the goods and never below zero: a coupon does not raise the price.
    public func discount() throws(MoneyError) -> Money {
        let goods = try goods()
        guard let coupon, !coupon.discount.isNegative, !goods.isNegative else { return .zero(currency) }
        return coupon.discount.minorUnits > goods.minorUnits ? goods : coupon.discount
    }

    /// Returns the total due; not final while the price is awaited.
    public func total() throws(MoneyError) -> Money {
        if case .quoted(let items) = price {
            var sum = Money.zero(currency)
            for item in items { sum = try sum.adding(item.amount) }
            return sum
        }
        var total = try goods().subtracting(discount())
        if let shippingMethod { total = try total.adding(shippingMethod.amount) }
        if paysByCredit, let creditFee { total = try total.adding(creditFee) }
        return total
    }

    /// Returns the lines of the sheet: goods, discount, shipping, fee, or those of a told price. They add up to
    /// ``total()``.
    public func summaryItems() throws(MoneyError) -> [SheetItem] {
        if case .quoted(let items) = price { return items }
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
