import Synchronization
public import TillCore
public import TillJournal

/// Runs payments: decides, records, calls the provider, records its answer.
///
/// ```swift
/// import TillJournal
///
/// let checkout = Checkout(journal: MemoryJournal(), providers: [CashDrawer()], clock: SystemClock())
/// let order = try Order(id: OrderID(rawValue: "4711"), amount: Money(parsing: "12.50", currency: .eur))
/// let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
/// let payment = try await checkout.create(draft)
/// let paid = try await checkout.confirm(payment.id, account: .main, provider: .cash, tender: .cash(tendered: nil))
/// ```
///
/// - Every call to a provider is in the journal, with its key, before it is sent. No call is made inside a transaction.
///   Every call has a deadline, even if it ignores cancellation, and a call without an answer is `unknown`.
/// - Any number of tasks and processes may work on one payment at once: the journal's versions order them, the
///   payment's own rules are evaluated again on each new state, and the provider's keys make repeats harmless.
/// - After a crash, ``recover(report:)`` completes the pending work; it is the same code as normal operation.
public struct Checkout: Sendable {
    /// The deadline of a provider call. Shorter than `CheckSchedule.answerLease`.
    public static let providerDeadline: Span = .seconds(30)
    /// The most times a decision is repeated because another write came first.
    public static let maximumConflicts = 16
    /// The most effects that one pass performs for one payment.
    public static let maximumSteps = 12

    let journal: any Journal
    let providers: [ProviderName: any PaymentServiceProvider]
    let clock: any TillClock
    let random: @Sendable () -> UInt64
    let atWork = AtWork()
    let abandoned = AbandonedCalls()
    let left = SkippedPayments()
    let board = RecoveryBoard()
    let epoch = JournalEpoch()
    /// Incidents, where quarantined payments are listed; `nil` with a journal that keeps no records.
    let incidents: Records<Incident>?
    /// The executor for provider calls; `nil` for the shared threads of all tasks.
    let executor: (any TaskExecutor)?

    /// Creates an engine over a journal and its providers.
    /// - Parameter executor: Runs the calls to the providers; `nil` for the shared threads of all tasks.
    public init(
        journal: any Journal, providers: [any PaymentServiceProvider], clock: any TillClock,
        executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        self.journal = journal
        incidents = (journal as? any RecordStore).map { Records($0) }
        self.providers = Dictionary(providers.map { ($0.name, $0) }) { first, _ in first }
        self.clock = clock
        self.executor = executor
        self.random = random
    }

    /// The names of the configured providers.
    public var providerNames: [ProviderName] { Array(providers.keys) }

    /// Creates a new payment in memory; ``create(_:idempotency:)`` writes it.
    /// - Parameter acceptedBy: The operator on record for charging an order that the shop reports as settled; `nil`
    ///   refuses such an order.
    /// - Parameter discount: The discount given at the counter. ``create(_:idempotency:)`` refuses one on an order that
    ///   has a price of its own.
    public func draft(
        account: AccountID, order: Order, captureMode: CaptureMode, acceptedBy: String? = nil,
        discount: Discount? = nil
    ) -> PaymentDraft {
        let now = clock.now()
        let creation = PaymentEvent.Creation(
            payment: PaymentID.make(at: now, random: (random(), random())), account: account, order: order,
            captureMode: captureMode, acceptedBy: order.standing == nil ? nil : acceptedBy, discount: discount)
        return PaymentDraft(
            payment: Payment(creation, at: now), event: RecordedEvent(.created(creation), at: now, by: .inEvents))
    }

    /// Writes a new payment together with the response stored under the caller's idempotency key. Refused if the order
    /// already has a payment that holds, took or may take money, if an incident holds it, if the journal was restored
    /// and the sweep is not finished, if the shop reports the order as settled and no override was recorded, or if the
    /// payment has a discount and the order a price of its own. A payment for an order with a tab is added to the tab
    /// in the same commit.
    public func create(
        _ draft: PaymentDraft, idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        if let standing = draft.payment.order.standing, draft.payment.acceptedBy == nil {
            throw .settledInShop(order: draft.payment.order.number, standing)
        }
        guard draft.payment.discount == nil || draft.payment.order.isPlainAmount else {
            throw .discount(.priceIsOrders)
        }
        Failpoint.beforeCreateIsWritten.reached()
        var bound = draft
        for tries in 1... {
            do throws(CheckoutError) {
                try await write(bound, idempotency)
                break
            } catch {
                guard case .orderChanged = error, draft.tabChange == nil, tries < Checkout.maximumConflicts else {
                    throw error
                }
            }
            // The tab is of an order that a shop or a program has priced.
            guard draft.payment.discount == nil else { throw .discount(.priceIsOrders) }
            bound = try await onTab(draft)
        }
        Failpoint.afterCreateIsWritten.reached()
        return draft.payment
    }

    private func write(_ draft: PaymentDraft, _ idempotency: IdempotencyRecord?) async throws(CheckoutError) {
        let (account, order) = (draft.payment.account, draft.payment.order.id)
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: draft.payment, expectedVersion: 0, events: [draft.event], nextDue: nil, holder: .nobody)
        write.idempotency = idempotency
        let hold = OrderHold.id(account: account, order: order)
        write.records = SaleGate.conditions(account: account, order: order, hold: hold)
        write.records.append(draft.tabChange ?? .absent(OrderTab.id(account: account, order: order, besides: hold)))
        if draft.payment.order.part == nil, order.whole != order {
            write.records.append(.absent(OrderTab.id(account: account, order: order.whole)))
        }
        write.audit = AuditNote(of: draft.event.event, in: draft.payment).map { [$0] } ?? []
        do {
            try await journal.write(write)
        } catch .orderOccupied(let by) {
            // Another part was made at the same time, under the number of this one.
            guard draft.payment.order.part == nil else { throw .orderChanged(order) }
            let status = try await stored(by)?.status
            throw .orderOccupied(order, by: by, status ?? .processing)
        } catch .unavailable(let reason) {
            throw .notBegun(.unavailable(reason))
        } catch {
            if case .recordConflict(let id, _) = error, id.collection == OrderTab.collection {
                throw .orderChanged(order)
            }
            throw CheckoutError(gate: error, order: order) ?? .journal(error)
        }
    }

    /// Returns a payment of the account.
    public func payment(_ id: PaymentID, account: AccountID) async throws(CheckoutError) -> Payment {
        let found: Payment?
        do throws(CheckoutError) { found = try await stored(id) } catch {
            guard case .journal(.corrupted(let reason)) = error else { throw error }
            throw try await isListed(id, of: account) ? .unreadablePayment(id, reason: reason) : .unknownPayment(id)
        }
        guard let payment = found, payment.account == account else { throw .unknownPayment(id) }
        return payment
    }

    /// `true` if the payment's row belongs to the account; used if its events are unreadable.
    private func isListed(_ id: PaymentID, of account: AccountID) async throws(CheckoutError) -> Bool {
        // The key right after it: payment identifiers consist of letters, digits, dashes and underscores.
        let behind = PaymentID(rawValue: id.rawValue + "~")
        do throws(JournalError) {
            let first = try await journal.rowReadings(PaymentFilter(account: account, before: behind, limit: 1)).first
            return first?.id == id
        } catch { throw .journal(error) }
    }

    /// Returns `true` if the provider is configured and takes card numbers.
    public func takesCards(_ name: ProviderName) -> Bool { providers[name]?.capabilities.takesCards ?? false }

    /// Returns `true` if the provider is configured and takes references of its own card fields.
    public func takesTokens(_ name: ProviderName) -> Bool { providers[name]?.capabilities.takesTokens ?? false }

    /// Returns `true` if the provider is configured and a PayPal account can pay at it.
    public func takesPayPal(_ name: ProviderName) -> Bool { providers[name]?.capabilities.takesPayPal ?? false }

    /// Returns `true` if the provider is configured and PayPal's own fields can attach a card to its orders.
    public func takesPayPalCards(_ name: ProviderName) -> Bool {
        providers[name]?.capabilities.takesPayPalCards ?? false
    }

    /// Returns `true` if the provider is configured and opens sessions in which Adyen's components or SDK take a card.
    public func takesAdyenSessions(_ name: ProviderName) -> Bool {
        providers[name]?.capabilities.takesAdyenSessions ?? false
    }

    /// Authorizes a payment at a provider. Returns once the outcome is in the journal, even if it is `unknown`.
    ///
    /// An order that was prepared for the provider's own card fields and still awaits its card is ended first, if the
    /// provider says that nobody has approved it; see ``endUnapproved(_:account:ifNotWithin:)``.
    /// - Parameter seen: The payment as the caller has just read it, which saves one reading of it. If it has changed
    ///   since, or refuses the attempt, it is read again: neither a write nor a refusal rests on an earlier state.
    public func confirm(
        _ id: PaymentID, account: AccountID, provider name: ProviderName, tender: Tender,
        idempotency: IdempotencyRecord? = nil, keyedAnswer: KeyedAnswer? = nil, seen: Payment? = nil
    ) async throws(CheckoutError) -> Payment {
        do throws(CheckoutError) {
            return try await attempt(
                id, account: account, provider: name, tender: tender, idempotency: idempotency,
                keyedAnswer: keyedAnswer, seen: seen)
        } catch {
            // Nothing was written. The same tender goes on with the order that is there.
            if case .payPalCard = tender { throw error }
            guard case .refused(.outcomeOpen(.requiresAction)) = error else { throw error }
            guard try await !endUnapproved(id, account: account).hasUndecidedAttempt else { throw error }
        }
        return try await attempt(
            id, account: account, provider: name, tender: tender, idempotency: idempotency, keyedAnswer: keyedAnswer,
            seen: nil)
    }

    private func attempt(
        _ id: PaymentID, account: AccountID, provider name: ProviderName, tender: Tender,
        idempotency: IdempotencyRecord?, keyedAnswer: KeyedAnswer?, seen: Payment?
    ) async throws(CheckoutError) -> Payment {
        guard let provider = providers[name] else { throw .unknownProvider(name, known: providerNames) }
        return try await run(
            .attempt(provider: name, tender: tender.summary, identity: await provider.identity()), on: id,
            account: account, tender: tender, idempotency: idempotency, keyedAnswer: keyedAnswer, seen: seen
        ) { (payment) throws(CheckoutError) in
            try Checkout.checkWire(payment.amount, at: provider)
            if payment.captureMode == .manual, !provider.capabilities.separateCapture {
                throw .refused(.unsupported("The provider \(name) captures at once and cannot authorize only."))
            }
            if case .card = tender, !provider.capabilities.takesCards {
                throw .refused(.unsupported("The provider \(name) takes no card numbers."))
            }
            if case .token = tender, !provider.capabilities.takesTokens {
                throw .refused(.unsupported("The provider \(name) takes no tokens of its own card fields here."))
            }
            if case .payPal = tender, !provider.capabilities.takesPayPal {
                throw .refused(
                    .unsupported("The provider \(name) takes no PayPal accounts here, or customers cannot come back."))
            }
            if case .payPalCard = tender, !provider.capabilities.takesPayPalCards {
                throw .refused(.unsupported("The provider \(name) has no card fields of PayPal's."))
            }
            if case .adyenSession = tender, !provider.capabilities.takesAdyenSessions {
                throw .refused(
                    .unsupported("The provider \(name) opens no sessions of Adyen's: it needs webhooks and test mode."))
            }
        }
    }

    /// Captures held money (the full remaining amount by default).
    /// - Parameter seen: The payment as the caller has just read it; see
    ///   ``confirm(_:account:provider:tender:idempotency:keyedAnswer:seen:)``.
    public func capture(
        _ id: PaymentID, account: AccountID, amount: Money? = nil, isFinal: Bool = true,
        idempotency: IdempotencyRecord? = nil, keyedAnswer: KeyedAnswer? = nil, seen: Payment? = nil
    ) async throws(CheckoutError) -> Payment {
        try await run(
            .capture(amount, isFinal: isFinal), on: id, account: account, idempotency: idempotency,
            keyedAnswer: keyedAnswer, seen: seen
        ) { (payment) throws(CheckoutError) in
            try checkWire(amount, of: payment)
            try checkCapture(amount, isFinal, of: payment)
        }
    }

    /// Cancels a payment and voids its hold. An authorization that succeeds later is voided too. If a part of the hold
    /// was captured, only the rest is released, and the payment stays.
    /// - Parameter seen: The payment as the caller has just read it; see
    ///   ``confirm(_:account:provider:tender:idempotency:keyedAnswer:seen:)``.
    public func cancel(
        _ id: PaymentID, account: AccountID, reason: String = "requested_by_customer", onlyIfUnpaid: Bool = false,
        idempotency: IdempotencyRecord? = nil, keyedAnswer: KeyedAnswer? = nil, seen: Payment? = nil
    ) async throws(CheckoutError) -> Payment {
        try await run(
            .cancel(reason: CardNumberMask.masked(reason)), on: id, account: account, idempotency: idempotency,
            keyedAnswer: keyedAnswer, seen: seen
        ) { (payment) throws(CheckoutError) in
            guard onlyIfUnpaid else { return }
            switch payment.status {
            case .requiresPaymentMethod, .declined, .canceled: break
            case .processing, .unknown, .requiresAction: throw .refused(.outcomeOpen(payment.status))
            default: throw .refused(.notUnpaid(payment.status))
            }
        }
    }

    /// Renews the hold on the uncaptured amount, which extends the issuer's guarantee. Recorded in the journal before
    /// it is sent.
    public func renew(
        _ id: PaymentID, account: AccountID, idempotency: IdempotencyRecord? = nil,
        keyedAnswer: KeyedAnswer? = nil
    ) async throws(CheckoutError) -> Payment {
        let payment = try await payment(id, account: account)
        guard let name = payment.provider else { throw .refused(.nothingHeld) }
        guard let provider = providers[name] else { throw .unknownProvider(name, known: providerNames) }
        guard let honorPeriod = provider.capabilities.honorPeriod else {
            throw .refused(.unsupported("The provider \(name) cannot renew holds."))
        }
        return try await run(
            .renew(honorPeriod: honorPeriod), on: id, account: account, idempotency: idempotency,
            keyedAnswer: keyedAnswer)
    }

    /// Refunds a payment (the full remaining amount by default).
    ///
    /// ```swift
    /// let part = try Money(parsing: "4.50", currency: .eur)
    /// let back = try await checkout.refund(paid.id, account: .main, amount: part, reason: "cake was old")
    /// print("\(back.refunded) of \(back.captured) given back.")
    /// ```
    ///
    /// - Parameters:
    ///   - total: The most that may be refunded of the payment in all; checked when the refund is written, so that two
    ///     concurrent refunds cannot exceed it.
    ///   - seen: The payment as the caller has just read it; see
    ///     ``confirm(_:account:provider:tender:idempotency:keyedAnswer:seen:)``.
    public func refund(
        _ id: PaymentID, account: AccountID, amount: Money? = nil, reason: String? = nil, total: Money? = nil,
        idempotency: IdempotencyRecord? = nil, keyedAnswer: KeyedAnswer? = nil, seen: Payment? = nil
    ) async throws(CheckoutError) -> Payment {
        Failpoint.beforeRefundIsWritten.reached()
        return try await run(
            .refund(amount, reason: reason.map(CardNumberMask.masked), total: total), on: id, account: account,
            idempotency: idempotency, keyedAnswer: keyedAnswer, seen: seen
        ) { (payment) throws(CheckoutError) in try checkWire(amount, of: payment) }
    }

    /// Refuses a capture that the provider does not support. A provider that captures once releases the rest: it would
    /// treat a second capture as a repeat of the first.
    private func checkCapture(_ amount: Money?, _ isFinal: Bool, of payment: Payment) throws(CheckoutError) {
        guard let amount, let attempt = payment.currentAttempt, let held = attempt.authorization?.amount,
            let provider = providers[attempt.provider], amount.minorUnits < held.minorUnits
        else { return }
        if !provider.capabilities.partialCapture {
            throw .refused(.unsupported("The provider \(provider.name) supports full captures only."))
        }
        if !isFinal, !provider.capabilities.multipleCapture {
            throw .refused(
                .unsupported(
                    "The provider \(provider.name) captures a payment once. Capture the part as the last one: the rest "
                        + "is released."))
        }
    }

    /// Checks, before anything is written, that the provider's wire format can express an amount.
    private func checkWire(_ amount: Money?, of payment: Payment) throws(CheckoutError) {
        guard let amount, amount.currency == payment.currency, let name = payment.provider,
            let provider = providers[name]
        else { return }
        try Checkout.checkWire(amount, at: provider)
    }

    private static func checkWire(_ amount: Money, at provider: any PaymentServiceProvider) throws(CheckoutError) {
        do {
            _ = try provider.amounts.wireAmount(amount)
        } catch {
            throw .amount(error)
        }
    }

    /// Decides a command on the newest state, writes it, and performs its follow-up work.
    /// - Parameters:
    ///   - seen: The payment as it was read before, for the first round: a write on it fails if it has changed since,
    ///     and what it refuses is decided again on the newest state.
    ///   - check: refuses the newest state before the command is decided.
    func run(
        _ command: PaymentCommand, on id: PaymentID, account: AccountID, tender: Tender? = nil,
        idempotency: IdempotencyRecord?, keyedAnswer: KeyedAnswer?, seen: Payment? = nil,
        check: (Payment) throws(CheckoutError) -> Void = { (_) throws(CheckoutError) in }
    ) async throws(CheckoutError) -> Payment {
        atWork.begin(id)
        defer { atWork.end(id) }
        var handed = seen
        if let seen, seen.id != id || seen.account != account { handed = nil }
        // A round on what was handed over is none of those that follow another write.
        let rounds = Checkout.maximumConflicts + (handed == nil ? 0 : 1)
        for _ in 0..<rounds {
            let isNewest = handed == nil
            var payment: Payment
            if let handed { payment = handed } else { payment = try await self.payment(id, account: account) }
            handed = nil
            let now: Timestamp
            var events: [PaymentEvent]
            do throws(CheckoutError) {
                try check(payment)
                try await checkAccount(of: command, to: payment)
                now = clock.now()
                do {
                    events = try payment.decide(command, at: now, standing: clock.standing)
                } catch {
                    throw CheckoutError.refused(error)
                }
            } catch {
                guard isNewest else { continue }
                throw error
            }
            // Nothing is sent to a cash drawer, so an attempt there is written with its outcome.
            let outcome = await outcome(of: events, on: payment, tender: tender, at: now)
            // If no step is started, the open work stays with its current holder, which may use another account.
            let work = Checkout.steps(in: outcome.isEmpty ? events : outcome, tender: tender)
            events += outcome
            do throws(CheckoutError) {
                // Without a record of its own the request leaves the key to the process that holds it.
                let isWritten = try await append(
                    events, to: &payment, at: now,
                    holder: !work.isEmpty ? .thisProcess : outcome.isEmpty ? .unchanged : .nobody,
                    idempotency: idempotency, keyedAnswer: outcome.isEmpty || idempotency == nil ? nil : keyedAnswer,
                    conditions: command.conditions(of: payment))
                guard isWritten else { continue }
            } catch .journal(.unavailable(let reason)) where command.needsCredential && outcome.isEmpty {
                // Even if the write succeeded, no other process can authorize: only this one has the credential.
                throw .notBegun(.unavailable(reason))
            }
            markStarted(events)
            return try await drive(payment, work: work, tender: tender, keyedAnswer: keyedAnswer)
        }
        throw .tooManyConflicts(id)
    }

    /// Appends events; returns `false` if another write came first.
    func append(
        _ events: [PaymentEvent], to payment: inout Payment, at now: Timestamp, holder: JournalWrite.Holder,
        idempotency: IdempotencyRecord? = nil, keyedAnswer: KeyedAnswer? = nil, webhook: WebhookReceipt? = nil,
        wakes: Bool = false, conditions: [RecordChange] = []
    ) async throws(CheckoutError) -> Bool {
        // No payment is kept from before: the events would then be applied to copies of its lists.
        let (expected, wasOpen) = (payment.version, !payment.openAttention.isEmpty)
        let by = Attribution.inEvents
        let records = events.map { RecordedEvent($0, at: now, by: by) }
        for record in records { payment.evolve(record) }
        if let broken = payment.broken {
            // A defect of the engine: found in tests, and in a shop refused before it is written, so that what is
            // written stays readable. Not `assert`, which this room's optimization removes from debug builds too.
            #if DEBUG
                fatalError("\(payment.id): \(broken)")
            #else
                throw .journal(.corrupted("payment \(payment.id): \(broken)"))
            #endif
        }
        // Without pending work no holder is needed; a hold without a due time would never leave the outbox.
        let due = payment.nextDue
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: payment, expectedVersion: expected, events: records, nextDue: due,
            holder: due == nil ? .nobody : holder)
        // The answer goes with the last event: nothing is left that is done before the caller gets it. A finished
        // record replaces the one in flight, and in a write that also begins the attempt it is checked like one.
        let isLast = holder == .nobody && due.map { $0 > now } ?? true
        let answered = isLast ? keyedAnswer?.record(for: payment) : nil
        write.idempotency = answered ?? idempotency.map { Checkout.naming(events, in: $0) }
        write.webhook = webhook
        if wakes { write.wake = (payment.id, now) }
        write.records = conditions + AttentionEntry.changes(to: payment, wasOpen: wasOpen)
        write.audit = events.compactMap { AuditNote(of: $0, in: payment) }
        do {
            try await journal.write(write)
            if let answered { keyedAnswer?.noteWritten(answered, for: payment) }
            return true
        } catch .versionConflict {
            return false
        } catch {
            throw CheckoutError(gate: error, order: payment.order.id) ?? .journal(error)
        }
    }

    /// Returns a request's record with the attempt that these events begin, so that it is never answered with another.
    private static func naming(_ events: [PaymentEvent], in record: IdempotencyRecord) -> IdempotencyRecord {
        for case .attemptStarted(let start) in events { return record.beginning(start.attempt) }
        return record
    }

    /// Returns a payment in its current journal state.
    func stored(_ id: PaymentID) async throws(CheckoutError) -> Payment? {
        do {
            guard var payment = try await journal.payment(id) else { return nil }
            payment.epoch = try await epoch.number(in: journal)
            return payment
        } catch {
            throw .journal(error)
        }
    }

    private func markStarted(_ events: [PaymentEvent]) {
        for event in events {
            switch event {
            case .attemptStarted: Failpoint.afterAttemptIsWritten.reached()
            case .authorized: Failpoint.afterAuthorizationIsWritten.reached()
            case .refundStarted: Failpoint.afterRefundIsStarted.reached()
            case .renewalStarted: Failpoint.afterRenewalIsStarted.reached()
            case .voidStarted: Failpoint.afterVoidIsStarted.reached()
            default: break
            }
        }
    }
}

extension PaymentCommand {
    /// `true` if the command needs the customer's credential, which only this process has in memory, so that it cannot
    /// be performed later.
    fileprivate var needsCredential: Bool { if case .attempt = self { true } else { false } }

    /// The records that must be absent from the journal when the command is written. A command bounded by an existing
    /// hold, such as its capture, has no conditions.
    fileprivate func conditions(of payment: Payment) -> [RecordChange] {
        switch self {
        case .attempt: SaleGate.conditions(account: payment.account, order: payment.order.id)
        case .refund: SaleGate.conditions(account: payment.account, order: nil)
        default: []
        }
    }
}

/// A payment that has not been written yet.
public struct PaymentDraft: Sendable {
    /// The payment as it will be written.
    public let payment: Payment
    let event: RecordedEvent
    /// The change of its order's tab in the same commit; `nil` for an order that must not have a tab.
    var tabChange: RecordChange?
}

/// The payments that tasks of this process are working on, which recovery leaves alone.
final class AtWork: Sendable {
    /// The most query times that are remembered; the oldest are forgotten first.
    static let maximumQueries = 4096

    private let counts = Mutex<[PaymentID: Int]>([:])
    private let queries = Mutex<[PaymentID: Timestamp]>([:])
    private let results = Mutex<[PaymentID: Timestamp]>([:])

    func begin(_ id: PaymentID) { counts.withLock { $0[id, default: 0] += 1 } }

    func end(_ id: PaymentID) {
        counts.withLock { counts in
            guard let count = counts[id] else { return }
            counts[id] = count > 1 ? count - 1 : nil
        }
    }

    func contains(_ id: PaymentID) -> Bool { counts.withLock { $0[id] != nil } }

    func lastQuery(_ id: PaymentID) -> Timestamp? { queries.withLock { $0[id] } }

    /// Returns `true` if the payment may be queried now, and if so, remembers the query.
    func mayQuery(_ id: PaymentID, at now: Timestamp, ifNotWithin interval: Span?) -> Bool {
        queries.withLock { queries in
            if let interval, let last = queries[id], last <= now, now.since(last) < interval { return false }
            if queries.count >= AtWork.maximumQueries {
                let limit = interval ?? Checkout.impatientInterval
                queries = queries.filter { $0.value <= now && now.since($0.value) < limit }
                if queries.count >= AtWork.maximumQueries { return interval == nil }
            }
            queries[id] = now
            return true
        }
    }

    /// Returns `true` if the result of the payment's session may be handed in now, and if so, remembers that. Beyond
    /// ``maximumQueries`` payments at a time none may.
    func mayFinish(_ id: PaymentID, at now: Timestamp, ifNotWithin interval: Span) -> Bool {
        results.withLock { results in
            if let last = results[id], last <= now, now.since(last) < interval { return false }
            if results.count >= AtWork.maximumQueries {
                results = results.filter { $0.value <= now && now.since($0.value) < interval }
                if results.count >= AtWork.maximumQueries { return false }
            }
            results[id] = now
            return true
        }
    }
}

extension Checkout {
    /// Refuses an amount that the provider's wire format cannot express, or in a currency that it does not support.
    /// Writes nothing.
    public func checkAmount(_ amount: Money, provider name: ProviderName) throws(CheckoutError) {
        guard let provider = providers[name] else { throw .unknownProvider(name, known: providerNames) }
        do {
            _ = try provider.amounts.wireAmount(amount)
        } catch {
            throw .amount(error)
        }
    }
}
