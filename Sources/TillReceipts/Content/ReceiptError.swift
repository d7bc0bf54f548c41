public import TillCore

/// An error for content that is not a valid receipt.
public enum ReceiptError: ExplainedError, Hashable {
    /// The lines do not add up to the subtotal, or the rows not to the total.
    case doesNotAddUp(expected: Money, found: Money)
    /// Amounts in more than one currency.
    case mixedCurrencies
    /// Neither a line nor a row is present.
    case nothingSold
    /// More lines than ``ReceiptContent/maximumLines``.
    case tooManyLines(limit: Int)
    /// No such refund exists.
    case noSuchRefund(RefundID)
    /// The refund is unconfirmed or failed.
    case refundNotDone(RefundID)
    /// No card was presented at a reader.
    case noCardPresent

    /// A stable error code for programs, the same in every release.
    public var code: String {
        switch self {
        case .doesNotAddUp: "receipt_does_not_add_up"
        case .mixedCurrencies: "receipt_mixed_currencies"
        case .nothingSold: "receipt_without_lines"
        case .tooManyLines: "receipt_too_long"
        case .noSuchRefund: "refund_not_found"
        case .refundNotDone: "refund_not_done"
        case .noCardPresent: "no_card_present"
        }
    }

    /// The receipt that cannot be created, and the reason.
    public var what: String {
        switch self {
        case .doesNotAddUp(let expected, let found): "The receipt says \(expected) but its parts add up to \(found)."
        case .mixedCurrencies: "The receipt has amounts in more than one currency."
        case .nothingSold: "The receipt lists nothing that was sold."
        case .tooManyLines(let limit): "The receipt has more than \(limit) lines."
        case .noSuchRefund(let id): "There is no refund \(id) of this payment."
        case .refundNotDone(let id): "The refund \(id) is not confirmed, so it has no receipt."
        case .noCardPresent: "No card was presented at a reader, so there is no receipt of one."
        }
    }

    /// Always `no`: a receipt only documents a payment.
    public var moneyMoved: MoneyMoved { .no }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .refundNotDone: "The payment stands as it is; ask again when the refund is confirmed."
        default: "The payment stands as it is; correct what was given for the receipt."
        }
    }
}
