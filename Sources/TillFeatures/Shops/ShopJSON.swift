package import TillCore
import TillShop

/// The JSON form of connected shops.
package enum ShopJSON {
    /// Encodes a shop with the number of its orders and those that are not in step.
    package static func write(
        _ shop: ConnectedShop, orders: Int, troubles: [(order: OrderID, trouble: ShopTrouble)],
        into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("id", shop.id.rawValue)
        writer.field("url", shop.url.text)
        writer.field("key", shop.keyEnding)
        writer.field("scope", shop.scope?.rawValue)
        writer.field("orders", orders)
        writer.field("seen_until", shop.seenUntil?.description)
        writer.key("trouble")
        if let trouble = shop.trouble { trouble.write(into: &writer) } else { writer.null() }
        writer.key("order_troubles")
        writer.beginArray()
        for (order, trouble) in troubles {
            writer.beginObject()
            writer.field("order_id", order.rawValue)
            writer.key("trouble")
            trouble.write(into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.field("created_at", shop.createdAt.description)
        writer.endObject()
    }
}
