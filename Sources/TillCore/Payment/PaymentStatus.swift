/// What the shop sees of a payment, in one word.
public enum PaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// Nobody has paid yet.
    case requiresPaymentMethod = "requires_payment_method"
    /// The last attempt was declined; another may follow.
    case declined
    /// The customer must do something.
    case requiresAction = "requires_action"
    /// The card's data are stored on this device; nobody has authorized anything. Not paid.
    case stored
    /// The provider is being asked.
    case processing
    /// The provider was asked and the answer is not known. Do not take another payment.
    case unknown
    case requiresCapture = "requires_capture"
    /// A part of the hold was captured; more may be.
    case partiallyCaptured = "partially_captured"
    /// The money was captured.
    case succeeded
    /// A part of it was refunded.
    case partiallyRefunded = "partially_refunded"
    /// All of it was refunded.
    case refunded
    case canceled
    /// The hold expired; no money was captured.
    case expired
    /// What was captured failed afterwards, and nothing else was captured. It has left its order as soon as the
    /// provider holds nothing either; until then cancel it before the order is charged again.
    case captureFailed = "capture_failed"
}
