internal import Crypto
public import TillCore

/// That an order must not be sold although no payment of the journal has it: something outside was, or may have been,
/// paid for it. Made with the incident that says so, in the same commit.
public struct OrderHold: RecordDocument, Hashable {
    public static let collection: RecordCollection = "order_hold"
    /// Incidents that one hold names; more are not added, and the order stays held.
    public static let maximumIncidents = 500

    public let account: AccountID
    public let order: OrderID
    /// Incidents that nobody has resolved.
    public var open: [String]
    /// Incidents of which a person has said that they paid the order. It is held for good.
    public var paid: [String]

    public init(account: AccountID, order: OrderID, open: [String] = [], paid: [String] = []) {
        self.account = account
        self.order = order
        self.open = open
        self.paid = paid
    }

    /// The record of an order; its name is a hash, because an order's name may be longer than a record's.
    public static func id(account: AccountID, order: OrderID) -> RecordID {
        let name = Array("\(account.rawValue)\n\(order.rawValue)".utf8)
        return RecordID(collection, Hex.lowercase(Array(SHA256.hash(data: name))))
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        account = AccountID(rawValue: try body.text("account"))
        order = OrderID(rawValue: try body.text("order"))
        open = (body.json["open"]?.arrayValue ?? []).compactMap(\.stringValue)
        paid = (body.json["paid"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard !open.isEmpty || !paid.isEmpty else { throw body.damaged("open") }
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("order", order.rawValue)
        for (name, incidents) in [("open", open), ("paid", paid)] {
            writer.key(name)
            writer.beginArray()
            for incident in incidents { writer.string(incident) }
            writer.endArray()
        }
        writer.endObject()
        return Record(OrderHold.id(account: account, order: order), body: writer.bytes)
    }
}
