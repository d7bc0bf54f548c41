public import TillCore

/// Why a content cannot be a receipt.
public enum ReceiptError: ExplainedError, Hashable {
    /// The lines do not make the subtotal, or the rows not the total.
    case doesNotAddUp(expected: Money, found: Money)
    /// Amounts in more than one currency.
    case mixedCurrencies
    /// A sale or a refund without one line and without one row.
    case nothingSold
    /// More lines than fit on any paper.
    case tooManyLines(limit: Int)
    /// There is no such refund.
    case noSuchRefund(RefundID)
    /// The refund is not confirmed, or it failed.
    case refundNotDone(RefundID)

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch self {
        case .doesNotAddUp: "receipt_does_not_add_up"
        case .mixedCurrencies: "receipt_mixed_currencies"
        case .nothingSold: "receipt_without_lines"
        case .tooManyLines: "receipt_too_long"
        case .noSuchRefund: "refund_not_found"
        case .refundNotDone: "refund_not_done"
        }
    }

    /// Which receipt cannot be written, and why.
    public var what: String {
        switch self {
        case .doesNotAddUp(let expected, let found): "The receipt says \(expected) but its parts add up to \(found)."
        case .mixedCurrencies: "The receipt has amounts in more than one currency."
        case .nothingSold: "The receipt lists nothing that was sold."
        case .tooManyLines(let limit): "The receipt has more than \(limit) lines."
        case .noSuchRefund(let id): "There is no refund \(id) of this payment."
        case .refundNotDone(let id): "The refund \(id) is not confirmed, so it has no receipt."
        }
    }

    /// A receipt is a picture of a payment.
    public var moneyMoved: MoneyMoved { .no }

    /// What to do next.
    public var next: String {
        switch self {
        case .refundNotDone: "The payment stands as it is; ask again when the refund is confirmed."
        default: "The payment stands as it is; correct what was given for the receipt."
        }
    }
}
