import TillCore

// Reasons: a sentence in `reason`, as in every journal, and the case in a member of its own if the sentence alone would
// be decoded as another case. Older journals lack that member; their cases are derived from the sentence here, and
// nowhere else.

extension JSONWriter {
    /// Writes the reason; `cause` is present only if the word is also one of the engine's own.
    mutating func voidReason(_ reason: VoidReason) {
        field("reason", reason.word)
        if case .canceled = reason, VoidReason(older: reason.word) != reason { field("cause", "canceled") }
    }

    mutating func resendReason(_ reason: ResendReason) {
        field("reason", reason.sentence)
        switch reason {
        case .notSent: field("because", "not_sent")
        case .notDone: field("because", "not_done")
        case .keyRejected: field("because", "key_rejected")
        }
    }

    mutating func unknownReason(_ reason: UnknownReason) {
        field("reason", reason.sentence)
        switch reason {
        case .pending: break
        case .unclear(let sentence): if UnknownReason(older: sentence) != reason { field("cause", "unclear") }
        case .keySpent: field("cause", "key_spent")
        case .wrongAmount(let authorized, let asked):
            field("cause", "wrong_amount")
            amounts(authorized: authorized, asked: asked)
        case .wrongCurrency(let authorized, let asked):
            field("cause", "wrong_currency")
            amounts(authorized: authorized, asked: asked)
        }
    }

    mutating func attention(_ attention: Attention) {
        field("reason", attention.sentence)
        switch attention {
        case .wrongAmount(let authorized, let asked):
            field("attention", "wrong_amount")
            amounts(authorized: authorized, asked: asked)
        case .wrongCurrency(let authorized, let asked):
            field("attention", "wrong_currency")
            amounts(authorized: authorized, asked: asked)
        case .keyRejected: field("attention", "key_rejected")
        case .refundedMoreThanOnce(let refund, let amount):
            field("attention", "refunded_more_than_once")
            // Not “refund”, which is the name of the operation: an event with a duplicate key in one object is
            // unreadable.
            field("repeated", refund.rawValue)
            money(amount)
        case .partialApproval(let amount):
            field("attention", "partial_approval")
            money(amount)
        case .voidedAfterCapture: field("attention", "voided_after_capture")
        case .refused(let reason):
            field("attention", "refused")
            field("decline_reason", reason.rawValue)
        case .refundFailed: field("attention", "refund_failed")
        case .stillUnknown(let checks, let reason):
            field("attention", "still_unknown")
            field("checks", checks)
            key("unknown")
            beginObject()
            unknownReason(reason)
            endObject()
        case .holdEnds(let end):
            field("attention", "hold_ends")
            field("at", end.milliseconds)
        case .honorPeriodEnds(let end):
            field("attention", "honor_period_ends")
            field("at", end.milliseconds)
        case .tapOverdue(let expires):
            field("attention", "tap_overdue")
            field("at", expires.milliseconds)
        case .refundReversed(let amount), .captureReversed(let amount), .unwantedCapture(let amount),
            .refundedTwice(let amount):
            field("attention", attention.code)
            money(amount)
        case .approvedLate(let amount, let isCaptured):
            field("attention", attention.code)
            money(amount)
            if isCaptured { field("captured", true) }
        case .disputeOpened(let reference, let amount, let respondBy):
            field("attention", attention.code)
            field("reference", reference.rawValue)
            money(amount)
            if let respondBy { field("at", respondBy.milliseconds) }
        case .disputeLost(let reference, let amount):
            field("attention", attention.code)
            field("reference", reference.rawValue)
            money(amount)
        case .orderPaidAgain(let payment):
            field("attention", attention.code)
            field("payment", payment.rawValue)
        case .shopDiffers: field("attention", attention.code)
        case .note(let sentence): if Attention(older: sentence) != attention { field("attention", "note") }
        }
    }

    private mutating func amounts(authorized: Money, asked: Money) {
        money(authorized)
        field("asked", asked.minorUnits)
        field("asked_currency", asked.currency.code)
    }
}

extension JSONValue {
    func voidReason() throws(JournalError) -> VoidReason {
        let word = try text("reason")
        return try optionalText("cause") == "canceled" ? .canceled(word) : VoidReason(older: word)
    }

    /// - Parameter at: the time of the event. Before the case was recorded, a request that a query had shown as not
    ///   done was resent immediately, and one that had not been sent was resent later.
    func resendReason(at: Timestamp) throws(JournalError) -> ResendReason {
        let sentence = try text("reason")
        switch try optionalText("because") {
        case "not_sent": return .notSent(sentence)
        case "not_done": return .notDone(sentence)
        case "key_rejected": return .keyRejected(sentence)
        case nil: return try moment("until") <= at ? .notDone(sentence) : .notSent(sentence)
        case .some(let word): throw .corrupted("why something is sent again, “\(word.prefix(40))”, is not known")
        }
    }

    func unknownReason() throws(JournalError) -> UnknownReason {
        let sentence = try text("reason")
        switch try optionalText("cause") {
        case nil: return UnknownReason(older: sentence)
        case "unclear": return .unclear(sentence)
        case "key_spent": return .keySpent(sentence)
        case "wrong_amount": return .wrongAmount(authorized: try money(), asked: try asked())
        case "wrong_currency": return .wrongCurrency(authorized: try money(), asked: try asked())
        case .some(let word): throw .corrupted("why an outcome is unknown, “\(word.prefix(40))”, is not known")
        }
    }

    func attention() throws(JournalError) -> Attention {
        let sentence = try text("reason")
        switch try optionalText("attention") {
        case nil: return Attention(older: sentence)
        case "wrong_amount": return .wrongAmount(authorized: try money(), asked: try asked())
        case "wrong_currency": return .wrongCurrency(authorized: try money(), asked: try asked())
        case "key_rejected": return .keyRejected
        case "refunded_more_than_once":
            return .refundedMoreThanOnce(try id("repeated"), try money())
        case "partial_approval": return .partialApproval(try money())
        case "voided_after_capture": return .voidedAfterCapture
        case "refused": return .refused(DeclineReason(rawValue: try text("decline_reason")))
        case "refund_failed": return .refundFailed
        case "still_unknown":
            return .stillUnknown(checks: try count("checks"), try member("unknown").unknownReason())
        case "hold_ends": return .holdEnds(try moment("at"))
        case "honor_period_ends": return .honorPeriodEnds(try moment("at"))
        case "tap_overdue": return .tapOverdue(expires: try moment("at"))
        case "refund_reversed": return .refundReversed(try money())
        case "capture_reversed": return .captureReversed(try money())
        case "unwanted_capture": return .unwantedCapture(try money())
        case "refunded_twice": return .refundedTwice(try money())
        case "approved_late": return .approvedLate(try money(), isCaptured: self["captured"] == .bool(true))
        case "dispute_opened":
            return .disputeOpened(
                try id("reference"), try money(), respondBy: self["at"] == nil ? nil : try moment("at"))
        case "dispute_lost": return .disputeLost(try id("reference"), try money())
        case "order_paid_again": return .orderPaidAgain(try id("payment"))
        case "shop_differs": return .shopDiffers(sentence)
        case "note": return .note(sentence)
        case .some(let word): throw .corrupted("why a person must act, “\(word.prefix(40))”, is not known")
        }
    }

    private func asked() throws(JournalError) -> Money {
        guard let units = try member("asked").int64Value else { throw .corrupted("an amount is not an integer") }
        return Money(minorUnits: units, currency: try Currency(stored: try text("asked_currency")))
    }
}

// The meaning of sentences from before the case was recorded.

extension VoidReason {
    fileprivate init(older word: String) {
        switch word {
        case "abandoned": self = .abandoned
        case "partial_approval": self = .partialApproval
        case "expired": self = .holdEnded
        default: self = .canceled(word)
        }
    }
}

extension UnknownReason {
    fileprivate init(older sentence: String) { self = sentence == "pending" ? .pending : .unclear(sentence) }
}

extension Attention {
    /// Decodes only the four that were later compared; the others are sentences.
    fileprivate init(older sentence: String) {
        func moment(from start: String, to end: String) -> Timestamp? {
            guard sentence.hasPrefix(start), sentence.hasSuffix(end) else { return nil }
            return Timestamp(internetTime: String(sentence.dropFirst(start.count).dropLast(end.count)))
        }
        let known = "Still not known after "
        if let end = moment(from: "The hold ends at ", to: "; capture it or let it go.") {
            self = .holdEnds(end)
        } else if let end = moment(
            from: "The bank honors the hold until ", to: "; capture it before, or renew it after that.")
        {
            self = .honorPeriodEnds(end)
        } else if let end = moment(
            from: "The card's data were stored and not forwarded by ",
            to: ". The provider may refuse them: forward them now.")
        {
            self = .tapOverdue(expires: end)
        } else if sentence.hasPrefix(known), let looks = sentence.firstRange(of: " looks: "),
            let checks = Int(sentence[..<looks.lowerBound].dropFirst(known.count)), checks > 0
        {
            self = .stillUnknown(checks: checks, UnknownReason(older: String(sentence[looks.upperBound...])))
        } else {
            self = .note(sentence)
        }
    }
}
