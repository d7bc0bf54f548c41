public import TillCore

/// An order as PayPal reports it. Its `status` says how far the order is, never whether it is paid: a declined card
/// leaves an order `COMPLETED`. Whether it is paid says ``outcome``, which counts the captures only.
public struct OrderResponse: Hashable, Sendable {
    /// The order's name at PayPal.
    public let orderID: PayPalOrderID
    /// What was to happen with the money, if the answer shows it.
    public let intent: OrderIntent?
    /// How far the order is. Not whether it is paid.
    public let status: OrderStatus
    /// What was bought and what became of it.
    public let purchaseUnits: [PurchaseUnitResponse]
    /// What may be shown of the card.
    public let card: CardResponse?
    /// Where one can go from here: relation and address.
    public let links: [OrderLink]
    /// When it was made, as PayPal writes it.
    public let createTime: String?
    /// What PayPal's support asks for.
    public let debugID: String?

    /// Reads an answer; `nil` if it is no order.
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
        links = OrderLink.all(in: json)
        createTime = json["create_time"]?.stringValue.map { PayPalWireText.line($0, limit: 40) }
        self.debugID = debugID
    }

    /// Reads an order from a document of PayPal's, such as the resource of a webhook; `nil` if it is none.
    public static func reading(_ json: JSONValue) -> OrderResponse? { OrderResponse(json, debugID: nil) }

    /// The captures of all purchase units.
    public var captures: [OrderCapture] { purchaseUnits.flatMap(\.captures) }
    /// The authorizations of all purchase units.
    public var authorizations: [OrderAuthorization] { purchaseUnits.flatMap(\.authorizations) }
    /// The refunds of all purchase units.
    public var refunds: [OrderRefund] { purchaseUnits.flatMap(\.refunds) }
    /// The sum of the purchase units, if all are in one currency.
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

/// How far an order is. Open: a new word keeps its raw value.
public struct OrderStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Made, and not paid.
    public static let created = OrderStatus(rawValue: "CREATED")
    /// Kept by the shop for later; not paid.
    public static let saved = OrderStatus(rawValue: "SAVED")
    /// The customer agrees; nothing was taken.
    public static let approved = OrderStatus(rawValue: "APPROVED")
    /// Over: nothing more can be done with it.
    public static let voided = OrderStatus(rawValue: "VOIDED")
    /// Captured or authorized **or declined**: check the captures.
    public static let completed = OrderStatus(rawValue: "COMPLETED")
    /// The customer must do something.
    public static let payerActionRequired = OrderStatus(rawValue: "PAYER_ACTION_REQUIRED")
}

/// A purchase unit and what became of it.
public struct PurchaseUnitResponse: Hashable, Sendable {
    /// Its name in the order.
    public let referenceID: String?
    /// The unit's amount; `nil` if PayPal did not say it.
    public let amount: Money?
    /// The shop's own identifier.
    public let customID: String?
    /// The shop's invoice number.
    public let invoiceID: String?
    public let authorizations: [OrderAuthorization]
    /// Money taken or asked for.
    public let captures: [OrderCapture]
    /// What was refunded of the unit.
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
        // A payment that cannot be read must not be taken for one that is not there.
        guard authorizations.allSatisfy({ $0 != nil }), captures.allSatisfy({ $0 != nil }),
            refunds.allSatisfy({ $0 != nil })
        else { return nil }
        self.authorizations = authorizations.compactMap { $0 }
        self.captures = captures.compactMap { $0 }
        self.refunds = refunds.compactMap { $0 }
    }
}

/// What may be shown of a card after PayPal has seen it.
public struct CardResponse: Hashable, Sendable {
    /// The last digits, at most four.
    public let lastDigits: String?
    /// The network, as PayPal spells it. Authoritative, whatever the number suggests.
    public let brand: String?
    /// `CREDIT`, `DEBIT`, `PREPAID`, `UNKNOWN`, ….
    public let type: String?
    /// What came of the bank's challenge.
    public let authentication: AuthenticationResult?

    init(_ json: JSONValue) {
        lastDigits = json["last_digits"]?.stringValue.map { String($0.filter { $0.isASCII && $0.isNumber }.suffix(4)) }
        brand = PayPalWireText.word(json["brand"])
        type = PayPalWireText.word(json["type"])
        authentication = json["authentication_result"].flatMap { AuthenticationResult($0) }
    }

    /// As receipts and journals keep it.
    package var summary: CardSummary? {
        guard let lastDigits, !lastDigits.isEmpty else { return nil }
        return CardSummary(brand: brand?.lowercased() ?? "unknown", lastFour: lastDigits, entryMode: "keyed")
    }
}

/// A link of an answer.
public struct OrderLink: Hashable, Sendable {
    /// The most links that are read.
    static let maximum = 32
    /// What it is for: `self`, `payer-action`, `capture`, `up`, ….
    public let relation: String
    /// Where the link leads.
    public let address: String

    /// The links of a document.
    package static func all(in json: JSONValue?) -> [OrderLink] {
        (json?["links"]?.arrayValue ?? []).prefix(maximum).compactMap { link in
            guard let relation = link["rel"]?.stringValue, let address = link["href"]?.stringValue,
                relation.utf8.count <= 64, address.utf8.count <= 4000
            else { return nil }
            return OrderLink(relation: relation, address: address)
        }
    }
}
