/// An entry of the operators' queue: a fact about a payment that needs manual review.
public struct AttentionItem: Hashable, Sendable {
    /// The number of the entry within its payment, from 1.
    public let number: Int
    /// The operation concerned.
    public let operation: OperationID
    /// The reason for the review.
    public let attention: Attention
    /// The time at which the entry was raised.
    public let since: Timestamp
    /// The closing of the entry; `nil` while it is not closed.
    public internal(set) var closing: Closing?

    /// The resolution that closed an entry, and its time.
    public struct Closing: Hashable, Sendable {
        public let resolution: AttentionResolution
        public let at: Timestamp
    }
}

/// An operator's resolution of a queue entry, with its evidence.
public struct AttentionResolution: Hashable, Sendable {
    /// A fact that only an operator can establish.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The required step was taken, such as answering a dispute.
        case handled
        /// The refund of unknown outcome was certainly not made.
        case notRefunded = "not_refunded"
        /// The customer was refunded outside the provider.
        case refundedElsewhere = "refunded_elsewhere"
        /// The customer paid outside this attempt's provider.
        case capturedElsewhere = "captured_elsewhere"
        /// The money is written off.
        case writtenOff = "written_off"
    }

    public var kind: Kind
    /// The amount moved elsewhere; `nil` for kinds that move nothing.
    public var amount: Money?
    /// The evidence: a receipt number, a bank's letter.
    public var evidence: String
    /// The operator, by name or sign-in.
    public var actor: String

    /// The longest accepted evidence, in bytes of UTF-8.
    public static let maximumEvidenceBytes = 2_000
    /// The longest accepted operator name, in bytes of UTF-8.
    public static let maximumActorBytes = 128

    public init(kind: Kind, amount: Money? = nil, evidence: String, actor: String) {
        self.kind = kind
        self.amount = amount
        self.evidence = evidence
        self.actor = actor
    }
}

extension Attention {
    /// The recommended next step, as one sentence.
    public var nextStep: String {
        switch self {
        case .wrongAmount: "Compare the amount in the provider's dashboard with the order."
        case .partialApproval: "Ask the customer for the rest, or refund what was taken."
        case .voidedAfterCapture: "Check in the provider's dashboard whether the shop has the money."
        case .refused(.alreadyRefunded), .refused(.alreadyCaptured), .refused(.nothingLeft), .refused(.disputed):
            "Check in the provider's dashboard where the money is, before you do anything else, and record it here."
        case .refused: "Check the provider's reason, and try again or settle it another way."
        case .refundFailed, .refundReversed:
            "Refund it again, or return the money another way and record that here."
        case .stillUnknown: "Check the provider's dashboard, and record here what you find."
        case .holdEnds, .honorPeriodEnds: "Capture it or void it."
        case .tapOverdue: "Forward the stored card now."
        case .captureReversed:
            "Cancel the payment and charge the order again, or have the provider collect it again; not both."
        case .disputeOpened: "Answer it at the provider with the receipt before the deadline, or accept it."
        case .disputeLost: "Appeal it at the provider, or write it off."
        case .unwantedCapture: "Refund what nobody wants: the payment was canceled, let go, or had ended."
        case .approvedLate(_, isCaptured: false): "Check in the provider's dashboard that nothing is held any more."
        case .approvedLate(_, isCaptured: true):
            "Refund it: here if the payment shows it as captured, else in the provider's dashboard."
        case .refundedTwice: "Check the provider's dashboard; the customer may have been refunded too much."
        case .orderPaidAgain: "Settle one of the two payments: refund it again, or return the money another way."
        case .keyRejected: "Correct the provider's key in the settings; what waits for it resumes by itself."
        case .wrongCurrency: "Cancel the payment: its money is in another currency and is voided."
        case .refundedMoreThanOnce: "Check the provider's dashboard; the customer was refunded too much."
        case .shopDiffers: "Compare the order in the shop with its payments here, and correct what is wrong."
        case .note: "Review the payment."
        }
    }

    /// The stable identifier for programs, as in the journal.
    public var code: String {
        switch self {
        case .wrongAmount: "wrong_amount"
        case .partialApproval: "partial_approval"
        case .voidedAfterCapture: "voided_after_capture"
        case .refused: "refused"
        case .refundFailed: "refund_failed"
        case .stillUnknown: "still_unknown"
        case .holdEnds: "hold_ends"
        case .honorPeriodEnds: "honor_period_ends"
        case .tapOverdue: "tap_overdue"
        case .refundReversed: "refund_reversed"
        case .captureReversed: "capture_reversed"
        case .disputeOpened: "dispute_opened"
        case .disputeLost: "dispute_lost"
        case .unwantedCapture: "unwanted_capture"
        case .approvedLate: "approved_late"
        case .refundedTwice: "refunded_twice"
        case .orderPaidAgain: "order_paid_again"
        case .keyRejected: "key_rejected"
        case .wrongCurrency: "wrong_currency"
        case .refundedMoreThanOnce: "refunded_more_than_once"
        case .shopDiffers: "shop_differs"
        case .note: "note"
        }
    }
}

extension Payment {
    /// All review reasons, newest last, open or closed.
    public var attention: [Attention] { attentionItems.map(\.attention) }

    /// The open entries: neither closed by an operator nor superseded by later events.
    public var openAttention: [AttentionItem] { attentionItems.filter { $0.closing == nil && !isOvertaken($0) } }

    /// Returns `true` if later events have settled the entry.
    public func isOvertaken(_ item: AttentionItem) -> Bool {
        switch item.attention {
        case .voidedAfterCapture, .refundedTwice, .refundedMoreThanOnce, .disputeLost, .approvedLate, .shopDiffers,
            .note:
            return false
        case .wrongAmount, .wrongCurrency, .stillUnknown: return !isOpen(item.operation)
        case .keyRejected:
            if case .attempt(let id) = item.operation, let query = requestedQuery(about: id),
                item.since >= query.since
            {
                return false
            }
            return !isOpen(item.operation)
        case .partialApproval, .unwantedCapture: return refunded.minorUnits >= captured.minorUnits
        case .orderPaidAgain: return !isLive
        case .refused, .refundFailed, .refundReversed: return isDoneSince(item.operation)
        // An ended hold brings no money: the payment is canceled, or captured after all.
        case .captureReversed: return isCanceled || isCapturedSince(item.operation)
        case .holdEnds:
            return attempt(of: item.operation).map { untouchedHold($0) == nil } ?? true
        case .honorPeriodEnds(let end):
            guard let attempt = attempt(of: item.operation), untouchedHold(attempt) != nil else { return true }
            return attempt.authorization?.honoredUntil != end
        case .tapOverdue:
            if case .stored? = attempt(of: item.operation)?.state { return false }
            return true
        case .disputeOpened(let reference, _, _):
            return disputes.first { $0.facts.reference == reference }?.outcome != nil
        }
    }

    private func isOpen(_ operation: OperationID) -> Bool {
        if case .attempt(let id) = operation { return attempts.first { $0.id == id }?.isUndecided ?? false }
        return state(of: operation)?.isOpen ?? false
    }

    private func attempt(of operation: OperationID) -> Attempt? {
        guard case .attempt(let id) = operation else { return nil }
        return attempts.first { $0.id == id }
    }

    /// Returns `true` if the same or a later capture made up for the failed one.
    private func isCapturedSince(_ operation: OperationID) -> Bool {
        guard case .capture(let id) = operation, let index = captures.lastIndex(where: { $0.id == id }) else {
            return true
        }
        return captures[index...].contains { $0.state.isSucceeded }
    }

    private func isDoneSince(_ operation: OperationID) -> Bool {
        switch operation {
        case .attempt(let id), .continuation(let id): return attempts.first { $0.id == id }?.isLive == false
        case .void(let id):
            guard let attempt = attempts.first(where: { $0.id == id }) else { return true }
            if attempt.void?.state.isSucceeded == true { return true }
            if isLateVoidRefused(attempt) { return false }
            return captures.contains { $0.attempt == id && $0.state.isSucceeded } ? held.isZero : !attempt.isLive
        case .renewal(let id):
            guard let renewal = renewals.first(where: { $0.id == id }) else { return true }
            return renewal.state.isSucceeded || held.isZero
        case .capture(let id):
            return isCapturedSince(.capture(id)) || currentAttempt == nil
        case .refund(let id):
            guard let index = refunds.lastIndex(where: { $0.id == id }) else { return true }
            let later = sum(refunds[index...].lazy.filter { $0.state.isSucceeded }.map(\.amount))
            return later.minorUnits >= refunds[index].amount.minorUnits || refunded.minorUnits >= captured.minorUnits
        }
    }
}
