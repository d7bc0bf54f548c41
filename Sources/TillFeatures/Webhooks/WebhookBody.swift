package import TillCore

/// The body of a message: thin, so that it holds nothing personal, and a late one cannot contradict the journal.
/// Amounts are integers in minor units. `GET /v1/payments/{id}` has the rest.
package enum WebhookBody {
    /// Returns the body for an event.
    /// - Parameters:
    ///   - payment: The payment as it was right after the event.
    ///   - sequence: The position of the event in the journal: higher is later.
    ///   - version: The position of the event within the payment.
    package static func bytes(
        _ type: WebhookType, _ record: RecordedEvent, of payment: Payment, sequence: Int64, version: Int,
        mode: PaymentMode
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("type", type.rawValue)
        writer.field("timestamp", record.at.description)
        writer.key("data")
        writer.beginObject()
        writer.field("payment_id", payment.id.rawValue)
        writer.field("order_id", payment.order.id.rawValue)
        writer.field("order_number", payment.order.number)
        if let part = payment.order.part {
            writer.key("part")
            writer.beginObject()
            writer.field("order_id", part.order.rawValue)
            writer.field("number", part.number)
            writer.endObject()
        }
        writer.field("status", payment.status.rawValue)
        writer.field("amount", payment.amount.minorUnits)
        writer.field("currency", payment.currency.code)
        writer.field("captured", payment.captured.minorUnits)
        writer.field("refunded", payment.refunded.minorUnits)
        writer.field("event", record.event.name)
        writer.field("sequence", sequence)
        writer.field("version", version)
        writer.field("livemode", mode == .live && !payment.isTest)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body of a test message.
    static func test(of endpoint: WebhookEndpointID, at now: Timestamp, mode: PaymentMode) -> [UInt8] {
        var writer = JSONWriter(reserving: 192)
        writer.beginObject()
        writer.field("type", WebhookType.test)
        writer.field("timestamp", now.description)
        writer.key("data")
        writer.beginObject()
        writer.field("endpoint", endpoint.rawValue)
        writer.field("livemode", mode == .live)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
