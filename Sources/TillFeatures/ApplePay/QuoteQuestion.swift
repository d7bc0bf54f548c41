import TillApplePay
import TillCore

/// A question for the price of a basket, as the shop's server gets it.
struct QuoteQuestion: Sendable {
    /// The type of the message.
    static let type = "basket.quote"

    /// The occasion of a question.
    enum Change: String, CaseIterable, Sendable {
        case shippingContact = "shipping_contact"
        case shippingMethod = "shipping_method"
        case coupon
        /// The sheet was authorized, and the complete address has another part known before than the one quoted for.
        case authorized
    }

    var change: Change
    var basket: SheetBasket
    /// The order's number as given by the shop.
    var order: String
    var address: QuoteAddress
    var isLive: Bool

    /// Returns the body. The lines and the total are those of the basket as the shop opened it, with the choices in the
    /// sheet; never those of an earlier quote.
    func body(at now: Timestamp) throws(MoneyError) -> [UInt8] {
        var own = basket
        own.awaitPrice()
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("type", QuoteQuestion.type)
        writer.field("timestamp", now.description)
        writer.key("data")
        writer.beginObject()
        writer.field("basket_id", own.id)
        writer.field("order_id", order)
        writer.field("change", change.rawValue)
        writer.field("address", address.json)
        writer.field("shipping_method", own.shippingMethod?.identifier)
        writer.field("coupon", own.coupon?.code)
        writer.field("currency", own.currency.code)
        writer.field("total", try own.total().minorUnits)
        writer.key("items")
        writer.beginArray()
        for item in try own.summaryItems() {
            writer.beginObject()
            writer.field("label", item.label)
            writer.field("amount", item.amount.minorUnits)
            writer.endObject()
        }
        writer.endArray()
        writer.field("livemode", isLive)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
