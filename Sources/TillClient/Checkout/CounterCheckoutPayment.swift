public import TillCore

/// A payment as the counter shows it to its customer. A snapshot.
public struct CounterCheckoutPayment: Hashable, Sendable {
    public let id: PaymentID
    public let amount: Money
    /// The number of the order, for people.
    public let orderNumber: String
    public let status: CounterCheckoutStatus
    public let moneyMoved: MoneyMoved
    /// The number of cards that were tried.
    public let attempts: Int
    /// The counter's sentence for the customer, such as the reason of a decline.
    public let message: String?
    /// The prepared order to which PayPal's SDK attaches a card, with ``CounterCheckoutStatus/action(page:)``.
    public let orderID: String?
    /// The session in which Adyen's SDK takes a card, with ``CounterCheckoutStatus/action(page:)``. For this customer
    /// only.
    public let adyenSession: CustomerSession?
}

/// The state of a payment for its customer. Open: an unknown word is kept, and is neither paid nor failed.
public enum CounterCheckoutStatus: Hashable, Sendable {
    /// No card was tried, or none reached the provider.
    case open
    /// The last card was declined; another one may pay.
    case declined
    /// The bank asks the customer, at this page if it has one that an app may show.
    case action(page: ChallengePage?)
    /// The outcome is not known yet.
    case pending
    case paid
    /// All of it was refunded.
    case refunded
    /// Nothing can pay it any more, and nothing was charged.
    case closed
    /// A word of a newer counter.
    case other(String)

    init(_ word: String, page: ChallengePage?) {
        switch word {
        case "open": self = .open
        case "declined": self = .declined
        case "action": self = .action(page: page)
        case "pending": self = .pending
        case "paid": self = .paid
        case "refunded": self = .refunded
        case "closed": self = .closed
        default: self = .other(word)
        }
    }
}

extension CounterCheckoutPayment {
    /// `true` for an id that an SDK may put into an address: 1 to 64 ASCII letters, digits, dashes and underscores.
    private static func isOrderID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    private static func session(_ json: JSONValue) -> CustomerSession? {
        guard let id = json["id"]?.stringValue, let data = json["data"]?.stringValue,
            let end = json["ends_at"]?.stringValue.flatMap({ Timestamp(internetTime: $0) })
        else { return nil }
        return CustomerSession(id: id, data: data, endsAt: end)
    }

    /// Reads the counter's answer, and compares it with the session before it counts.
    init(_ json: JSONValue, of session: CounterCheckoutSession) throws(CounterCheckoutError) {
        func text(_ name: String) throws(CounterCheckoutError) -> String {
            guard let text = json[name]?.stringValue, !text.isEmpty else {
                throw .unreadable(reason: "it has no \(name)")
            }
            return text
        }
        let id = try text("payment_id")
        guard id == session.payment.rawValue else {
            throw .mismatch(.payment, asked: session.payment.rawValue, answered: String(id.prefix(128)))
        }
        let code = try text("currency")
        guard code == session.amount.currency.code else {
            throw .mismatch(.currency, asked: session.amount.currency.code, answered: String(code.prefix(8)))
        }
        guard let units = json["amount"]?.int64Value else { throw .unreadable(reason: "it has no amount") }
        guard units == session.amount.minorUnits else {
            throw .mismatch(.amount, asked: "\(session.amount.minorUnits)", answered: "\(units)")
        }
        guard let attempts = json["attempts"]?.int64Value, attempts >= 0 else {
            throw .unreadable(reason: "it has no attempts")
        }
        let page = json["action_url"]?.stringValue.flatMap { ChallengePage($0) }
        self.id = session.payment
        amount = session.amount
        orderNumber = String(try text("order_number").prefix(128))
        status = CounterCheckoutStatus(try text("status"), page: page)
        // A word that this version does not know is no promise that nothing moved.
        moneyMoved = MoneyMoved(rawValue: try text("money_moved")) ?? .unknown
        self.attempts = Int(clamping: attempts)
        message = json["message"]?.stringValue.map { String($0.prefix(500)) }
        orderID = json["order_id"]?.stringValue.flatMap { CounterCheckoutPayment.isOrderID($0) ? $0 : nil }
        adyenSession = json["adyen_session"].flatMap { CounterCheckoutPayment.session($0) }
    }
}
