public import TillCore

/// What a driver answered after its service had given the command up, or what the service itself leaves behind. It
/// changed nothing there; the shop settles it with its journal.
public enum CardReaderLateResult: Hashable, Sendable {
    /// An intent as the provider had it: check its status before changing the order.
    case intent(PaymentIntent, order: OrderID, attempt: CardReaderAttemptID)
    /// A refund as the provider had it.
    case refund(CardReaderRefund, key: IdempotencyKey, attempt: CardReaderAttemptID)
    /// A command that failed late.
    case failure(CardReaderServiceError, attempt: CardReaderAttemptID)
    /// A reader that connected after the attempt was given up. It was released again.
    case reader(CardReader, attempt: CardReaderAttemptID)
    /// An intent that could not be ended when its payment was canceled. No money was asked for with it.
    case intentLeftOpen(PaymentIntent, order: OrderID)
    /// A payment that ``CardReaderService/clear()`` forgot. If it had no outcome it must never be captured unseen.
    case forgotten(PaymentIntent, order: OrderID, isUnknown: Bool)
}

/// Receives what came late. Called one at a time, in order.
public typealias CardReaderReconciler = @Sendable (CardReaderLateResult) async -> Void
