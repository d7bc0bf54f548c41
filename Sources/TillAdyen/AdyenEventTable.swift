/// What an event does to a sale. Nothing of it depends on what Adyen's signature leaves out.
enum AdyenEffect: Hashable, Sendable {
    /// The payment itself: the money is held or taken, or it was refused.
    case authorized
    case captured
    case captureFailed
    /// The hold is released.
    case released
    /// What was taken goes back; if nothing was taken, the hold is released.
    case reversed
    /// The rest of the hold is over; what was taken stays.
    case expired
    case refunded
    case refundFailed
    /// The dispute's money goes, comes back, or stays where it is.
    case disputed(Disputed)
    case report
    /// It is kept among the notifications and recorded once, and changes no sale.
    case kept
}

/// What an event says of its dispute.
struct Disputed: Hashable, Sendable {
    enum Funds: Hashable, Sendable {
        case withdrawn
        case returned
    }

    enum End: Hashable, Sendable {
        case won
        case lost
        /// Lost, if the money was withdrawn and nobody has answered.
        case lostUnanswered
    }

    /// How far a dispute is with the event: they come in any order.
    let step: Int
    /// `nil`: the event moves nothing.
    let funds: Funds?
    /// `nil`: the dispute is open after it.
    let end: End?
}

/// Every event that Adyen's interface description of webhooks, version 1, has, and what it does.
enum AdyenEventTable {
    /// The effect of an event; one of tomorrow is kept.
    static subscript(code: AdyenEventCode) -> AdyenEffect { rows[code.rawValue] ?? .kept }

    static let rows: [String: AdyenEffect] = {
        var rows = money
        for (step, row) in disputes.enumerated() {
            rows[row.code] = .disputed(Disputed(step: step, funds: row.funds, end: row.end))
        }
        for code in kept { rows[code] = .kept }
        return rows
    }()

    private static let money: [String: AdyenEffect] = [
        "AUTHORISATION": .authorized, "CAPTURE": .captured, "CAPTURE_FAILED": .captureFailed,
        "CANCELLATION": .released, "TECHNICAL_CANCEL": .released, "CANCEL_OR_REFUND": .reversed, "EXPIRE": .expired,
        "REFUND": .refunded, "REFUND_FAILED": .refundFailed, "REFUNDED_REVERSED": .refundFailed,
        "REPORT_AVAILABLE": .report,
    ]

    /// In the order in which a dispute goes; of two ends the one that costs money is the later.
    private static let disputes: [(code: String, funds: Disputed.Funds?, end: Disputed.End?)] = [
        ("REQUEST_FOR_INFORMATION", nil, nil), ("NOTIFICATION_OF_CHARGEBACK", nil, nil),
        ("CHARGEBACK", .withdrawn, nil), ("DISPUTE_DEFENSE_PERIOD_ENDED", nil, .lostUnanswered),
        ("INFORMATION_SUPPLIED", nil, nil), ("ISSUER_COMMENTS", nil, nil),
        // Money back for now: the bank may try again.
        ("CHARGEBACK_REVERSED", .returned, nil), ("ISSUER_RESPONSE_TIMEFRAME_EXPIRED", nil, .won),
        ("SECOND_CHARGEBACK", .withdrawn, .lost),
        ("PREARBITRATION_OPEN", nil, nil), ("PREARBITRATION_DECLINED", nil, nil),
        ("PREARBITRATION_ISSUER_WITHDRAWN", .returned, .won), ("PREARBITRATION_WON", .returned, .won),
        ("PREARBITRATION_ACCEPTED", .withdrawn, .lost), ("PREARBITRATION_LOST", .withdrawn, .lost),
        ("SCHEME_ARBITRATION", nil, nil), ("SCHEME_ARBITRATION_WON", .returned, .won),
        ("SCHEME_ARBITRATION_LOST", .withdrawn, .lost),
    ]

    /// What moves no money of a sale: other products, payouts to third parties, orders of several payments, warnings.
    private static let kept = [
        "ACH_NOTIFICATION_OF_CHANGE", "AUTHORISATION_ADJUSTMENT", "AUTORESCUE", "CANCEL_AUTORESCUE",
        "DIRECT_DEBIT_NOTICE_OF_CHANGE_NOTIFICATION", "MANUAL_REVIEW_ACCEPT", "MANUAL_REVIEW_REJECT",
        "NOTIFICATION_OF_FRAUD", "OFFER_CLOSED", "ORDER_CLOSED", "ORDER_OPENED", "PAIDOUT_REVERSED", "PAYOUT_DECLINE",
        "PAYOUT_EXPIRE", "PAYOUT_THIRDPARTY", "POSTPONED_REFUND", "RECURRING_CONTRACT", "REFUND_WITH_DATA",
        "VOID_PENDING_REFUND",
    ]
}

extension AdyenEventCode {
    var effect: AdyenEffect { AdyenEventTable[self] }

    /// What it says of its dispute; `nil`: it is about none.
    var disputed: Disputed? {
        if case .disputed(let said) = effect { said } else { nil }
    }
}
