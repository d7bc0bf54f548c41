/// The effect of an event on a sale. It never depends on values not covered by Adyen's signature.
enum AdyenEffect: Hashable, Sendable {
    /// The authorization: the money is held or captured, or the payment was refused.
    case authorized
    case captured
    case captureFailed
    /// The hold is released.
    case released
    /// Captured money is returned; if none was captured, the hold is released.
    case reversed
    /// The remainder of the hold has expired; captured money stays.
    case expired
    case refunded
    case refundFailed
    /// The disputed amount is withdrawn, returned or unchanged.
    case disputed(Disputed)
    case report
    /// No effect on a sale: the event is stored with the notifications and recorded once.
    case kept
}

/// The effect of an event on its dispute.
struct Disputed: Hashable, Sendable {
    enum Funds: Hashable, Sendable {
        case withdrawn
        case returned
    }

    enum End: Hashable, Sendable {
        case won
        case lost
        /// Lost if the money was withdrawn and no defense was submitted.
        case lostUnanswered
    }

    /// The position in the dispute's course, because events arrive in any order.
    let step: Int
    /// The movement of funds; `nil` for none.
    let funds: Funds?
    /// The outcome of the dispute; `nil` while it stays open.
    let end: End?
}

/// The effects of all events in Adyen's webhook API description, version 1.
enum AdyenEventTable {
    /// Returns the effect of an event; an unknown event is stored only.
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

    /// Ordered by the course of a dispute; of two outcomes, the one that costs money comes later.
    private static let disputes: [(code: String, funds: Disputed.Funds?, end: Disputed.End?)] = [
        ("REQUEST_FOR_INFORMATION", nil, nil), ("NOTIFICATION_OF_CHARGEBACK", nil, nil),
        ("CHARGEBACK", .withdrawn, nil), ("DISPUTE_DEFENSE_PERIOD_ENDED", nil, .lostUnanswered),
        ("INFORMATION_SUPPLIED", nil, nil), ("ISSUER_COMMENTS", nil, nil),
        // Returned provisionally: the issuer may dispute again.
        ("CHARGEBACK_REVERSED", .returned, nil), ("ISSUER_RESPONSE_TIMEFRAME_EXPIRED", nil, .won),
        ("SECOND_CHARGEBACK", .withdrawn, .lost),
        ("PREARBITRATION_OPEN", nil, nil), ("PREARBITRATION_DECLINED", nil, nil),
        ("PREARBITRATION_ISSUER_WITHDRAWN", .returned, .won), ("PREARBITRATION_WON", .returned, .won),
        ("PREARBITRATION_ACCEPTED", .withdrawn, .lost), ("PREARBITRATION_LOST", .withdrawn, .lost),
        ("SCHEME_ARBITRATION", nil, nil), ("SCHEME_ARBITRATION_WON", .returned, .won),
        ("SCHEME_ARBITRATION_LOST", .withdrawn, .lost),
    ]

    /// The events that move no money of a sale: other products, payouts to third parties, multi-payment orders,
    /// warnings.
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

    /// The effect on the event's dispute; `nil` for other events.
    var disputed: Disputed? {
        if case .disputed(let said) = effect { said } else { nil }
    }
}
