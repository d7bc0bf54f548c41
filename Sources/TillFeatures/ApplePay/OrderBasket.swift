import TillCore
import TillCounter
import TillJournal

/// The basket of an order: one basket for each order of an account, however often the shop opens it.
struct OrderBasket: Hashable, Sendable {
    /// The account of the sale.
    var owner: AccountID
    var order: OrderID
    /// The identifier of the basket.
    var basket: String
    /// The end of retention, which is the basket's expiry.
    var expiresAt: Timestamp

    /// Returns the identifier of an order's record. It is a hash, because an order's identifier may have any printable
    /// character.
    static func id(_ owner: AccountID, _ order: OrderID) -> RecordID {
        RecordID(collection, Hex.lowercase(digest("\(owner.rawValue)\u{0}\(order.rawValue)".utf8)))
    }
}

extension OrderBasket: RecordDocument {
    static let collection: RecordCollection = "wallet_order"

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("order", order.rawValue)
        writer.field("basket", basket)
        writer.field("expires_at", expiresAt.milliseconds)
        writer.endObject()
        return Record(OrderBasket.id(owner, order), body: writer.bytes, due: expiresAt)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            owner: body.owner, order: OrderID(rawValue: try body.text("order")), basket: try body.text("basket"),
            expiresAt: Timestamp(milliseconds: try body.int("expires_at")))
    }
}
