import TillCore
import TillFeatureWebhooks

/// A made-up message, for programs under test: the members of a real one, about a payment that does not exist.
struct WebhookSample {
    private static let amount: Int64 = 1_250

    let type: String
    let body: [UInt8]

    /// The parts in which messages of a type differ; sums in minor units.
    private struct Parts {
        var event: String
        var status: PaymentStatus
        var captured: Int64 = 0
        var refunded: Int64 = 0
    }

    /// The types of which there is a sample.
    static var types: [String] { WebhookType.allCases.map(\.rawValue) + [WebhookType.test] }

    /// Creates a sample; `nil` for an unknown type.
    init?(_ type: String, at now: Timestamp) {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("type", type)
        writer.field("timestamp", now.description)
        writer.key("data")
        writer.beginObject()
        if let known = WebhookType(rawValue: type) {
            WebhookSample.write(WebhookSample.parts(of: known), into: &writer)
        } else if type == WebhookType.test {
            writer.field("endpoint", "we_sample")
        } else {
            return nil
        }
        writer.field("livemode", false)
        writer.endObject()
        writer.endObject()
        (self.type, body) = (type, writer.bytes)
    }

    private static func write(_ parts: Parts, into writer: inout JSONWriter) {
        writer.field("payment_id", "pay_sample")
        writer.field("order_id", "sample-1001")
        writer.field("order_number", "1001")
        writer.field("status", parts.status.rawValue)
        writer.field("amount", amount)
        writer.field("currency", "EUR")
        writer.field("captured", parts.captured)
        writer.field("refunded", parts.refunded)
        writer.field("event", parts.event)
        writer.field("sequence", 1)
        writer.field("version", 1)
    }

    private static func parts(of type: WebhookType) -> Parts {
        switch type {
        case .created: Parts(event: "payment.created", status: .requiresPaymentMethod)
        case .actionRequired: Parts(event: "attempt.action_required", status: .requiresAction)
        case .stored: Parts(event: "attempt.stored", status: .stored)
        case .authorized: Parts(event: "attempt.authorized", status: .requiresCapture)
        case .declined: Parts(event: "attempt.declined", status: .declined)
        case .unknown: Parts(event: "operation.unknown", status: .unknown)
        case .expired: Parts(event: "attempt.expired", status: .expired)
        case .voided: Parts(event: "void.succeeded", status: .canceled)
        case .captured: Parts(event: "capture.succeeded", status: .succeeded, captured: amount)
        case .captureFailed: Parts(event: "capture.failed", status: .captureFailed)
        case .captureRestored: Parts(event: "capture.restored", status: .succeeded, captured: amount)
        case .refunded: Parts(event: "refund.succeeded", status: .refunded, captured: amount, refunded: amount)
        case .refundFailed: Parts(event: "refund.failed", status: .succeeded, captured: amount)
        case .canceled: Parts(event: "payment.canceled", status: .canceled)
        case .attentionRequired: Parts(event: "payment.attention_required", status: .unknown)
        case .disputeOpened, .disputeUpdated, .disputeFundsWithdrawn, .disputeFundsReinstated, .disputeClosed:
            Parts(event: type.rawValue, status: .succeeded, captured: amount)
        }
    }
}
