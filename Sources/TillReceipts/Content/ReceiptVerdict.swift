import TillCore

/// The payment status at the top of a receipt. Never "paid" without captured money, and never "not paid" while the
/// provider may have captured it.
public enum ReceiptVerdict: String, Hashable, Sendable {
    /// The money was captured.
    case paid
    /// Part of the amount was captured.
    case partlyPaid = "partly_paid"
    /// The money was captured and partly refunded.
    case partlyRefunded = "partly_refunded"
    /// The full amount was refunded.
    case refunded
    /// Money is held and not captured.
    case held
    /// The card was read offline; no authorization was requested yet.
    case storedOffline = "stored_offline"
    /// Definitively, no money was captured.
    case notPaid = "not_paid"
    /// The outcome is not known yet.
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

    /// `true` unless the issuer approved less than requested. Capturing part of a hold is the shop's decision and does
    /// not count.
    private static func isApprovedWhole(_ payment: Payment) -> Bool {
        guard let attempt = payment.currentAttempt, let approved = attempt.approved else { return true }
        return approved.minorUnits >= attempt.amount.minorUnits
    }

    /// The English headline in capitals, as printed.
    public var headline: String { ReceiptLabels.english[label].plain }

    /// The label of the headline.
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

    /// `true` for a headline that must not be mistaken for proof of payment.
    var isWarning: Bool {
        switch self {
        case .paid, .partlyPaid, .partlyRefunded, .refunded: false
        case .held, .storedOffline, .notPaid, .notConfirmed: true
        }
    }

    /// Returns an additional sentence if the headline alone could be misread.
    func sentence(_ payment: Payment, _ labels: ReceiptLabels) -> ReceiptText? {
        switch self {
        case .paid, .partlyPaid, .partlyRefunded, .refunded: return nil
        case .held: return labels[.sentenceHeld]
        case .storedOffline: return labels[.sentenceStored]
        case .notConfirmed: return labels[.sentenceNotConfirmed]
        case .notPaid:
            if case .declined(let decline)? = payment.attempts.last?.state {
                // The engine's decline sentences are English.
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
