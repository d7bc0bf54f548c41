public import TillCore

/// An order to be created.
///
/// ```swift
/// let total = Money(minorUnits: 4200, currency: .usd)
/// let amount = try Amount(total, breakdown: AmountBreakdown(itemTotal: total))
/// let teapot = OrderItem(name: "Teapot", quantity: 1, unitAmount: total)
/// let request = try OrderRequest(purchaseUnits: [PurchaseUnit(amount: amount, items: [teapot])])
/// ```
public struct OrderRequest: Hashable, Sendable {
    /// Maximum number of purchase units that PayPal accepts.
    public static let maximumUnits = 10

    /// The intent.
    public let intent: OrderIntent
    /// The purchase units, 1 to 10, each with its amount.
    public let purchaseUnits: [PurchaseUnit]

    /// Creates an order of one or more purchase units.
    /// - Throws: ``OrderRequestError`` for orders that PayPal would refuse: no unit or more than ten, units without
    ///   distinct reference ids, or a hold over several units.
    public init(intent: OrderIntent = .capture, purchaseUnits: [PurchaseUnit]) throws(OrderRequestError) {
        guard !purchaseUnits.isEmpty else { throw OrderRequestError("purchase_units", .missing) }
        guard purchaseUnits.count <= OrderRequest.maximumUnits else {
            throw OrderRequestError("purchase_units", .tooMany(OrderRequest.maximumUnits))
        }
        if purchaseUnits.count > 1 {
            guard intent != .authorize else { throw OrderRequestError("intent", .authorizesOneUnitOnly) }
            let names = purchaseUnits.compactMap(\.referenceID)
            guard names.count == purchaseUnits.count, Set(names).count == names.count else {
                throw OrderRequestError("purchase_units/@/reference_id", .notDistinct)
            }
        }
        self.intent = intent
        self.purchaseUnits = purchaseUnits
    }

    /// Returns the body in PayPal's wire format, with the card if the order is to be executed at once.
    package func json(source: JSONValue?) throws(OrderRequestError) -> JSONValue {
        var units: [JSONValue] = []
        for (index, unit) in purchaseUnits.enumerated() { units.append(try unit.json(index)) }
        return .members([
            "intent": .string(intent.rawValue), "purchase_units": .array(units), "payment_source": source,
        ])
    }
}

/// The items sold by one payee in an order.
public struct PurchaseUnit: Hashable, Sendable {
    /// The amount, with a breakdown if the unit has items.
    public var amount: Amount
    /// The reference id within the order; `default` if there is only one unit.
    public var referenceID: String?
    /// The description shown to the customer.
    public var description: String?
    /// The shop's custom id, included in PayPal's reports.
    public var customID: String?
    /// The shop's invoice number; PayPal refuses a second payment with the same one.
    public var invoiceID: String?
    /// The descriptor on the card statement.
    public var softDescriptor: String?
    /// The items; their sum must equal the breakdown's item total.
    public var items: [OrderItem]

    /// Creates a purchase unit, which is validated together with the order.
    public init(
        amount: Amount, referenceID: String? = nil, description: String? = nil, customID: String? = nil,
        invoiceID: String? = nil, softDescriptor: String? = nil, items: [OrderItem] = []
    ) {
        self.amount = amount
        self.referenceID = referenceID
        self.description = description
        self.customID = customID
        self.invoiceID = invoiceID
        self.softDescriptor = softDescriptor
        self.items = items
    }

    func json(_ index: Int) throws(OrderRequestError) -> JSONValue {
        let place = "purchase_units/\(index)"
        let texts: [(String, String?, Int)] = [
            ("reference_id", referenceID, 256), ("description", description, 127), ("custom_id", customID, 127),
            ("invoice_id", invoiceID, 127), ("soft_descriptor", softDescriptor, 22),
        ]
        for (name, text, limit) in texts {
            try OrderRequestError.check(text, 1...limit, at: "\(place)/\(name)")
        }
        var lines: [JSONValue] = []
        for (number, item) in items.enumerated() { lines.append(try item.json("\(place)/items/\(number)")) }
        try checkItems(place)
        return .members([
            "reference_id": referenceID.json, "description": description.json, "custom_id": customID.json,
            "invoice_id": invoiceID.json, "soft_descriptor": softDescriptor.json,
            "items": lines.isEmpty ? nil : .array(lines), "amount": try amount.json(),
        ])
    }

    /// Verifies that the items add up to the breakdown's item total, which they require.
    private func checkItems(_ place: String) throws(OrderRequestError) {
        guard !items.isEmpty else { return }
        guard let total = amount.breakdown?.itemTotal else {
            throw OrderRequestError("\(place)/amount/breakdown/item_total", .missing)
        }
        var sum = Money.zero(total.currency)
        for (number, item) in items.enumerated() {
            let field = "\(place)/items/\(number)/unit_amount"
            let (units, overflow) = item.unitAmount.minorUnits.multipliedReportingOverflow(by: Int64(item.quantity))
            guard !overflow else { throw OrderRequestError(field, .money(.outOfRange)) }
            do throws(MoneyError) {
                sum = try sum.adding(Money(minorUnits: units, currency: item.unitAmount.currency))
            } catch { throw OrderRequestError(field, .money(error)) }
        }
        guard sum == total else {
            throw OrderRequestError("\(place)/amount/breakdown/item_total", .mismatch(given: total, sum: sum))
        }
    }
}

/// A product and its quantity.
public struct OrderItem: Hashable, Sendable {
    /// The name; at most 127 characters.
    public var name: String
    /// The quantity, 1 to 9,999,999,999.
    public var quantity: Int
    /// The unit price.
    public var unitAmount: Money
    /// The shop's SKU.
    public var sku: String?
    /// The category.
    public var category: Category?

    /// The category of an item. Open.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The raw text, unchanged.
        public let rawValue: String
        /// Wraps the text unchanged.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Goods delivered electronically.
        public static let digitalGoods = Category(rawValue: "DIGITAL_GOODS")
        /// Shipped goods.
        public static let physicalGoods = Category(rawValue: "PHYSICAL_GOODS")
        /// A donation to a charity.
        public static let donation = Category(rawValue: "DONATION")
    }

    /// Creates an item; `unitAmount` is the price of one.
    public init(name: String, quantity: Int, unitAmount: Money, sku: String? = nil, category: Category? = nil) {
        self.name = name
        self.quantity = quantity
        self.unitAmount = unitAmount
        self.sku = sku
        self.category = category
    }

    func json(_ place: String) throws(OrderRequestError) -> JSONValue {
        try OrderRequestError.check(name, 1...127, at: "\(place)/name")
        try OrderRequestError.check(sku, 1...127, at: "\(place)/sku")
        guard (1...9_999_999_999).contains(quantity) else { throw OrderRequestError("\(place)/quantity", .notPositive) }
        return .members([
            "name": .string(name),
            "unit_amount": .object(try PayPalMoney.members(unitAmount, at: "\(place)/unit_amount")),
            "quantity": .string(String(quantity)), "sku": sku.json, "category": (category?.rawValue).json,
        ])
    }
}
