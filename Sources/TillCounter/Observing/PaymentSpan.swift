package import TillCore
import Tracing

/// The spans of this process.
package enum Spans {
    /// `true` if an instrument is installed that may record them. Without one a span would be begun and ended for
    /// nothing, through several calls that could wait.
    package static var areRecorded: Bool { !(InstrumentationSystem.instrument is NoOpInstrument) }
}

/// Runs one step of a payment inside its own span, which records the payment's ID and resulting status.
package func withPaymentSpan(
    _ step: String, _ id: PaymentID, _ work: () async throws -> Payment
) async rethrows -> Payment {
    guard Spans.areRecorded else { return try await work() }
    return try await withSpan("payment \(step)") { span in
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
