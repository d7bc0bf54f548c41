public import TillCore

/// An order to be made: what the seed calls `OrderRequest`.
public struct OrderRequest: Hashable, Sendable {
    /// The most purchase units that PayPal takes.
    public static let maximumUnits = 10

    /// What is to happen with the money.
    public let intent: OrderIntent
    /// What is bought: 1 to 10 units, each with its amount.
    public let purchaseUnits: [PurchaseUnit]

    /// An order of one or several purchase units.
    /// - Throws: ``OrderRequestError`` for what PayPal would refuse: no or more than ten units, two units without
    ///   distinct reference ids, and a hold over several units.
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

    /// The body on PayPal's wire, with the card if the order is to be executed at once.
    package func json(source: JSONValue?) throws(OrderRequestError) -> JSONValue {
        var units: [JSONValue] = []
        for (index, unit) in purchaseUnits.enumerated() { units.append(try unit.json(index)) }
        return .members([
            "intent": .string(intent.rawValue), "purchase_units": .array(units), "payment_source": source,
        ])
    }
}

/// What one payee sells in an order.
public struct PurchaseUnit: Hashable, Sendable {
    /// What the unit costs, with a breakdown if it has items.
    public var amount: Amount
    /// Its name in the order; `default` if there is one unit only.
    public var referenceID: String?
    /// What the customer sees.
    public var description: String?
    /// The shop's own identifier, in PayPal's reports.
    public var customID: String?
    /// The shop's invoice number; PayPal refuses a second payment of one.
    public var invoiceID: String?
    /// What stands on the card's statement.
    public var softDescriptor: String?
    /// The unit's items; their sum must be the breakdown's.
    public var items: [OrderItem]

    /// A purchase unit; it is checked when the order is made.
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

    /// The items must make up the breakdown's item total, which they need.
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

/// One product and how many of it are sold.
public struct OrderItem: Hashable, Sendable {
    /// What it is called; at most 127 characters.
    public var name: String
    /// How many, 1 to 9,999,999,999.
    public var quantity: Int
    /// The price of one.
    public var unitAmount: Money
    /// The shop's stock code.
    public var sku: String?
    /// What kind of thing it is.
    public var category: Category?

    /// What kind of thing an item is. Open.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Goods that are delivered over the network.
        public static let digitalGoods = Category(rawValue: "DIGITAL_GOODS")
        /// Goods that are shipped.
        public static let physicalGoods = Category(rawValue: "PHYSICAL_GOODS")
        /// A gift to a charity.
        public static let donation = Category(rawValue: "DONATION")
    }

    /// An item; `unitAmount` is the price of one.
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
