import TillCore

/// What the receipt says first: whether it is paid. Never "paid" without captured money, never "not paid" while the
/// provider may have taken it.
public enum ReceiptVerdict: String, Hashable, Sendable {
    /// The money was taken.
    case paid
    /// A part was taken.
    case partlyPaid = "partly_paid"
    /// The money was taken and a part of it went back.
    case partlyRefunded = "partly_refunded"
    /// All of it went back.
    case refunded
    /// Money is held and not taken.
    case held
    /// Certainly no money was taken.
    case notPaid = "not_paid"
    /// Nobody knows yet.
    case notConfirmed = "not_confirmed"

    init(_ payment: Payment) {
        switch payment.status {
        case .succeeded: self = .paid
        case .partiallyCaptured: self = .partlyPaid
        case .partiallyRefunded: self = .partlyRefunded
        case .refunded: self = .refunded
        case .requiresCapture: self = .held
        case .processing, .unknown, .requiresAction: self = .notConfirmed
        case .requiresPaymentMethod, .declined, .canceled, .expired:
            self = payment.moneyMoved == .unknown ? .notConfirmed : .notPaid
        }
    }

    /// In capitals, as on paper.
    public var headline: String {
        switch self {
        case .paid: "PAID"
        case .partlyPaid: "PARTLY PAID"
        case .partlyRefunded: "PAID, PARTLY REFUNDED"
        case .refunded: "REFUNDED"
        case .held: "NOT PAID YET — AMOUNT HELD"
        case .notPaid: "NOT PAID"
        case .notConfirmed: "NOT CONFIRMED YET — do not pay again"
        }
    }

    /// One sentence more, where the headline alone could be taken wrongly.
    func sentence(_ payment: Payment) -> String? {
        switch self {
        case .paid, .partlyPaid, .partlyRefunded, .refunded: return nil
        case .held: return "The amount is reserved and was not taken. This is no receipt of a payment."
        case .notConfirmed:
            return "The payment is being checked. It may have been taken. This is no receipt of a payment."
        case .notPaid:
            if case .declined(let decline)? = payment.attempts.last?.state { return decline.reason.customerSentence }
            switch payment.status {
            case .canceled: return "The payment was canceled. Nothing was charged."
            case .expired: return "The reserved amount was released. Nothing was charged."
            default: return "Nothing was charged."
            }
        }
    }
}
