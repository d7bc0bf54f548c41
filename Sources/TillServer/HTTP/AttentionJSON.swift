public import TillCheckout
public import TillCore

/// An entry of the operators' queue as programs see it.
public enum AttentionJSON {
    /// Writes the queue as one value: `{"attention":[…]}`.
    public static func write(_ found: [AttentionQueue.Found], at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.key("attention")
        writer.beginArray()
        for entry in found { write(entry.item, of: entry.payment, at: now, into: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Writes one entry, closed or not, as one value.
    public static func write(
        _ item: AttentionItem, of payment: Payment, at now: Timestamp, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("payment_id", payment.id.rawValue)
        writer.field("number", item.number)
        writer.field("order_id", payment.order.id.rawValue)
        writer.field("order_number", payment.order.number)
        writer.field("status", payment.status.rawValue)
        writer.field("code", item.attention.code)
        writer.field("reason", item.attention.sentence)
        writer.field("next", item.attention.nextStep)
        writer.field("since", item.since.description)
        writer.field("age_seconds", max(0, now.since(item.since).milliseconds / 1000))
        writer.field("state", state(of: item, in: payment))
        writer.key("closing")
        if let closing = item.closing {
            writer.beginObject()
            writer.field("resolution", closing.resolution.kind.rawValue)
            if let amount = closing.resolution.amount {
                writer.field("amount", amount.minorUnits)
            } else {
                writer.key("amount")
                writer.null()
            }
            writer.field("evidence", closing.resolution.evidence)
            writer.field("actor", closing.resolution.actor)
            writer.field("at", closing.at.description)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    /// `open`, `closed` by a person, or `overtaken` by what happened since.
    public static func state(of item: AttentionItem, in payment: Payment) -> String {
        if item.closing != nil { return "closed" }
        return payment.isOvertaken(item) ? "overtaken" : "open"
    }
}
