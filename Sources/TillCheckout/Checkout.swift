import Synchronization
public import TillCore
public import TillJournal

/// Runs payments: decides, writes, calls the provider, writes what it answered.
///
/// - Every call to a provider is in the journal, with its key, before it leaves; no call is made inside a transaction;
///   every call has a deadline, also one that ignores its cancellation, and a call without an answer is `unknown`.
/// - Any number of tasks and processes may work on one payment at once: the journal's versions order them, the
///   payment's own rules are asked again on each new state, and the provider's keys make repeats harmless.
/// - After a crash ``recover(report:)`` does what is left to be done; it is the same code as normal running.
public struct Checkout: Sendable {
    /// How long a provider may take to answer. Shorter than `CheckSchedule.answerLease`.
    public static let providerDeadline: Span = .seconds(30)
    /// How often a decision is made again because another write came first.
    public static let maximumConflicts = 16
    /// How many effects one pass performs for one payment.
    public static let maximumSteps = 12

    let journal: any Journal
    let providers: [ProviderName: any PaymentServiceProvider]
    let clock: any TillClock
    let random: @Sendable () -> UInt64
    let atWork = AtWork()
    let abandoned = AbandonedCalls()
    let left = LeftAlone()
    let board = RecoveryBoard()
    let epoch = JournalEpoch()
    /// Where quarantined payments are listed; `nil` with a journal that keeps no records.
    let incidents: Records<Incident>?
    /// Where calls to providers run; `nil`: on the threads that all tasks share.
    let executor: (any TaskExecutor)?

    /// Makes an engine over a journal and its providers.
    /// - Parameter executor: runs the calls to the providers; `nil`: the threads that all tasks share.
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

    /// Makes a new payment in memory; ``create(_:idempotency:)`` writes it.
    /// - Parameter acceptedBy: who charges an order although the shop says that it was settled, for the record; `nil`:
    ///   such an order is refused.
    public func draft(
        account: AccountID, order: Order, captureMode: CaptureMode, acceptedBy: String? = nil
    ) -> PaymentDraft {
        let now = clock.now()
        let creation = PaymentEvent.Creation(
            payment: PaymentID.make(at: now, random: (random(), random())), account: account, order: order,
            captureMode: captureMode, acceptedBy: order.standing == nil ? nil : acceptedBy)
        return PaymentDraft(
            payment: Payment(creation, at: now), event: RecordedEvent(.created(creation), at: now, by: .inEvents))
    }

    /// Writes a new payment, together with the answer kept under the caller's key. Refused if the order has a payment
    /// that holds, took or may take money, if an incident holds it, if the journal was restored and the sweep is not
    /// done, or if the shop says that it was settled and nobody accepted that.
    public func create(
        _ draft: PaymentDraft, idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        if let standing = draft.payment.order.standing, draft.payment.acceptedBy == nil {
            throw .settledInShop(order: draft.payment.order.number, standing)
        }
        Failpoint.beforeCreateIsWritten.reached()
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: draft.payment, expectedVersion: 0, events: [draft.event], nextDue: nil, holder: .nobody)
        write.idempotency = idempotency
        write.records = SaleGate.conditions(account: draft.payment.account, order: draft.payment.order.id)
        write.audit = AuditNote(of: draft.event.event, in: draft.payment).map { [$0] } ?? []
        do {
            try await journal.write(write)
        } catch .orderOccupied(let by) {
            let status = try await stored(by)?.status
            throw .orderOccupied(draft.payment.order.id, by: by, status ?? .processing)
        } catch .unavailable(let reason) {
            throw .notBegun(.unavailable(reason))
        } catch {
            throw CheckoutError(gate: error, order: draft.payment.order.id) ?? .journal(error)
        }
        Failpoint.afterCreateIsWritten.reached()
        return draft.payment
    }

    /// A payment of the account.
    public func payment(_ id: PaymentID, account: AccountID) async throws(CheckoutError) -> Payment {
        let found: Payment?
        do throws(CheckoutError) { found = try await stored(id) } catch {
            guard case .journal(.corrupted(let reason)) = error else { throw error }
            throw try await isListed(id, of: account) ? .unreadablePayment(id, reason: reason) : .unknownPayment(id)
        }
        guard let payment = found, payment.account == account else { throw .unknownPayment(id) }
        return payment
    }

    /// Whether it is among the account's payments, by its row: its events cannot say.
    private func isListed(_ id: PaymentID, of account: AccountID) async throws(CheckoutError) -> Bool {
        // The place right behind it: names of payments are letters, digits, dashes and underscores.
        let behind = PaymentID(rawValue: id.rawValue + "~")
        do throws(JournalError) {
            let first = try await journal.rowReadings(PaymentFilter(account: account, before: behind, limit: 1)).first
            return first?.id == id
        } catch { throw .journal(error) }
    }

    /// Asks a provider for the money. Returns when the outcome is in the journal, be it `unknown`.
    public func confirm(
        _ id: PaymentID, account: AccountID, provider name: ProviderName, tender: Tender,
        idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        guard let provider = providers[name] else { throw .unknownProvider(name, known: providerNames) }
        let payment = try await payment(id, account: account)
        do {
            _ = try provider.amounts.wireAmount(payment.amount)
        } catch {
            throw .amount(error)
        }
        if payment.captureMode == .manual, !provider.capabilities.separateCapture {
            throw .refused(.unsupported("The provider \(name) captures at once and cannot authorize only."))
        }
        if case .card = tender, !provider.capabilities.takesCards {
            throw .refused(.unsupported("The provider \(name) takes no card numbers."))
        }
        return try await run(
            .attempt(provider: name, tender: tender.summary, identity: await provider.identity()), on: id,
            account: account, tender: tender, idempotency: idempotency)
    }

    /// Takes held money; all that is left if no amount is given.
    public func capture(
        _ id: PaymentID, account: AccountID, amount: Money? = nil, isFinal: Bool = true,
        idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        try await checkWire(amount, on: id, account: account)
        try await checkCapture(amount, isFinal, on: id, account: account)
        return try await run(
            .capture(amount, isFinal: isFinal), on: id, account: account, idempotency: idempotency)
    }

    /// Wants no money for the order any more; voids a hold. A success that comes later is voided too. Where a part of
    /// the hold was captured only the rest is released, and the payment stays.
    public func cancel(
        _ id: PaymentID, account: AccountID, reason: String = "requested_by_customer",
        idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        try await run(
            .cancel(reason: CardNumberMask.masked(reason)), on: id, account: account, idempotency: idempotency)
    }

    /// Renews the hold on what is not captured yet, so that the bank answers for it for longer. It is in the journal
    /// before it is sent.
    public func renew(
        _ id: PaymentID, account: AccountID, idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        let payment = try await payment(id, account: account)
        guard let name = payment.provider else { throw .refused(.nothingHeld) }
        guard let provider = providers[name] else { throw .unknownProvider(name, known: providerNames) }
        guard let honorPeriod = provider.capabilities.honorPeriod else {
            throw .refused(.unsupported("The provider \(name) cannot renew holds."))
        }
        return try await run(.renew(honorPeriod: honorPeriod), on: id, account: account, idempotency: idempotency)
    }

    /// Gives captured money back; all that is left if no amount is given.
    /// - Parameter total: what may be refunded of the payment in all; it is held against what was refunded when this
    ///   is written, so that two at once do not exceed it.
    public func refund(
        _ id: PaymentID, account: AccountID, amount: Money? = nil, reason: String? = nil, total: Money? = nil,
        idempotency: IdempotencyRecord? = nil
    ) async throws(CheckoutError) -> Payment {
        try await checkWire(amount, on: id, account: account)
        Failpoint.beforeRefundIsWritten.reached()
        return try await run(
            .refund(amount, reason: reason.map(CardNumberMask.masked), total: total), on: id, account: account,
            idempotency: idempotency)
    }

    /// Refuses what the provider cannot do. One that captures once releases the rest: a second capture would be
    /// taken for the repetition of the first.
    private func checkCapture(
        _ amount: Money?, _ isFinal: Bool, on id: PaymentID, account: AccountID
    ) async throws(CheckoutError) {
        let payment = try await payment(id, account: account)
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

    /// Checks that the provider's wire can express an amount before anything is written.
    private func checkWire(_ amount: Money?, on id: PaymentID, account: AccountID) async throws(CheckoutError) {
        let payment = try await payment(id, account: account)
        guard let amount, amount.currency == payment.currency, let name = payment.provider,
            let provider = providers[name]
        else { return }
        do {
            _ = try provider.amounts.wireAmount(amount)
        } catch {
            throw .amount(error)
        }
    }

    /// Decides a command on the newest state, writes it, and performs what follows from it.
    func run(
        _ command: PaymentCommand, on id: PaymentID, account: AccountID, tender: Tender? = nil,
        idempotency: IdempotencyRecord?
    ) async throws(CheckoutError) -> Payment {
        atWork.begin(id)
        defer { atWork.end(id) }
        for _ in 0..<Checkout.maximumConflicts {
            var payment = try await payment(id, account: account)
            try await checkAccount(of: command, to: payment)
            let now = clock.now()
            let events: [PaymentEvent]
            do {
                events = try payment.decide(command, at: now, standing: clock.standing)
            } catch {
                throw .refused(error)
            }
            // Where nothing is begun, what else is open stays with whoever works on it: that may be of another account.
            let isBegun = !Checkout.steps(in: events, tender: tender).isEmpty
            do throws(CheckoutError) {
                let isWritten = try await append(
                    events, to: &payment, at: now, holder: isBegun ? .thisProcess : .unchanged,
                    idempotency: idempotency,
                    conditions: command.conditions(of: payment))
                guard isWritten else { continue }
            } catch .journal(.unavailable(let reason)) where command.needsCredential {
                // Even if it was written, nobody else can ask for the money.
                throw .notBegun(.unavailable(reason))
            }
            markStarted(events)
            return try await drive(payment, started: events, tender: tender)
        }
        throw .tooManyConflicts(id)
    }

    /// Appends events; `false` if another write came first.
    func append(
        _ events: [PaymentEvent], to payment: inout Payment, at now: Timestamp, holder: JournalWrite.Holder,
        idempotency: IdempotencyRecord? = nil, webhook: WebhookReceipt? = nil, wakes: Bool = false,
        conditions: [RecordChange] = []
    ) async throws(CheckoutError) -> Bool {
        let (expected, before) = (payment.version, payment)
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
        // Nothing left to do needs nobody to hold it; a hold without a due time would never leave the outbox.
        let due = payment.nextDue
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: payment, expectedVersion: expected, events: records, nextDue: due,
            holder: due == nil ? .nobody : holder)
        write.idempotency = idempotency
        write.webhook = webhook
        if wakes { write.wake = (payment.id, now) }
        write.records = conditions + AttentionEntry.changes(from: before, to: payment)
        write.audit = events.compactMap { AuditNote(of: $0, in: payment) }
        do {
            try await journal.write(write)
            return true
        } catch .versionConflict {
            return false
        } catch {
            throw CheckoutError(gate: error, order: payment.order.id) ?? .journal(error)
        }
    }

    /// A payment as it is in the journal now.
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
            case .refundStarted: Failpoint.afterRefundIsStarted.reached()
            case .renewalStarted: Failpoint.afterRenewalIsStarted.reached()
            case .voidStarted: Failpoint.afterVoidIsStarted.reached()
            default: break
            }
        }
    }
}

extension PaymentCommand {
    /// Only who has the customer's credential in hand can do it, so nobody does it later.
    fileprivate var needsCredential: Bool { if case .attempt = self { true } else { false } }

    /// What must not be in the journal when it is written. What is bounded by a hold that is known, such as its
    /// capture, has no conditions.
    fileprivate func conditions(of payment: Payment) -> [RecordChange] {
        switch self {
        case .attempt: SaleGate.conditions(account: payment.account, order: payment.order.id)
        case .refund: SaleGate.conditions(account: payment.account, order: nil)
        default: []
        }
    }
}

/// A payment that is not written yet.
public struct PaymentDraft: Sendable {
    /// As it will be.
    public let payment: Payment
    let event: RecordedEvent
}

/// Which payments tasks of this process are working on, so that recovery leaves them alone.
final class AtWork: Sendable {
    /// How many payments are remembered as queried; older queries are forgotten first.
    static let maximumQueries = 4096

    private let counts = Mutex<[PaymentID: Int]>([:])
    private let queries = Mutex<[PaymentID: Timestamp]>([:])

    func begin(_ id: PaymentID) { counts.withLock { $0[id, default: 0] += 1 } }

    func end(_ id: PaymentID) {
        counts.withLock { counts in
            guard let count = counts[id] else { return }
            counts[id] = count > 1 ? count - 1 : nil
        }
    }

    func contains(_ id: PaymentID) -> Bool { counts.withLock { $0[id] != nil } }

    func lastQuery(_ id: PaymentID) -> Timestamp? { queries.withLock { $0[id] } }

    /// Whether to query now, and if so, remembers that.
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
}

extension Checkout {
    /// Refuses an amount that the provider's wire cannot express or whose currency it does not take. Writes nothing.
    public func checkAmount(_ amount: Money, provider name: ProviderName) throws(CheckoutError) {
        guard let provider = providers[name] else { throw .unknownProvider(name, known: providerNames) }
        do {
            _ = try provider.amounts.wireAmount(amount)
        } catch {
            throw .amount(error)
        }
    }
}
