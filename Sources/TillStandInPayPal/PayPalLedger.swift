import TillCore
import TillSandbox
import TillStandInServing

/// The ledger of the PayPal stand-in: orders, authorizations, captures, refunds, stored cards. An actor, so that
/// concurrent requests never see each other's intermediate state. In memory; the clock can be moved.
///
/// Its rules are written from PayPal's documentation and issue list, not from our client.
actor PayPalLedger {
    /// The maximum number of stored orders.
    static let maximumOrders = 1_000_000

    struct Order {
        var id: String
        var intent: String
        var status: String
        var units: [Unit]
        var card: JSONValue?
        /// The PayPal account that pays, as it is shown.
        var account: JSONValue?
        var created: Timestamp
        var updated: Timestamp
        /// A card that awaits its challenge.
        var waiting: JSONValue?
        /// The return URL of the bank's challenge page, or of PayPal's.
        var returnURL: String?
        /// The return URL of a customer who leaves PayPal's page.
        var cancelURL: String?
        var payments: [Payment] = []
        /// `true` if a card that is attached later is challenged in any case.
        var alwaysChallenges = false

        /// `true` if the attached card has passed its challenge, although the order is still `CREATED`.
        var isAuthenticated: Bool {
            let shift = card?.at("authentication_result", "liability_shift")?.stringValue
            return status == "CREATED" && (shift == "YES" || shift == "POSSIBLE")
        }
    }

    struct Unit {
        var members: [JSONMember]
        var amount: Money
        subscript(name: String) -> JSONValue? { members.first { $0.key == name }?.value }
        var reference: String { self["reference_id"]?.stringValue ?? "default" }
        mutating func set(_ name: String, _ value: JSONValue?) {
            members.removeAll { $0.key == name }
            if let value { members.append(JSONMember(key: name, value: value)) }
        }
    }

    enum Payment: Hashable {
        case authorization(String)
        case capture(String)
        case refund(String)
    }

    struct Authorization {
        var id: String
        var order: String
        var unit: Int
        var status: String
        var amount: Money
        var created: Timestamp
        var expires: Timestamp
        var processor: JSONValue?
        /// The authorization that this one renews.
        var parent: String?
        var captures: [String] = []
        var isClosed = false
        var wasRenewed = false
    }

    struct Capture {
        var id: String
        var order: String
        var unit: Int
        var authorization: String?
        var status: String
        var amount: Money
        var isFinal: Bool
        var created: Timestamp
        var processor: JSONValue?
        var refunds: [String] = []
        var invoice: String?
        var reason: String?
    }

    struct Refund {
        var id: String
        var capture: String
        var status: String
        var amount: Money
        var created: Timestamp
        var custom: String?
        var invoice: String?
        var note: String?
    }

    struct Dispute {
        var id: String
        var capture: String
        var amount: Money
        var reason: String
        var stage: String
        var status: String
        var outcome: String?
        var respondBy: Timestamp?
        /// Movements of the shop's money: `DEBIT` or `CREDIT`, with the reason.
        var movements: [(type: String, reason: String, amount: Money, at: Timestamp)] = []
        var created: Timestamp
        var updated: Timestamp
        /// The reason of a movement that withdraws or reinstates the disputed amount; other reasons are fees.
        static let settlement = "DISPUTE_SETTLEMENT"
        var withdrawn: Int64 {
            movements.filter { $0.reason == Dispute.settlement }
                .reduce(0) { $0 + ($1.type == "DEBIT" ? $1.amount.minorUnits : -$1.amount.minorUnits) }
        }
    }

    struct StoredCard {
        var id: String
        var isSetup: Bool
        var card: JSONValue
        var customer: String
        var status: String
        var created: Timestamp
    }

    /// The outcome recorded under a request id; a retry returns the resource's latest state.
    struct Done {
        var at: Timestamp
        var resource: Resource
    }
    enum Resource: Hashable {
        case order(String)
        case authorization(String)
        case capture(String)
        case refund(String)
        case token(String)
        case nothing
    }

    /// An event that produces a webhook.
    struct Notice: Sendable {
        var kind: String
        var resource: JSONValue
        var resourceType: String {
            switch kind.split(separator: ".").dropFirst().first {
            case "CAPTURE": "capture"
            case "AUTHORIZATION": "authorization"
            case "ORDER": "checkout-order"
            case "REFUND": "refund"
            case "DISPUTE": "dispute"
            default: "payment_token"
            }
        }
    }

    /// Events since the last notification.
    private var notices: [Notice] = []
    private var isListenedTo = false

    /// Starts recording events for subscribers.
    func listen() { isListenedTo = true }

    func note(_ kind: String, _ resource: @autoclosure () -> JSONValue) {
        if isListenedTo { notices.append(Notice(kind: kind, resource: resource())) }
    }

    func takeNotifications() -> (notices: [Notice], base: String) {
        defer { notices = [] }
        return (notices, base)
    }

    var orders: [String: Order] = [:]
    var orderSequence: [String] = []
    var authorizations: [String: Authorization] = [:]
    var captures: [String: Capture] = [:]
    var refunds: [String: Refund] = [:]
    var disputes: [Dispute] = []
    var cards: [String: StoredCard] = [:]
    var keys: [String: Done] = [:]
    /// The lag of the transaction search behind the ledger.
    let lateness = ListLateness()
    /// Planted faults in the transaction search.
    var reporting = PayPalReporting()
    private var counter: UInt64 = 0
    private let clock: any TillClock
    private var shift = Span(milliseconds: 0)
    /// The stand-in's base URL, for links.
    private(set) var base = "http://127.0.0.1"

    init(clock: any TillClock) { self.clock = clock }

    /// Sets the port used in links.
    func listens(on port: Int) { base = "http://127.0.0.1:\(port)" }

    var now: Timestamp { clock.now().adding(shift) }

    /// Moves the stand-in's clock forward.
    func advance(_ span: Span) { shift = Span(milliseconds: shift.milliseconds &+ max(0, span.milliseconds)) }

    /// Returns seventeen capital letters and digits, PayPal's id format.
    func newID() -> String {
        counter += 1
        let text = String(StableHash.of("paypal \(counter)"), radix: 36).uppercased()
        let tail = String(counter, radix: 36).uppercased()
        let filler = String(repeating: "0", count: max(0, 17 - text.utf8.count - tail.utf8.count))
        return String((text + filler + tail).suffix(17))
    }

    /// Returns the resource recorded under a request id, if still within PayPal's retention.
    func done(_ key: String?, _ path: String, within retention: Span) -> Resource? {
        guard let key, let done = keys["\(path) \(key)"], now.since(done.at) < retention else { return nil }
        return done.resource
    }

    func remember(_ key: String?, _ path: String, _ resource: Resource) {
        guard let key else { return }
        keys["\(path) \(key)"] = Done(at: now, resource: resource)
    }

    /// Returns the true state in minor units, one entry per order.
    func ledger() -> JSONValue {
        .array(orderSequence.compactMap { orders[$0] }.map(entry))
    }

    private func entry(_ order: Order) -> JSONValue {
        var held: Int64 = 0
        var taken: Int64 = 0
        var back: Int64 = 0
        var isVoided = false
        for payment in order.payments {
            switch payment {
            case .authorization(let id):
                guard let hold = authorizations[id], hold.parent == nil, hold.status != "DENIED" else { continue }
                held += hold.amount.minorUnits
                if hold.status == "VOIDED" { isVoided = true }
            case .capture(let id):
                guard let capture = captures[id], !["DECLINED", "FAILED", "PENDING"].contains(capture.status) else {
                    continue
                }
                taken += capture.amount.minorUnits
                if capture.authorization == nil { held += capture.amount.minorUnits }
            case .refund(let id): back += moved(id)
            }
        }
        let unit = order.units.first
        let disputed = disputes.filter { captures[$0.capture]?.order == order.id }.map(\.withdrawn).reduce(0, +)
        return .members([
            "reference": .string(order.id), "intent": .string(order.intent), "state": .string(order.status),
            "amount": unit.map { .number(String($0.amount.minorUnits)) },
            "currency": unit.map { .string($0.amount.currency.code) }, "authorized": .number(String(held)),
            "captured": .number(String(taken)), "refunded": .number(String(back)),
            "disputed": .number(String(disputed)), "canceled": .bool(isVoided),
            "metadata": .members([
                "description": unit?["description"], "custom_id": unit?["custom_id"], "invoice_id": unit?["invoice_id"],
            ]),
        ])
    }
}
