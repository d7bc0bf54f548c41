package import TillCore
import Tracing

/// Runs one step of a payment inside its own span, which records the payment's ID and resulting status.
package func withPaymentSpan(
    _ step: String, _ id: PaymentID, _ work: () async throws -> Payment
) async rethrows -> Payment {
    try await withSpan("payment \(step)") { span in
        // Without a tracer each attribute would be a dictionary made and dropped.
        if span.isRecording {
            span.attributes["till.payment_id"] = id.rawValue
            if let request = ServiceContext.current?.requestID { span.attributes["till.request_id"] = request }
        }
        let payment = try await work()
        if span.isRecording { span.attributes["till.payment_status"] = payment.status.rawValue }
        return payment
    }
}
