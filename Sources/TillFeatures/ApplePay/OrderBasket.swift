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
    /// The end of retention, which is the basket's; `nil` while a payment is in progress.
    var expiresAt: Timestamp?
    /// `true` while the basket has no payment.
    var isUnpaid: Bool

    /// Creates the record for a basket as it is.
    init(of basket: WalletBasket, on terms: BasketTerms) {
        (owner, order, self.basket) = (basket.owner, terms.order, basket.id)
        (expiresAt, isUnpaid) = (basket.end, basket.attempt == nil)
    }

    /// Returns the identifier of an order's record. It is a hash, because an order's identifier may have any printable
    /// character.
    static func id(_ owner: AccountID, _ order: OrderID) -> RecordID {
        RecordID(collection, Hex.lowercase(digest("\(owner.rawValue)\u{0}\(order.rawValue)".utf8)))
    }
}

extension OrderBasket: RecordDocument {
    static let collection: RecordCollection = "wallet_order"
    /// The match for orders whose basket has no payment.
    static let unpaid = RecordMatch("unpaid", "1")

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("order", order.rawValue)
        writer.field("basket", basket)
        if let expiresAt { writer.field("expires_at", expiresAt.milliseconds) }
        writer.field("unpaid", isUnpaid)
        writer.endObject()
        return Record(
            OrderBasket.id(owner, order), body: writer.bytes,
            fields: isUnpaid ? [OrderBasket.unpaid.field: OrderBasket.unpaid.value] : [:], due: expiresAt)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        owner = body.owner
        order = OrderID(rawValue: try body.text("order"))
        basket = try body.text("basket")
        expiresAt = body.optionalInt("expires_at").map { Timestamp(milliseconds: $0) }
        isUnpaid = body.json["unpaid"]?.boolValue ?? true
    }
}
