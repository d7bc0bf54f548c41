import TillCheckout
import TillCore
import TillCounter

/// The JSON form of an order. Amounts are integers in minor units of `currency`.
enum OrderJSON {
    /// `true` for a caller that sees whom an order is for: one that may sell. Others, such as a display or a report,
    /// have no need of names and telephone numbers.
    static func seesContact(_ scopes: Set<APIScope>) -> Bool { scopes.contains(.sell) }

    /// Encodes an order with all of its payments, for a caller with these scopes.
    static func whole(_ entry: OrderBook.Entry, for scopes: Set<APIScope>) -> [UInt8] {
        var writer = JSONWriter(reserving: 2_048)
        write(entry, withPayments: true, withContact: seesContact(scopes), into: &writer)
        return writer.bytes
    }

    /// Writes an order as one value.
    /// - Parameters:
    ///   - withPayments: `true` for whole payments; else each is written in short.
    ///   - withContact: `false` to leave out the customer.
    static func write(
        _ entry: OrderBook.Entry, withPayments: Bool, withContact: Bool, into writer: inout JSONWriter
    ) {
        let (booked, order) = (entry.order, entry.order.content.order)
        writer.beginObject()
        writer.field("id", order.id.rawValue)
        writer.field("account", booked.account.rawValue)
        writer.field("number", order.number)
        writer.field("state", booked.state.rawValue)
        writer.field("version", booked.changes)
        writer.field("currency", order.currency.code)
        writer.field("amount", order.total.minorUnits)
        writer.field("tax", order.taxTotal.minorUnits)
        lines(of: order, into: &writer)
        charges("shipping", order.shipping, into: &writer)
        charges("fees", order.fees, into: &writer)
        if let standing = order.standing { writer.field("shop_says", standing.clause) }
        if let basket = booked.origin.basket { writer.field("basket_id", basket) }
        writer.field("handover", booked.content.handover.rawValue)
        writer.field("wanted_at", booked.content.wantedAt)
        writer.field("note", booked.content.note)
        if withContact {
            writer.key("customer")
            if let contact = booked.content.contact { writer.value(contact.json) } else { writer.null() }
        }
        writer.key("metadata")
        writer.metadata(order.metadata)
        money(entry.money, withPayments: withPayments, into: &writer)
        writer.field("created_at", booked.createdAt.description)
        writer.field("updated_at", booked.updatedAt.description)
        writer.endObject()
    }

    private static func lines(of order: Order, into writer: inout JSONWriter) {
        writer.key("lines")
        writer.beginArray()
        for line in order.lines {
            writer.beginObject()
            writer.field("name", line.name)
            writer.field("quantity", line.quantity)
            writer.field("amount", line.total.minorUnits)
            writer.field("tax", line.tax.minorUnits)
            if let sku = line.sku { writer.field("sku", sku) }
            if !line.attributes.isEmpty {
                writer.key("options")
                writer.beginObject()
                for option in line.attributes { writer.field(option.name, option.value) }
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private static func charges(_ name: String, _ charges: [OrderCharge], into writer: inout JSONWriter) {
        guard !charges.isEmpty else { return }
        writer.key(name)
        writer.beginArray()
        for charge in charges {
            writer.beginObject()
            writer.field("name", charge.name)
            writer.field("amount", charge.total.minorUnits)
            writer.field("tax", charge.tax.minorUnits)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func money(
        _ money: OrderBook.OrderMoney, withPayments: Bool, into writer: inout JSONWriter
    ) {
        switch money {
        case .unreadable(let payment):
            writer.key("payment")
            writer.beginObject()
            writer.field("status", "unreadable")
            writer.field("message", "Payment \(payment): \(PaymentJSON.unreadable)")
            writer.endObject()
        case .known(let balance, let payments):
            writer.key("payment")
            writer.beginObject()
            writer.field("status", balance.status.rawValue)
            writer.field("paid", balance.paid.minorUnits)
            writer.field("reserved", balance.reserved.minorUnits)
            writer.field("open", balance.open.minorUnits)
            writer.field("excess", balance.excess.minorUnits)
            writer.field("refunded", balance.refunded.minorUnits)
            writer.endObject()
            writer.key("payments")
            writer.beginArray()
            for payment in payments {
                if withPayments { PaymentJSON.write(payment, into: &writer) } else { short(payment, into: &writer) }
            }
            writer.endArray()
        }
    }

    private static func short(_ payment: Payment, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", payment.id.rawValue)
        writer.field("status", payment.status.rawValue)
        writer.field("amount", payment.amount.minorUnits)
        writer.field("captured", payment.captured.minorUnits)
        writer.field("refunded", payment.refunded.minorUnits)
        writer.endObject()
    }
}
