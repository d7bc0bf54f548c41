/// A violated payment invariant and the event that violates it: a damaged journal, or a defect of the engine.
public struct BrokenInvariant: Hashable, Sendable, CustomStringConvertible {
    /// An invariant that holds after every event.
    public enum Rule: Hashable, Sendable {
        /// Amounts are above zero and in the order's currency, and their sums do not overflow.
        case amount
        /// No more is authorized, without the tip, than the attempt requests.
        case authorizedAtMostAsked
        /// No more is captured, or being captured, than was authorized.
        case capturedAtMostAuthorized
        /// No more is refunded, or being refunded, than was captured.
        case refundedAtMostCaptured
        /// At most one attempt is undecided or holds money.
        case oneLiveAttempt
        /// Captures and renewals belong to an attempt of the payment.
        case knownAttempt
        /// No more of a dispute is reinstated than was withdrawn for it.
        case disputedAtMostWithdrawn
        /// A canceled payment has no money and can get none.
        case canceledWithoutMoney
    }

    public var rule: Rule
    /// The version of the payment at which the event violates the rule.
    public var version: Int

    /// A human-readable clause.
    public var description: String {
        let what =
            switch rule {
            case .amount: "an amount is not above zero, cannot be counted or is in another currency than the order"
            case .authorizedAtMostAsked: "more was authorized than asked for"
            case .capturedAtMostAuthorized: "more was captured than authorized"
            case .refundedAtMostCaptured: "more was refunded than captured"
            case .oneLiveAttempt: "several attempts are undecided or hold money"
            case .knownAttempt: "money of an attempt that it does not have was moved"
            case .disputedAtMostWithdrawn: "more of a dispute was returned than was taken back for it"
            case .canceledWithoutMoney: "it is canceled and has money"
            }
        return "\(what), from version \(version) on"
    }
}

/// Running sums of one kind of operation, updated with each event, so that checking the thousandth refund costs the
/// same as checking the first.
struct OperationSums: Hashable, Sendable {
    /// The sum of completed operations.
    private(set) var done: Int64 = 0
    /// The sum of operations that are completed or may still complete.
    private(set) var doneOrOpen: Int64 = 0
    /// `true` if a sum has overflowed.
    private(set) var hasOverflowed = false

    /// Counts a state change of one operation; `nil` if it is new.
    mutating func change(_ units: Int64, from before: OperationState?, to after: OperationState) {
        if let before { add(before, units: 0 &- units) }
        add(after, units: units)
    }

    private mutating func add(_ state: OperationState, units: Int64) {
        if state.isSucceeded { add(units, to: \.done) }
        if state.isSucceeded || state.isOpen { add(units, to: \.doneOrOpen) }
    }

    private mutating func add(_ units: Int64, to sum: WritableKeyPath<OperationSums, Int64>) {
        let (total, overflow) = self[keyPath: sum].addingReportingOverflow(units)
        self[keyPath: sum] = total
        if overflow { hasOverflowed = true }
    }
}

/// Sums of money moved outside Till, so that Till's own limits apply only to its own operations. Never decreases.
struct OutsideSums: Hashable, Sendable {
    /// Captured externally, or restored by the provider.
    private(set) var captures: Int64 = 0
    /// Refunded externally, done despite a refusal, or exceeding what is left after a failed capture.
    private(set) var refunds: Int64 = 0
    /// `true` if a sum has overflowed.
    private(set) var hasOverflowed = false

    mutating func addCapture(_ amount: Money) { add(amount, to: \.captures) }
    mutating func addRefund(_ amount: Money) { add(amount, to: \.refunds) }

    private mutating func add(_ amount: Money, to sum: WritableKeyPath<OutsideSums, Int64>) {
        let (total, overflow) = self[keyPath: sum].addingReportingOverflow(max(0, amount.minorUnits))
        self[keyPath: sum] = total
        if overflow { hasOverflowed = true }
    }
}

extension Payment {
    /// Returns the rule violated by the event just applied. Takes constant time, however long the payment's history is.
    func ruleBroken(by event: PaymentEvent) -> BrokenInvariant.Rule? {
        if captureSums.hasOverflowed || refundSums.hasOverflowed || outside.hasOverflowed { return .amount }
        switch event {
        case .attemptStarted(let start):
            if isOff(start.amount) { return .amount }
            return liveAttempts > 1 ? .oneLiveAttempt : isCanceled ? .canceledWithoutMoney : nil
        case .authorized(let id, let authorization):
            guard let attempt = attempts.last(where: { $0.id == id }) else { return nil }
            guard !isOff(authorization.amount), let base = authorization.base else { return .amount }
            if base.minorUnits > attempt.amount.minorUnits { return .authorizedAtMostAsked }
            return liveAttempts > 1 ? .oneLiveAttempt : isCanceled ? .canceledWithoutMoney : nil
        case .captureStarted(_, let attempt, let amount, _):
            return isOff(amount) ? .amount : captureRuleBroken(attempt)
        case .captured(let id, _):
            return captures.last { $0.id == id }.flatMap { captureRuleBroken($0.attempt) }
        case .captureReported(_, let attempt, let amount, _):
            if isOff(amount) { return .amount }
            return attempts.contains { $0.id == attempt } ? nil : .knownAttempt
        case .refundReported(_, let attempt, let amount, _):
            if isOff(amount) { return .amount }
            return attempts.contains { $0.id == attempt } ? nil : .knownAttempt
        case .disputeOpened(_, let facts), .disputeUpdated(let facts):
            return facts.amount.isNegative ? .amount : nil
        case .disputeFundsWithdrawn(let reference, let amount), .disputeFundsReinstated(let reference, let amount):
            guard let dispute = disputes.first(where: { $0.facts.reference == reference }) else { return nil }
            return !amount.isPositive || dispute.withdrawn.isNegative ? .disputedAtMostWithdrawn : nil
        case .renewalStarted(_, let id, let amount):
            if isOff(amount) { return .amount }
            return attempts.contains { $0.id == id } ? nil : .knownAttempt
        case .refundStarted(_, _, let amount, _):
            if isOff(amount) { return .amount }
            return refundSums.doneOrOpen > captureSums.done ? .refundedAtMostCaptured : nil
        // A capture that failed since, or an external refund, does not invalidate a refund requested before.
        case .refunded:
            return refundSums.doneOrOpen - outside.refunds > captureSums.done ? .refundedAtMostCaptured : nil
        case .canceled: return liveAttempts > 0 || captureSums.doneOrOpen > 0 ? .canceledWithoutMoney : nil
        case .created, .attemptBound, .attemptPrepared, .actionRequired, .continuationStarted, .attemptStored,
            .attemptDeclined, .attemptNotSent, .attemptExpired, .voidStarted, .voided, .renewed, .refused, .deferred,
            .outcomeUnknown, .cancelRequested, .attentionRequired, .refundReversed, .captureReversed, .captureRestored,
            .disputeClosed,
            .attentionClosed, .queryRequested, .queryAnswered:
            return nil
        }
    }

    private func isOff(_ amount: Money) -> Bool { amount.currency != currency || !amount.isPositive }

    /// Checks a capture. At most one attempt ever captures, so the total captured is that attempt's.
    private func captureRuleBroken(_ id: AttemptID) -> BrokenInvariant.Rule? {
        guard let attempt = attempts.last(where: { $0.id == id }) else { return .knownAttempt }
        if captureSums.doneOrOpen - outside.captures > attempt.mostAuthorized { return .capturedAtMostAuthorized }
        return isCanceled ? .canceledWithoutMoney : nil
    }
}
