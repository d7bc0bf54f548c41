public import TillCore

/// A driver's result that arrived after its service abandoned the command, or state that the service itself leaves
/// behind. It changed nothing there; the shop settles it with its journal.
public enum CardReaderLateResult: Hashable, Sendable {
    /// An intent as reported by the provider: check its status before changing the order.
    case intent(PaymentIntent, order: OrderID, attempt: CardReaderAttemptID)
    /// A refund as reported by the provider.
    case refund(CardReaderRefund, key: IdempotencyKey, attempt: CardReaderAttemptID)
    /// A command that failed late.
    case failure(CardReaderServiceError, attempt: CardReaderAttemptID)
    /// A reader that connected after the attempt was abandoned. It was released again.
    case reader(CardReader, attempt: CardReaderAttemptID)
    /// An intent that could not be canceled with its payment. It was never confirmed.
    case intentLeftOpen(PaymentIntent, order: OrderID)
    /// A payment discarded by ``CardReaderService/clear()``. If its outcome is unknown it must never be captured
    /// unchecked.
    case forgotten(PaymentIntent, order: OrderID, isUnknown: Bool)
}

/// Receives late results, one at a time, in order.
public typealias CardReaderReconciler = @Sendable (CardReaderLateResult) async -> Void
