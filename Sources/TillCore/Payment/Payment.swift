/// One payment for one order, folded from its events. A value without I/O: `decide` turns a command into events,
/// `observe` turns an answer into events, `evolve` applies an event, and `pendingEffects` lists the remaining work.
///
/// ```swift
/// guard let payment = Payment(folding: history) else { return }
/// print(payment.status.rawValue, payment.captured, payment.refunded)
/// let amount = Money(minorUnits: 450, currency: payment.currency)
/// for event in try payment.decide(.refund(amount, reason: "The cake was old."), at: SystemClock().now()) {
///     print(event.name)  // refund.started
/// }
/// ```
///
/// Invariants, after every event: those of ``BrokenInvariant/Rule``. An event that violates one is not applied any
/// further: ``broken`` reports it, no journal returns such a payment, and the engine writes none.
public struct Payment: Hashable, Sendable {
    public let id: PaymentID
    public let account: AccountID
    public let order: Order
    /// The time at which the hold is captured.
    public let captureMode: CaptureMode
    /// The operator on record for charging an order that the shop reports as settled; `nil` if there was no override.
    public let acceptedBy: String?
    /// The discount given at the counter, beside ``amount``; `nil` for none.
    public let discount: Discount?
    /// The creation time.
    public let createdAt: Timestamp
    /// The time of the last event.
    public internal(set) var updatedAt: Timestamp
    /// The number of events.
    public internal(set) var version: Int
    /// All attempts, oldest first.
    public internal(set) var attempts: [Attempt] = []
    /// All captures, oldest first.
    public internal(set) var captures: [Capture] = []
    /// All renewals of holds, oldest first.
    public internal(set) var renewals: [Renewal] = []
    /// All refunds, oldest first.
    public internal(set) var refunds: [Refund] = []
    /// The shop's reason for canceling the payment; `nil` if it did not.
    public internal(set) var cancelReason: String?
    public internal(set) var isCanceled = false
    /// All disputes, oldest first.
    public internal(set) var disputes: [Dispute] = []
    /// All review entries, newest last, open or closed.
    public internal(set) var attentionItems: [AttentionItem] = []
    /// The queries requested by a provider's reports, until they are answered; at most one of each attempt.
    public internal(set) var requestedQueries: [RequestedQuery] = []
    /// The epoch of the journal in which the payment is worked on; 1 in a journal that was never restored. Not derived
    /// from events: the loader of the payment sets it. Operations begun in a later epoch have identifiers that none of
    /// the lost epoch had, and so idempotency keys that the provider has not seen.
    public var epoch: Int64 = 1
    /// The first event that violated an invariant; the payment stays as that event left it. `nil` if the payment is
    /// sound.
    public internal(set) var broken: BrokenInvariant?
    /// The sums captured and being captured.
    var captureSums = OperationSums()
    /// The sums refunded and being refunded.
    var refundSums = OperationSums()
    /// The sums moved outside Till, to which its own limits do not apply.
    var outside = OutsideSums()
    /// The number of attempts that are undecided or hold money.
    var liveAttempts = 0

    /// Creates a payment from its first event, which is the only way to create one.
    public init(_ creation: PaymentEvent.Creation, at: Timestamp) {
        id = creation.payment
        account = creation.account
        order = creation.order
        captureMode = creation.captureMode
        acceptedBy = creation.acceptedBy
        discount = creation.discount
        createdAt = at
        updatedAt = at
        version = 1
    }

    /// Folds a complete history; `nil` if it does not begin with `created`.
    public init?(folding events: some Sequence<RecordedEvent>) {
        var iterator = events.makeIterator()
        guard let first = iterator.next(), case .created(let creation) = first.event else { return nil }
        self.init(creation, at: first.at)
        while let next = iterator.next() { evolve(next) }
    }

    /// The requested amount.
    public var amount: Money { order.total }
    /// The currency of all amounts of the payment.
    public var currency: Currency { order.total.currency }

    /// The attempt that is undecided or holds or held money; at most one.
    public var currentAttempt: Attempt? {
        attempts.last { attempt in
            switch attempt.state {
            case .inFlight, .stored, .unknown, .requiresAction, .authorized: true
            case .declined, .notSent, .voided, .expired: false
            }
        }
    }

    /// The provider of the last attempt.
    public var provider: ProviderName? { (currentAttempt ?? attempts.last)?.provider }
    /// The tender of the last attempt.
    public var tender: TenderSummary? { (currentAttempt ?? attempts.last)?.tender }
    /// The change due to the customer from the tendered cash, less the tip; zero if it was exact, `nil` if it was not
    /// recorded.
    public var change: Money? {
        guard let attempt = currentAttempt ?? attempts.last, let tendered = attempt.tender.tendered else { return nil }
        let rest = tendered.subtracting(ifExact: attempt.amount)
        guard let tip = attempt.authorization?.tip else { return rest }
        return rest?.subtracting(ifExact: tip)
    }

    /// `true` if the last attempt moved no real money: at a provider's test account, or at the sandbox.
    public var isTest: Bool { (currentAttempt ?? attempts.last)?.isTest ?? false }

    public var authorizedMinorUnits: Int64 { currentAttempt?.authorization?.amount.minorUnits ?? 0 }
    /// The tip that the customer added at the reader or left in cash; a part of the amount held at first, whatever was
    /// captured of it. ``Attempt/tip(in:)`` is the part of it that was captured.
    public var tip: Money? {
        // What was captured of a hold keeps its tip after the hold has ended.
        let attempt = currentAttempt ?? (capturedAtProvider.isPositive ? settledAttempt : nil)
        guard let attempt, !attempt.isUndecided, attempt.tipUnits > 0 else { return nil }
        return Money(minorUnits: attempt.tipUnits, currency: currency)
    }
    /// The amount held and neither captured nor released, regardless of refunds of captured money.
    public var held: Money {
        let none = Money.zero(currency)
        guard let attempt = currentAttempt, let hold = attempt.authorization, !hold.isCaptured,
            !hasFailedCapture(attempt)
        else { return none }
        guard captures.contains(where: { $0.attempt == attempt.id && $0.state.isSucceeded }) else { return hold.amount }
        return restOfHold(attempt.id) ?? none
    }
    /// The amount released after a part of the hold was captured.
    public var released: Money {
        sum(attempts.lazy.compactMap { attempt in attempt.void.flatMap { $0.state.isSucceeded ? $0.rest : nil } })
    }
    /// The captured amount, regardless of later refunds.
    public var captured: Money { sum(captures.lazy.filter { $0.state.isSucceeded }.map(\.amount)) }
    /// The amount captured or being captured: a new capture must leave room for it.
    public var capturedOrPending: Money {
        sum(captures.lazy.filter { $0.state.isSucceeded || $0.state.isOpen }.map(\.amount))
    }
    public var refunded: Money { sum(refunds.lazy.filter { $0.state.isSucceeded }.map(\.amount)) }
    /// The amount refunded or being refunded: a new refund must leave room for it.
    public var refundedOrPending: Money {
        sum(refunds.lazy.filter { $0.state.isSucceeded || $0.state.isOpen }.map(\.amount))
    }

    /// `true` while the payment occupies its order: another payment for the order would, or could, take money twice.
    public var isLive: Bool {
        switch status {
        case .canceled, .expired, .refunded: false
        case .captureFailed: currentAttempt != nil
        default: true
        }
    }

    /// The status shown to the shop.
    public var status: PaymentStatus {
        let taken = captured.minorUnits
        if isCanceled, taken == 0 { return .canceled }
        if taken > 0 {
            let back = refunded.minorUnits
            // An open capture may still take money, so the order is not free yet.
            if back >= taken { return captures.contains { $0.state.isOpen } ? .partiallyRefunded : .refunded }
            if back > 0 { return .partiallyRefunded }
            let isDone = captures.contains { $0.state.isSucceeded && $0.isFinal }
            return isDone || taken >= authorizedMinorUnits ? .succeeded : .partiallyCaptured
        }
        guard let last = attempts.last else { return .requiresPaymentMethod }
        switch last.state {
        case .inFlight:
            if case .unknown = last.continuation?.state { return .unknown }
            return .processing
        case .unknown: return .unknown
        case .requiresAction: return .requiresAction
        case .stored: return .stored
        case .declined: return .declined
        case .notSent, .voided: return .requiresPaymentMethod
        case .expired: return hasFailedCapture(last) ? .captureFailed : .expired
        case .authorized:
            guard let capture = captures.last, capture.state.isOpen else {
                return hasFailedCapture(last) ? .captureFailed : .requiresCapture
            }
            if case .unknown = capture.state { return .unknown }
            return .processing
        }
    }

    /// Returns `true` if everything that an attempt was to capture was captured and then failed: nothing more of it can
    /// be captured.
    func hasFailedCapture(_ attempt: Attempt) -> Bool {
        let isTaken = captures.contains { $0.attempt == attempt.id && ($0.state.isOpen || $0.state.isSucceeded) }
        guard !isTaken else { return false }
        let failed = captures.filter { $0.attempt == attempt.id && $0.state.isReversed }
        // An external capture is not marked as final: it counts as final if nothing of the hold is left.
        return failed.contains(where: \.isFinal)
            || !failed.isEmpty && sum(failed.lazy.map(\.amount)).minorUnits >= attempt.mostAuthorized
    }

    /// Indicates whether money has moved, for the sentence of an error.
    public var moneyMoved: MoneyMoved {
        if captured.minorUnits > refunded.minorUnits { return .yes }
        if attempts.contains(where: \.isUndecided) || captures.contains(where: { $0.state.isOpen }) {
            return .unknown
        }
        return .no
    }

    func sum(_ amounts: some Sequence<Money>) -> Money {
        Money(
            minorUnits: amounts.reduce(into: Int64(0)) { $0 = $0.addingReportingOverflow($1.minorUnits).partialValue },
            currency: currency)
    }
}
