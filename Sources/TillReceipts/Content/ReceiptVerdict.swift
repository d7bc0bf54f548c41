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
    /// The card was read without a connection; nobody has been asked.
    case storedOffline = "stored_offline"
    /// Certainly no money was taken.
    case notPaid = "not_paid"
    /// Whether money moved is not known yet.
    case notConfirmed = "not_confirmed"

    init(_ payment: Payment) {
        switch payment.status {
        case .succeeded: self = ReceiptVerdict.isApprovedWhole(payment) ? .paid : .partlyPaid
        case .partiallyCaptured: self = .partlyPaid
        case .partiallyRefunded: self = .partlyRefunded
        case .refunded: self = .refunded
        case .requiresCapture: self = .held
        case .stored: self = .storedOffline
        case .processing, .unknown, .requiresAction: self = .notConfirmed
        case .requiresPaymentMethod, .declined, .canceled, .expired, .captureFailed:
            self = payment.moneyMoved == .unknown ? .notConfirmed : .notPaid
        }
    }

    /// The issuer did not approve less than was asked for. That a hold was captured in part is the shop's own doing.
    private static func isApprovedWhole(_ payment: Payment) -> Bool {
        guard let attempt = payment.currentAttempt, let approved = attempt.approved else { return true }
        return approved.minorUnits >= attempt.amount.minorUnits
    }

    /// In capitals, as on paper, in English.
    public var headline: String { ReceiptLabels.english[label].plain }

    /// What its headline is called.
    var label: ReceiptLabel {
        switch self {
        case .paid: .headlinePaid
        case .partlyPaid: .headlinePartlyPaid
        case .partlyRefunded: .headlinePartlyRefunded
        case .refunded: .headlineRefunded
        case .held: .headlineHeld
        case .storedOffline: .headlineStored
        case .notPaid: .headlineNotPaid
        case .notConfirmed: .headlineNotConfirmed
        }
    }

    /// The words must not be taken for a receipt of money.
    var isWarning: Bool {
        switch self {
        case .paid, .partlyPaid, .partlyRefunded, .refunded: false
        case .held, .storedOffline, .notPaid, .notConfirmed: true
        }
    }

    /// One sentence more, where the headline alone could be taken wrongly.
    func sentence(_ payment: Payment, _ labels: ReceiptLabels) -> ReceiptText? {
        switch self {
        case .paid, .partlyPaid, .partlyRefunded, .refunded: return nil
        case .held: return labels[.sentenceHeld]
        case .storedOffline: return labels[.sentenceStored]
        case .notConfirmed: return labels[.sentenceNotConfirmed]
        case .notPaid:
            if case .declined(let decline)? = payment.attempts.last?.state {
                // The engine's sentences per reason are English.
                return labels.language == "en"
                    ? ReceiptText(decline.reason.customerSentence) : labels[.sentenceDeclined]
            }
            switch payment.status {
            case .canceled: return labels[.sentenceCanceled]
            case .expired: return labels[.sentenceExpired]
            default: return labels[.sentenceNothingCharged]
            }
        }
    }
}
