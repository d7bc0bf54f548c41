import TillCore

/// An order of the shop.
struct ShopOrder: Sendable {
    /// The maximum number of lines of one kind, of meta entries, of notes and of refunds of an order.
    static let maximumParts = 1_000

    struct Note: Sendable {
        var id: Int64
        var text: String
        var isForCustomer: Bool
        var author: String
        var created: Timestamp
    }

    struct Refund: Sendable {
        var id: Int64
        /// In minor units, above zero or zero.
        var amount: Int64
        var reason: String
        /// `true` if the shop's gateway has moved the money.
        var isByGateway: Bool
        var lines: [JSONValue]
        var meta: [JSONValue]
        var created: Timestamp
    }

    /// A payment that the shop has recorded by `payment_complete`.
    struct Payment: Sendable {
        var transaction: String
        var at: Timestamp
    }

    /// A kind of lines.
    enum Part: String, CaseIterable, Sendable {
        case lineItems = "line_items"
        case shippingLines = "shipping_lines"
        case feeLines = "fee_lines"
        case couponLines = "coupon_lines"
    }

    let id: Int64
    var orderKey: String
    var status: ShopOrderStatus
    /// The status before the trash.
    var statusBeforeTrash: ShopOrderStatus?
    var currency: Currency
    /// The total, in minor units.
    var total: Int64 = 0
    /// The amounts as they are shown, by name.
    var amounts: [String: JSONValue] = [:]
    var parts: [Part: [JSONValue]] = [:]
    var taxLines: [JSONValue] = []
    var meta: [JSONValue] = []
    var pricesIncludeTax = false
    var parent: Int64 = 0
    var customer: Int64 = 0
    var customerNote = ""
    var createdVia = "rest-api"
    var paymentMethod = ""
    var paymentMethodTitle = ""
    var transaction = ""
    var billing: [JSONMember] = []
    var shipping: [JSONMember] = []
    /// Members that extensions add, as `gift_cards`.
    var others: [JSONMember] = []
    var created: Timestamp
    var modified: Timestamp
    var paid: Timestamp?
    var completed: Timestamp?
    var notes: [Note] = []
    var refunds: [Refund] = []
    var payments: [Payment] = []
    /// The number of times a change of status, and no payment, has made the order a paid one.
    var markedPaid = 0

    init(id: Int64, orderKey: String, status: ShopOrderStatus, currency: Currency, now: Timestamp) {
        self.id = id
        self.orderKey = orderKey
        self.status = status
        self.currency = currency
        created = now
        modified = now
    }

    var needsPayment: Bool { status.needsPayment && total > 0 }
    /// The refunded amount, in minor units.
    var refunded: Int64 { refunds.reduce(0) { $0 + $1.amount } }
    /// `true` if anything in the order has to be made or sent. Everything that this shop sells has.
    var needsProcessing: Bool { parts[.lineItems, default: []].isEmpty == false }

    /// The names of ``amounts``.
    static let amountNames = [
        "discount_total", "discount_tax", "shipping_total", "shipping_tax", "cart_tax", "total", "total_tax",
    ]

    /// Computes all amounts from the lines.
    mutating func computeTotals() {
        func sum(_ part: Part, _ name: String) -> Int64 {
            parts[part, default: []].reduce(0) { $0 + (ShopAmount.minorUnits($1[name], currency) ?? 0) }
        }
        let (goods, goodsTax) = (sum(.lineItems, "total"), sum(.lineItems, "total_tax"))
        let (carriage, carriageTax) = (sum(.shippingLines, "total"), sum(.shippingLines, "total_tax"))
        let (fees, feeTax) = (sum(.feeLines, "total"), sum(.feeLines, "total_tax"))
        total = goods + goodsTax + carriage + carriageTax + fees + feeTax
        let values: [String: Int64] = [
            "discount_total": max(0, sum(.lineItems, "subtotal") - goods),
            "discount_tax": max(0, sum(.lineItems, "subtotal_tax") - goodsTax), "shipping_total": carriage,
            "shipping_tax": carriageTax, "cart_tax": goodsTax + feeTax, "total": total,
            "total_tax": goodsTax + feeTax + carriageTax,
        ]
        amounts = values.mapValues { ShopAmount.json($0, currency) }
    }

    /// Sets the status as the shop does, whoever asks: a paid one sets the date of payment.
    mutating func set(_ new: ShopOrderStatus, at now: Timestamp) {
        guard new != status else { return }
        status = new
        if new.isPaid, paid == nil {
            paid = now
            markedPaid += 1
        }
        if new == .completed { completed = now }
    }

    /// Records a payment; does nothing from a status that takes none. Returns `true` if it was recorded.
    mutating func completePayment(_ transaction: String, at now: Timestamp) -> Bool {
        guard status.takesPayment else { return false }
        if !transaction.isEmpty { self.transaction = transaction }
        if paid == nil { paid = now }
        status = needsProcessing ? .processing : .completed
        if status == .completed { completed = now }
        if payments.count < ShopOrder.maximumParts {
            payments.append(Payment(transaction: self.transaction, at: now))
        }
        return true
    }
}
