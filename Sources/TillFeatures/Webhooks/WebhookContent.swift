package import TillCore

/// The `data` of a message. Amounts are integers in minor units of `currency`.
package struct WebhookContent: Hashable, Sendable {
    /// The order of which the payment pays a part.
    package struct Part: Hashable, Sendable {
        package let order: OrderID
        /// The number of the part, from 1.
        package let number: Int

        package init(order: OrderID, number: Int) { (self.order, self.number) = (order, number) }
    }

    package var payment: PaymentID
    package var order: OrderID
    package var orderNumber: String
    package var part: Part?
    /// The payment's status in the counter's word.
    package var status: String
    package var amount: Int64
    package var currency: String
    package var captured: Int64
    package var refunded: Int64
    /// The event's name in the journal.
    package var event: String
    /// The position of the event in the journal.
    package var sequence: Int64
    /// The position of the event within the payment.
    package var version: Int
    /// `false` if no real money is involved.
    package var isLive: Bool

    package init(
        payment: PaymentID, order: OrderID, orderNumber: String, part: Part?, status: String, amount: Int64,
        currency: String, captured: Int64, refunded: Int64, event: String, sequence: Int64, version: Int, isLive: Bool
    ) {
        (self.payment, self.order, self.orderNumber, self.part) = (payment, order, orderNumber, part)
        (self.status, self.amount, self.currency) = (status, amount, currency)
        (self.captured, self.refunded) = (captured, refunded)
        (self.event, self.sequence, self.version, self.isLive) = (event, sequence, version, isLive)
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("payment_id", payment.rawValue)
        writer.field("order_id", order.rawValue)
        writer.field("order_number", orderNumber)
        if let part {
            writer.key("part")
            writer.beginObject()
            writer.field("order_id", part.order.rawValue)
            writer.field("number", part.number)
            writer.endObject()
        }
        writer.field("status", status)
        writer.field("amount", amount)
        writer.field("currency", currency)
        writer.field("captured", captured)
        writer.field("refunded", refunded)
        writer.field("event", event)
        writer.field("sequence", sequence)
        writer.field("version", version)
        writer.field("livemode", isLive)
        writer.endObject()
    }
}
