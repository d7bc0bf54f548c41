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
        let part = payment.order.part.map { WebhookContent.Part(order: $0.order, number: $0.number) }
        return bytes(
            type, at: record.at,
            WebhookContent(
                payment: payment.id, order: payment.order.id, orderNumber: payment.order.number, part: part,
                status: payment.status.rawValue, amount: payment.amount.minorUnits, currency: payment.currency.code,
                captured: payment.captured.minorUnits, refunded: payment.refunded.minorUnits,
                event: record.event.name, sequence: sequence, version: version,
                isLive: mode == .live && !payment.isTest))
    }

    /// Returns the body for an event of a payment that is not in this process.
    /// - Parameter at: The time of the event.
    package static func bytes(_ type: WebhookType, at: Timestamp, _ content: WebhookContent) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("type", type.rawValue)
        writer.field("timestamp", at.description)
        writer.key("data")
        content.write(into: &writer)
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
