/// One entry of the operators' queue: something about a payment that a person must review.
public struct AttentionItem: Hashable, Sendable {
    /// 1 for the first of the payment.
    public let number: Int
    /// What it is about.
    public let operation: OperationID
    /// Why a person must review it.
    public let attention: Attention
    /// When it was raised.
    public let since: Timestamp
    /// How a person closed it; `nil`: nobody has.
    public internal(set) var closing: Closing?

    /// How it was closed.
    public struct Closing: Hashable, Sendable {
        public let resolution: AttentionResolution
        public let at: Timestamp
    }
}

/// What a person says about an entry of the queue, and how he knows.
public struct AttentionResolution: Hashable, Sendable {
    /// What only a person can know.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What was asked for was done, such as an answer to a dispute.
        case handled
        /// The refund whose outcome nobody knows was certainly not made.
        case notRefunded = "not_refunded"
        /// The customer was refunded without the provider.
        case refundedElsewhere = "refunded_elsewhere"
        /// The customer has paid without this attempt's provider.
        case capturedElsewhere = "captured_elsewhere"
        /// The money is written off.
        case writtenOff = "written_off"
    }

    public var kind: Kind
    /// How much was moved elsewhere; `nil` for kinds that move nothing.
    public var amount: Money?
    /// How the person knows: a slip's number, a bank's letter.
    public var evidence: String
    /// The person who says so, by name or sign-in.
    public var actor: String

    /// The longest evidence taken, in bytes of UTF-8.
    public static let maximumEvidenceBytes = 2_000
    /// The longest name of an actor taken, in bytes of UTF-8.
    public static let maximumActorBytes = 128

    public init(kind: Kind, amount: Money? = nil, evidence: String, actor: String) {
        self.kind = kind
        self.amount = amount
        self.evidence = evidence
        self.actor = actor
    }
}

extension Attention {
    /// What a person should do about it, one sentence.
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
        case .refundedTwice: "Check the provider's dashboard; the customer may have been refunded too much."
        case .orderPaidAgain: "Settle one of the two payments: refund it again, or return the money another way."
        case .keyRejected: "Correct the provider's key in the settings; what waits for it resumes by itself."
        case .wrongCurrency: "Cancel the payment: its money is in another currency and is voided."
        case .refundedMoreThanOnce: "Check the provider's dashboard; the customer was refunded too much."
        case .note: "Review the payment."
        }
    }

    /// The stable word for programs, as in the journal.
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
        case .refundedTwice: "refunded_twice"
        case .orderPaidAgain: "order_paid_again"
        case .keyRejected: "key_rejected"
        case .wrongCurrency: "wrong_currency"
        case .refundedMoreThanOnce: "refunded_more_than_once"
        case .note: "note"
        }
    }
}

extension Payment {
    /// What a person must review, newest last, closed or not.
    public var attention: [Attention] { attentionItems.map(\.attention) }

    /// What of it is left to be done: neither closed by a person nor overtaken by what happened since.
    public var openAttention: [AttentionItem] { attentionItems.filter { $0.closing == nil && !isOvertaken($0) } }

    /// What a person is asked about has been answered by what happened since.
    public func isOvertaken(_ item: AttentionItem) -> Bool {
        switch item.attention {
        case .voidedAfterCapture, .refundedTwice, .refundedMoreThanOnce, .disputeLost, .note: return false
        case .wrongAmount, .wrongCurrency, .stillUnknown: return !isOpen(item.operation)
        case .keyRejected:
            if case .attempt(let id) = item.operation, let query = requestedQuery, query.attempt == id,
                item.since >= query.since
            {
                return false
            }
            return !isOpen(item.operation)
        case .partialApproval, .unwantedCapture: return refunded.minorUnits >= captured.minorUnits
        case .orderPaidAgain: return !isLive
        case .refused, .refundFailed, .refundReversed: return isDoneSince(item.operation)
        // That nothing is held any more brings no money: somebody cancels it, or it is captured after all.
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

    /// What failed was made up for by the same operation or by a later one.
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
