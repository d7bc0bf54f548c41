public import TillCore

/// A hold that keeps an order from being sold although no payment of the journal has it: it was, or may have been, paid
/// elsewhere. Created with the incident that reports it, in the same commit.
public struct OrderHold: RecordDocument, Hashable {
    public static let collection: RecordCollection = "order_hold"
    /// The maximum number of incidents named by one hold; further ones are not added, and the order remains held.
    public static let maximumIncidents = 500

    public let account: AccountID
    public let order: OrderID
    /// Open incidents.
    public var open: [String]
    /// Incidents resolved as having paid the order. The hold is permanent.
    public var paid: [String]

    public init(account: AccountID, order: OrderID, open: [String] = [], paid: [String] = []) {
        self.account = account
        self.order = order
        self.open = open
        self.paid = paid
    }

    /// Returns the record identifier of an order. A part of an order has that of the order: a charge that is accounted
    /// for by no payment may have paid any part of it.
    public static func id(account: AccountID, order: OrderID) -> RecordID {
        RecordID(collection, OrderTab.key(account: account, order: order.whole))
    }

    /// Returns the record identifier under which an earlier version held an order whose name, such as `2024~17`, was
    /// that of no part yet; `nil` for other names.
    public static func earlierID(account: AccountID, order: OrderID) -> RecordID? {
        guard order.whole != order else { return nil }
        return RecordID(collection, OrderTab.key(account: account, order: order))
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        account = AccountID(rawValue: try body.text("account"))
        order = OrderID(rawValue: try body.text("order"))
        open = (body.json["open"]?.arrayValue ?? []).compactMap(\.stringValue)
        paid = (body.json["paid"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard !open.isEmpty || !paid.isEmpty else { throw body.damaged("open") }
    }

    public var record: Record { record(at: OrderHold.id(account: account, order: order)) }

    /// Returns the hold as the record of that identifier.
    func record(at id: RecordID) -> Record {
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
        return Record(id, body: writer.bytes)
    }
}
