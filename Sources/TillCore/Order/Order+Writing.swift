extension JSONWriter {
    /// Writes the stored form of an order: the bytes of ``Order/jsonValue``, without building its values first.
    ///
    /// What is stored is hashed and compared, so no byte may differ between the two.
    package mutating func order(_ order: Order) {
        beginObject()
        field("id", order.id.rawValue)
        field("number", order.number)
        field("currency", order.currency.code)
        amount("total", order.total)
        if let description = order.description { field("description", description) }
        if order.lines.isEmpty { amount("subtotal", order.subtotal) }
        amount("tax", order.taxTotal)
        if !order.rounding.isZero { amount("rounding", order.rounding) }
        list("lines", order.lines) { $0.line($1) }
        list("shipping", order.shipping) { $0.charge($1) }
        list("fees", order.fees) { $0.charge($1) }
        list("coupons", order.coupons) { writer, coupon in
            writer.beginObject()
            writer.field("code", coupon.code)
            writer.amount("discount", coupon.discount)
            writer.endObject()
        }
        list("gift_cards", order.giftCards) { writer, card in
            writer.beginObject()
            writer.field("last_four", card.lastFour)
            writer.amount("amount", card.amount)
            writer.endObject()
        }
        list("taxes", order.taxes) { writer, tax in
            writer.beginObject()
            writer.field("label", tax.label)
            writer.amount("total", tax.total)
            writer.endObject()
        }
        list("notices", order.notices) { writer, notice in writer.string(notice) }
        if let standing = order.standing { self.standing(standing) }
        if let part = order.part {
            key("part")
            beginObject()
            field("of", part.order.rawValue)
            field("number", part.number)
            endObject()
        }
        if !order.metadata.isEmpty {
            key("metadata")
            metadata(order.metadata)
        }
        endObject()
    }

    private mutating func line(_ line: OrderLine) {
        beginObject()
        field("name", line.name)
        field("quantity", line.quantity)
        if let sku = line.sku { field("sku", sku) }
        list("attributes", line.attributes) { writer, attribute in
            writer.beginObject()
            writer.field("name", attribute.name)
            writer.field("value", attribute.value)
            writer.endObject()
        }
        amount("subtotal", line.subtotal)
        amount("total", line.total)
        amount("tax", line.tax)
        endObject()
    }

    private mutating func charge(_ charge: OrderCharge) {
        beginObject()
        field("name", charge.name)
        amount("total", charge.total)
        amount("tax", charge.tax)
        endObject()
    }

    private mutating func standing(_ standing: OrderStanding) {
        key("standing")
        beginObject()
        switch standing {
        case .paid(let day, let way):
            field("kind", "paid")
            field("on", day)
            if let way { field("through", way) }
        case .refunded: field("kind", "refunded")
        case .canceled: field("kind", "canceled")
        case .trashed: field("kind", "trashed")
        }
        endObject()
    }

    /// Writes an amount as decimal text.
    private mutating func amount(_ key: String, _ money: Money) { field(key, money.decimalString) }

    /// Writes a list; nothing for an empty one.
    private mutating func list<Part>(_ name: String, _ parts: [Part], _ write: (inout JSONWriter, Part) -> Void) {
        guard !parts.isEmpty else { return }
        key(name)
        beginArray()
        for part in parts { write(&self, part) }
        endArray()
    }
}
