/// One payment for one order, as the fold of its events. A value without I/O: `decide` says what a command leads to,
/// `observe` what an answer leads to, `evolve` applies an event, `pendingEffects` says what is left to be done.
///
/// Invariants, after every event: those of ``BrokenInvariant/Rule``. An event that breaks one is not applied any
/// further: ``broken`` says so, no journal hands such a payment out, and the engine writes none.
public struct Payment: Hashable, Sendable {
    public let id: PaymentID
    public let account: AccountID
    public let order: Order
    /// When the hold is captured.
    public let captureMode: CaptureMode
    /// Who charges the order although the shop says that it was settled; `nil`: nobody.
    public let acceptedBy: String?
    /// When it was created.
    public let createdAt: Timestamp
    /// When its last event happened.
    public internal(set) var updatedAt: Timestamp
    /// How many events it has.
    public internal(set) var version: Int
    /// All tries, oldest first.
    public internal(set) var attempts: [Attempt] = []
    /// All captures, oldest first.
    public internal(set) var captures: [Capture] = []
    /// All renewals of holds, oldest first.
    public internal(set) var renewals: [Renewal] = []
    /// All refunds, oldest first.
    public internal(set) var refunds: [Refund] = []
    /// Why the shop canceled the payment; `nil`: it did not.
    public internal(set) var cancelReason: String?
    public internal(set) var isCanceled = false
    /// All disputes, oldest first.
    public internal(set) var disputes: [Dispute] = []
    /// What a person must review, newest last, closed or not.
    public internal(set) var attentionItems: [AttentionItem] = []
    /// The query that a provider's report about the settled payment has led to, until it is answered.
    public internal(set) var requestedQuery: RequestedQuery?
    /// In which epoch of its journal the payment is worked on; 1 in a journal that was never restored. It is no
    /// event's: who loads the payment says it. What is begun in a later epoch has names that none has which was lost
    /// with the epoch before, and so keys that the provider has not answered yet.
    public var epoch: Int64 = 1
    /// The first event that broke a rule; the payment stays as that event left it. `nil`: it is sound.
    public internal(set) var broken: BrokenInvariant?
    /// What is captured, and what may be.
    var captureSums = OperationSums()
    /// What is refunded, and what may be.
    var refundSums = OperationSums()
    /// What moved without Till, for which its own limits do not hold.
    var outside = OutsideSums()
    /// How many attempts are undecided or hold money.
    var liveAttempts = 0

    /// Begins a payment. The only way to get one: from its first event.
    public init(_ creation: PaymentEvent.Creation, at: Timestamp) {
        id = creation.payment
        account = creation.account
        order = creation.order
        captureMode = creation.captureMode
        acceptedBy = creation.acceptedBy
        createdAt = at
        updatedAt = at
        version = 1
    }

    /// Folds a whole history. `nil` if it does not begin with `created`.
    public init?(folding events: some Sequence<RecordedEvent>) {
        var iterator = events.makeIterator()
        guard let first = iterator.next(), case .created(let creation) = first.event else { return nil }
        self.init(creation, at: first.at)
        while let next = iterator.next() { evolve(next) }
    }

    /// What is asked for.
    public var amount: Money { order.total }
    /// The currency of everything in it.
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
    /// What the customer gets back of the cash that was handed over; zero if it was exact, `nil` if that was not
    /// recorded.
    public var change: Money? {
        guard let attempt = currentAttempt ?? attempts.last, let tendered = attempt.tender.tendered else { return nil }
        return tendered.subtracting(ifExact: attempt.amount)
    }

    /// Its last attempt moved no real money: at a provider's test account, or at the sandbox.
    public var isTest: Bool { (currentAttempt ?? attempts.last)?.isTest ?? false }

    public var authorizedMinorUnits: Int64 { currentAttempt?.authorization?.amount.minorUnits ?? 0 }
    /// What the customer added at the reader; a part of what is held or taken.
    public var tip: Money? {
        guard let tip = currentAttempt?.authorization?.tip, tip.isPositive else { return nil }
        return tip
    }
    /// Held and neither captured nor released, also after some of the captured money was refunded.
    public var held: Money {
        let none = Money.zero(currency)
        guard let attempt = currentAttempt, let hold = attempt.authorization, !hold.isCaptured,
            !hasFailedCapture(attempt)
        else { return none }
        guard captures.contains(where: { $0.attempt == attempt.id && $0.state.isSucceeded }) else { return hold.amount }
        return restOfHold(attempt.id) ?? none
    }
    /// Released after a part of the hold was captured.
    public var released: Money {
        sum(attempts.lazy.compactMap { attempt in attempt.void.flatMap { $0.state.isSucceeded ? $0.rest : nil } })
    }
    /// Captured, whether or not some of it was refunded since.
    public var captured: Money { sum(captures.lazy.filter { $0.state.isSucceeded }.map(\.amount)) }
    /// Captured or being captured: what a new capture must leave room for.
    public var capturedOrPending: Money {
        sum(captures.lazy.filter { $0.state.isSucceeded || $0.state.isOpen }.map(\.amount))
    }
    public var refunded: Money { sum(refunds.lazy.filter { $0.state.isSucceeded }.map(\.amount)) }
    /// Refunded or being refunded: what a new refund must leave room for.
    public var refundedOrPending: Money {
        sum(refunds.lazy.filter { $0.state.isSucceeded || $0.state.isOpen }.map(\.amount))
    }

    /// The payment still belongs to its order: another payment for the order would take money twice or could.
    public var isLive: Bool {
        switch status {
        case .canceled, .expired, .refunded: false
        case .captureFailed: currentAttempt != nil
        default: true
        }
    }

    /// What the shop sees.
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

    /// All that an attempt was to take was captured and failed afterwards: nothing of it can be captured any more.
    func hasFailedCapture(_ attempt: Attempt) -> Bool {
        let mine = captures.filter { $0.attempt == attempt.id }
        guard !mine.contains(where: { $0.state.isOpen || $0.state.isSucceeded }) else { return false }
        let failed = mine.filter(\.state.isReversed)
        // What others captured names no end: it is the end where nothing of the hold is left.
        return failed.contains(where: \.isFinal)
            || !failed.isEmpty && sum(failed.lazy.map(\.amount)).minorUnits >= attempt.mostAuthorized
    }

    /// Whether money has moved, for the sentence of an error.
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
