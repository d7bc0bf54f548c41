import TillCore
import TillJournal
import TillShop

/// An order of a connected shop, with what the shop was told of it. The goods and the money are in the order book.
struct LinkedOrder: Hashable, Sendable {
    /// What an order looked like in the shop, as a list shows it: the time alone is in whole seconds, and an order may
    /// change twice in one.
    struct Seen: Hashable, Sendable {
        var modified: Timestamp
        var status: String
        var total: Money
        var transaction: String

        init(_ order: ShopOrder) {
            (modified, status, total, transaction) = (
                order.modified, order.status.text, order.total, order.transaction
            )
        }
    }

    /// Whether the shop knows that the order is paid.
    enum Payment: Hashable, Sendable {
        /// Not paid here, or not yet as a whole.
        case open
        /// Paid, and the shop is being told: it may know already. The payments that paid it, and the identifier under
        /// which the shop records them, are the same at each attempt.
        case telling(String, of: [PaymentID])
        /// The shop has recorded it.
        case told(String, of: [PaymentID])

        /// The identifier under which the shop records it.
        var transaction: String? {
            switch self {
            case .open: nil
            case .telling(let transaction, _), .told(let transaction, _): transaction
            }
        }

        /// The payments that paid it.
        var payments: [PaymentID] {
            switch self {
            case .open: []
            case .telling(_, let payments), .told(_, let payments): payments
            }
        }

        var isTold: Bool { if case .told = self { true } else { false } }
    }

    /// A refund that was recorded in the shop.
    struct ShopsRefund: Hashable, Sendable {
        enum State: String, Hashable, Sendable {
            /// To be given back by the parts.
            case planned
            /// Given back, or begun: the payment has the rest.
            case done
            /// Left to the staff, as cash is.
            case byHand = "by_hand"
            /// Not Till's money.
            case ignored
        }

        /// What one payment gives back.
        struct Part: Hashable, Sendable {
            var payment: PaymentID
            var amount: Int64
            /// `true` once its refund was begun.
            var isDone = false
        }

        /// The shop's identifier.
        let id: Int64
        let amount: Money
        var parts: [Part] = []
        var state: State

        /// How much of it the staff has given back by refunds here.
        var handed: Int64 = 0

        /// The reason of the refunds here, by which they are known as this one.
        var mark: String { "Refund \(id) in the shop" }
    }

    let shop: ConnectedShopID
    let account: AccountID
    /// The shop's identifier of the order.
    let number: Int64
    /// The order on the counter.
    let order: OrderID
    /// The state in the shop that was taken in; `nil` if the order is not on the counter yet.
    var seen: Seen?
    /// `true` if the order is to be read in the shop.
    var isStale = true
    var payment = Payment.open
    /// The refunds made here that the shop has recorded, with the shop's identifiers.
    var toldRefunds: [RefundID: Int64] = [:]
    /// The refunds recorded in the shop by others.
    var shopsRefunds: [ShopsRefund] = []
    /// `true` once the shop has the note about the payment.
    var isNoted = false
    /// The time until which the shop may still be at a call that was given up: whatever is noted meanwhile waits.
    var restsUntil: Timestamp?
    /// The number of times that something was found to be done.
    var marks = 1
    /// The number of failures in a row.
    var failures = 0
    var trouble: ShopTrouble?
    /// The time at which it is worked on; `nil` if there is nothing to do.
    var due: Timestamp?

    init(shop: ConnectedShop, number: Int64, order: OrderID, due: Timestamp) {
        (self.shop, account, self.number, self.order, self.due) = (shop.id, shop.account, number, order, due)
    }

    var id: RecordID { LinkedOrder.id(shop, number) }

    static func id(_ shop: ConnectedShopID, _ number: Int64) -> RecordID { RecordID(collection, "\(shop).\(number)") }

    /// Notes that there is something to do.
    mutating func mark(isStale: Bool, at now: Timestamp) {
        marks += 1
        self.isStale = self.isStale || isStale
        // What Till writes in the shop is a change there, too: it must not bring back at once what has just failed.
        let soonest = ShopSyncLimits.soonest(after: failures, at: now)
        due = min(due ?? soonest, soonest)
    }

    /// Returns the end of the rest after a call that was given up; `nil` if it is over. One that is farther ahead than
    /// a rest lasts was set by a clock that was wrong.
    func rest(at now: Timestamp) -> Timestamp? {
        restsUntil.flatMap { $0 > now && $0 <= now.adding(.minutes(5)) ? $0 : nil }
    }

    /// `true` for a refund here that carries out one of the shop.
    func isShopsRefund(_ refund: Refund) -> Bool { shopsRefunds.contains { $0.mark == refund.reason } }
}

extension LinkedOrder: RecordDocument {
    static let collection: RecordCollection = "shop_order"

    /// The orders of a shop.
    static func match(_ shop: ConnectedShopID) -> RecordMatch { RecordMatch("shop", shop.rawValue) }
    /// The links of an order on the counter.
    static func match(_ account: AccountID, _ order: OrderID) -> RecordMatch {
        RecordMatch("order", OrderTab.key(account: account, order: order))
    }

    var record: Record {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("shop", shop.rawValue)
        writer.field("account", account.rawValue)
        writer.field("number", number)
        writer.field("order", order.rawValue)
        if let seen { writer.field("seen", seen.json) }
        writer.field("stale", isStale)
        if let transaction = payment.transaction {
            writer.field("transaction", transaction)
            writer.field("told", payment.isTold)
            writer.field("payments", .array(payment.payments.map { .string($0.rawValue) }))
        }
        writer.field("noted", isNoted)
        writer.key("told_refunds")
        writer.beginArray()
        for (refund, number) in toldRefunds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.beginObject()
            writer.field("refund", refund.rawValue)
            writer.field("number", number)
            writer.endObject()
        }
        writer.endArray()
        writer.field("shops_refunds", .array(shopsRefunds.map(\.json)))
        writer.field("marks", marks)
        writer.field("failures", failures)
        if let trouble { writer.field("trouble", trouble.json) }
        if let restsUntil { writer.field("rests_until", restsUntil.milliseconds) }
        writer.endObject()
        let matches = [LinkedOrder.match(shop), LinkedOrder.match(account, order)]
        return Record(
            id, body: writer.bytes, fields: Dictionary(uniqueKeysWithValues: matches.map { ($0.field, $0.value) }),
            due: due)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        shop = ConnectedShopID(rawValue: try body.text("shop"))
        account = AccountID(rawValue: try body.text("account"))
        number = try body.int("number")
        order = OrderID(rawValue: try body.text("order"))
        seen = Seen(json: body.json["seen"])
        isStale = try body.bool("stale")
        if let transaction = body.optionalText("transaction") {
            let names = (body.json["payments"]?.arrayValue ?? []).map(\.stringValue)
            guard !names.contains(nil) else { throw body.damaged("payments") }
            let payments = names.compactMap { $0.map(PaymentID.init(rawValue:)) }
            payment =
                try body.bool("told") ? .told(transaction, of: payments) : .telling(transaction, of: payments)
        }
        isNoted = try body.bool("noted")
        for one in body.json["told_refunds"]?.arrayValue ?? [] {
            guard let refund = one["refund"]?.stringValue, let number = one["number"]?.int64Value else {
                throw body.damaged("told_refunds")
            }
            toldRefunds[RefundID(rawValue: refund)] = number
        }
        for one in body.json["shops_refunds"]?.arrayValue ?? [] {
            guard let refund = ShopsRefund(json: one) else { throw body.damaged("shops_refunds") }
            shopsRefunds.append(refund)
        }
        marks = Int(clamping: try body.int("marks"))
        failures = Int(clamping: try body.int("failures"))
        trouble = ShopTrouble(json: body.json["trouble"])
        restsUntil = body.optionalInt("rests_until").map { Timestamp(milliseconds: $0) }
        due = stored.due
    }
}

extension LinkedOrder {
    /// Returns an order as it was stored; `nil` for a damaged record, which the work on the order reports.
    static func readable(_ kept: KeptRecord) throws(JournalError) -> LinkedOrder? {
        do throws(JournalError) { return try LinkedOrder(kept) } catch {
            guard case .corrupted = error else { throw error }
            return nil
        }
    }
}

extension LinkedOrder.Seen {
    fileprivate var json: JSONValue {
        .members([
            "modified": .number(String(modified.milliseconds)), "status": .string(status),
            "total": .number(String(total.minorUnits)), "currency": .string(total.currency.code),
            "transaction": .string(transaction),
        ])
    }

    /// Reads the stored form; `nil` for none, so that the order is read again.
    fileprivate init?(json: JSONValue?) {
        guard let modified = json?["modified"]?.int64Value, let status = json?["status"]?.stringValue,
            let units = json?["total"]?.int64Value,
            let currency = json?["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
            let transaction = json?["transaction"]?.stringValue
        else { return nil }
        (self.modified, self.status) = (Timestamp(milliseconds: modified), status)
        (total, self.transaction) = (Money(minorUnits: units, currency: currency), transaction)
    }
}

extension LinkedOrder.ShopsRefund {
    fileprivate var json: JSONValue {
        .members([
            "id": .number(String(id)), "amount": .number(String(amount.minorUnits)),
            "currency": .string(amount.currency.code), "state": .string(state.rawValue),
            "handed": .number(String(handed)),
            "parts": .array(
                parts.map {
                    .members([
                        "payment": .string($0.payment.rawValue), "amount": .number(String($0.amount)),
                        "done": .bool($0.isDone),
                    ])
                }),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let id = json["id"]?.int64Value, let units = json["amount"]?.int64Value,
            let currency = json["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
            let state = json["state"]?.stringValue.flatMap(State.init(rawValue:))
        else { return nil }
        var parts: [Part] = []
        for one in json["parts"]?.arrayValue ?? [] {
            guard let payment = one["payment"]?.stringValue, let amount = one["amount"]?.int64Value else { return nil }
            parts.append(
                Part(
                    payment: PaymentID(rawValue: payment), amount: amount,
                    isDone: one["done"]?.boolValue ?? false))
        }
        self.init(id: id, amount: Money(minorUnits: units, currency: currency), parts: parts, state: state)
        handed = json["handed"]?.int64Value ?? 0
    }
}
