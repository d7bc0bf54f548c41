/// The status of a payment shown to the shop.
public enum PaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// No attempt has been made yet.
    case requiresPaymentMethod = "requires_payment_method"
    /// The last attempt was declined; another may follow.
    case declined
    /// The customer must take action.
    case requiresAction = "requires_action"
    /// The card's data are stored on this device; not authorized yet. Not paid.
    case stored
    /// A provider call is under way.
    case processing
    /// The provider was called and the outcome is unknown. Do not take another payment.
    case unknown
    case requiresCapture = "requires_capture"
    /// A part of the hold was captured; more may follow.
    case partiallyCaptured = "partially_captured"
    /// The money was captured.
    case succeeded
    /// A part of the money was refunded.
    case partiallyRefunded = "partially_refunded"
    /// All of the money was refunded.
    case refunded
    case canceled
    /// The hold expired; no money was captured.
    case expired
    /// All captures failed after they had succeeded. The payment leaves its order once the provider holds nothing
    /// either; until then, cancel it before the order is charged again.
    case captureFailed = "capture_failed"
}
