public import TillCore

/// An order as reported by PayPal. Its `status` is the progress of the order, not proof of payment: a declined card
/// leaves an order `COMPLETED`. Use ``outcome``, which counts only the captures.
public struct OrderResponse: Hashable, Sendable {
    /// The order id.
    public let orderID: PayPalOrderID
    /// The intent, if the answer contains it.
    public let intent: OrderIntent?
    /// The progress of the order; not proof of payment.
    public let status: OrderStatus
    /// The purchase units and their payments.
    public let purchaseUnits: [PurchaseUnitResponse]
    /// The displayable card data.
    public let card: CardResponse?
    /// `true` if a PayPal account pays.
    public let isOfAccount: Bool
    /// The links to related resources and actions.
    public let links: [OrderLink]
    /// The creation time, in PayPal's format.
    public let createTime: String?
    /// The debug id that PayPal's support asks for.
    public let debugID: String?

    /// Parses an answer; `nil` if it is not an order.
    package init?(_ json: JSONValue, debugID: String?) {
        guard let text = json["id"]?.stringValue, let id = PayPalOrderID(ifValid: text),
            let status = PayPalWireText.word(json["status"])
        else { return nil }
        let units = (json["purchase_units"]?.arrayValue ?? []).map { PurchaseUnitResponse($0) }
        guard units.allSatisfy({ $0 != nil }) else { return nil }
        orderID = id
        self.status = OrderStatus(rawValue: status)
        intent = PayPalWireText.word(json["intent"]).map { OrderIntent(rawValue: $0) }
        purchaseUnits = units.compactMap { $0 }
        card = json.at("payment_source", "card").map { CardResponse($0) }
        isOfAccount = json.at("payment_source", "paypal")?.objectValue != nil
        links = OrderLink.all(in: json)
        createTime = json["create_time"]?.stringValue.map { PayPalWireText.line($0, limit: 40) }
        self.debugID = debugID
    }

    /// Parses an order from a PayPal document such as the resource of a webhook; `nil` if it is not an order.
    public static func reading(_ json: JSONValue) -> OrderResponse? { OrderResponse(json, debugID: nil) }

    /// The captures of all purchase units.
    public var captures: [OrderCapture] { purchaseUnits.flatMap(\.captures) }
    /// The authorizations of all purchase units.
    public var authorizations: [OrderAuthorization] { purchaseUnits.flatMap(\.authorizations) }
    /// The refunds of all purchase units.
    public var refunds: [OrderRefund] { purchaseUnits.flatMap(\.refunds) }
    /// The sum of the purchase units, if all have the same currency.
    public var total: Money? {
        var sum: Money?
        for unit in purchaseUnits {
            guard let amount = unit.amount else { return nil }
            if let before = sum {
                guard let added = before.adding(ifExact: amount) else { return nil }
                sum = added
            } else {
                sum = amount
            }
        }
        return sum
    }
}

/// The progress of an order. Open: an unknown value keeps its raw text.
public struct OrderStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The raw text, unchanged.
    public let rawValue: String
    /// Wraps the text unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Created, not paid.
    public static let created = OrderStatus(rawValue: "CREATED")
    /// Saved by the shop for later; not paid.
    public static let saved = OrderStatus(rawValue: "SAVED")
    /// Approved by the customer; nothing was captured.
    public static let approved = OrderStatus(rawValue: "APPROVED")
    /// Closed: no further action is possible.
    public static let voided = OrderStatus(rawValue: "VOIDED")
    /// Captured or authorized **or declined**: check the captures.
    public static let completed = OrderStatus(rawValue: "COMPLETED")
    /// The customer must act.
    public static let payerActionRequired = OrderStatus(rawValue: "PAYER_ACTION_REQUIRED")
}

/// A purchase unit and its payments.
public struct PurchaseUnitResponse: Hashable, Sendable {
    /// The reference id within the order.
    public let referenceID: String?
    /// The amount; `nil` if PayPal did not report it.
    public let amount: Money?
    /// The shop's custom id.
    public let customID: String?
    /// The shop's invoice number.
    public let invoiceID: String?
    public let authorizations: [OrderAuthorization]
    /// The captures, completed or requested.
    public let captures: [OrderCapture]
    /// The refunds of the unit.
    public let refunds: [OrderRefund]

    init?(_ json: JSONValue) {
        referenceID = json["reference_id"]?.stringValue
        customID = json["custom_id"]?.stringValue
        invoiceID = json["invoice_id"]?.stringValue
        if let amount = json["amount"] {
            guard let money = PayPalMoney.read(amount) else { return nil }
            self.amount = money
        } else {
            amount = nil
        }
        let authorizations = (json.at("payments", "authorizations")?.arrayValue ?? []).map { OrderAuthorization($0) }
        let captures = (json.at("payments", "captures")?.arrayValue ?? []).map { OrderCapture($0) }
        let refunds = (json.at("payments", "refunds")?.arrayValue ?? []).map { OrderRefund($0) }
        // An unreadable payment must not be mistaken for a missing one.
        guard authorizations.allSatisfy({ $0 != nil }), captures.allSatisfy({ $0 != nil }),
            refunds.allSatisfy({ $0 != nil })
        else { return nil }
        self.authorizations = authorizations.compactMap { $0 }
        self.captures = captures.compactMap { $0 }
        self.refunds = refunds.compactMap { $0 }
    }
}

/// The displayable data of a card processed by PayPal.
public struct CardResponse: Hashable, Sendable {
    /// The last digits, at most four.
    public let lastDigits: String?
    /// The network, as PayPal spells it. Authoritative, regardless of the card number.
    public let brand: String?
    /// The card type: `CREDIT`, `DEBIT`, `PREPAID`, `UNKNOWN`, ….
    public let type: String?
    /// The result of the 3-D Secure challenge.
    public let authentication: AuthenticationResult?

    init(_ json: JSONValue) {
        lastDigits = json["last_digits"]?.stringValue.map { String($0.filter { $0.isASCII && $0.isNumber }.suffix(4)) }
        brand = PayPalWireText.word(json["brand"])
        type = PayPalWireText.word(json["type"])
        authentication = json["authentication_result"].flatMap { AuthenticationResult($0) }
    }

    /// The summary stored in receipts and journals.
    package var summary: CardSummary? {
        guard let lastDigits, !lastDigits.isEmpty else { return nil }
        return CardSummary(brand: brand?.lowercased() ?? "unknown", lastFour: lastDigits, entryMode: "keyed")
    }
}

/// A link of an answer.
public struct OrderLink: Hashable, Sendable {
    /// Maximum number of links read.
    static let maximum = 32
    /// The relation: `self`, `payer-action`, `capture`, `up`, ….
    public let relation: String
    /// The URL.
    public let address: String

    /// Returns the links of a document.
    package static func all(in json: JSONValue?) -> [OrderLink] {
        (json?["links"]?.arrayValue ?? []).prefix(maximum).compactMap { link in
            guard let relation = link["rel"]?.stringValue, let address = link["href"]?.stringValue,
                relation.utf8.count <= 64, address.utf8.count <= 4000
            else { return nil }
            return OrderLink(relation: relation, address: address)
        }
    }
}
