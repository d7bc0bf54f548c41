import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillOffline
import TillTestSupport

/// A shop that is offline for hours and days: cards are stored, the power fails, the provider loses responses, and in
/// the end everything is forwarded. One seed, one shop, and the provider's own ledger as the oracle.
package struct OfflineDays: Sendable {
    /// A deliberate defect, to prove that the simulation detects it.
    package enum Plant: String, CaseIterable, Sendable {
        /// The disk reports a sync it did not perform.
        case diskLies
        /// Each upload of a payment appears new to the provider.
        case attemptRenamed
        /// Decided records are deleted without an update of the journal.
        case notSettled
        /// Records that the provider cannot read are reported as approved.
        case poisonSkipped
        /// A canceled payment is forwarded and not refunded.
        case cancelIgnored
    }

    private let seed: UInt64
    private let plant: Plant?
    private let orders: Int
    private let executor: (any TaskExecutor)?

    /// Creates a shop from a seed.
    /// - Parameter executor: the executor of the shop's own task; `nil` for the shared one.
    package init(seed: UInt64, orders: Int = 30, plant: Plant? = nil, executor: (any TaskExecutor)? = nil) {
        self.executor = executor
        self.seed = seed
        self.orders = orders
        self.plant = plant
    }

    package func run() async -> SimulationReport {
        let world = OfflineWorld(seed: seed, plant: plant, executor: executor)
        let start = world.clock.now()
        await world.live(orders: orders)
        var report = await world.judged(orders: orders)
        report.simulatedMilliseconds = world.clock.now().since(start).milliseconds
        return report
    }
}

/// The shop and its surroundings. A single task drives it, so that a seed determines the history.
private final class OfflineWorld: Sendable {
    struct State {
        var random: SeededRandom
        var report: SimulationReport
        var log: OfflineLog?
        var journal: MemoryJournal
        var isNear = true
        /// Payments shown as stored, with the details shown.
        var shown: [PaymentID: StoredTap] = [:]
        var canceled: Set<PaymentID> = []
        var uploads = 0
    }

    let disk: PowerLossDisk
    let clock = ManualClock(waits: .moveTime(upTo: .seconds(29)))
    let storage = MemoryJournal.Storage()
    let sandbox: SandboxProvider
    let offline: SandboxOfflineLedger?
    let plant: OfflineDays.Plant?
    let state: Mutex<State>
    let device: OfflineDevice?
    let executor: (any TaskExecutor)?

    init(seed: UInt64, plant: OfflineDays.Plant?, executor: (any TaskExecutor)?) {
        self.plant = plant
        self.executor = executor
        disk = PowerLossDisk(lies: plant == .diskLies)
        offline = SandboxOfflineLedger(path: nil)
        device = OfflineDevice(name: "till", key: Secret(Array(repeating: 7, count: 32)))
        sandbox = SandboxProvider(
            store: SandboxMemoryStore(), clock: clock, faults: SandboxFaults(followsTables: false))
        state = Mutex(
            State(
                random: SeededRandom(seed: seed), report: SimulationReport(seed: seed),
                journal: MemoryJournal(storage: storage, clock: clock)))
    }

    func chance(_ perMille: UInt64) -> Bool { state.withLock { $0.random.chance(perMille) } }
    func number(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.random.number(range) } }
    func count(_ fault: String) {
        state.withLock { state in
            state.report.faults[fault, default: 0] += 1
            state.report.hash(fault)
        }
    }

    private var policy: OfflinePolicy {
        var policy = OfflinePolicy()
        policy.perPayment = ["EUR": 1_000_000]
        policy.total = ["EUR": 1_000_000_000]
        policy.count = 10_000
        policy.perCard = 10_000
        policy.contactAge = .days(9)
        policy.itemAge = .days(9)
        policy.clockTolerance = .hours(3)
        return policy
    }

    private func log() throws(OfflineLogError) -> OfflineLog {
        guard let device else { throw .noLog }
        if let log = state.withLock({ $0.log }) { return log }
        let marks = state.withLock { Array($0.shown.values) }.compactMap { LogMark($0.record) }
        let newest = marks.max { $0.sequence < $1.sequence }
        let log = try OfflineLog.open(
            in: disk, device: device, provider: SandboxOfflineKeys.keys, clock: clock,
            marks: newest.map { [$0] } ?? [], commits: .inline,
            random: { [self] in state.withLock { $0.random.next() } })
        state.withLock { $0.log = log }
        return log
    }

    private func engine() -> Checkout {
        let offline = OfflineProvider(online: sandbox, policy: policy, clock: clock) {
            [self] () async throws(OfflineLogError) in try log()
        }
        let journal = state.withLock { $0.journal }
        return Checkout(journal: journal, providers: [sandbox, offline], clock: clock, executor: executor) { [self] in
            state.withLock { $0.random.next() }
        }
    }

    /// Simulates a power failure: a new process over the durable state.
    private func losePower(_ place: String) {
        count("power lost \(place)")
        state.withLock { state in
            state.journal.crash()
            disk.losePower(&state.random)
            state.journal = MemoryJournal(storage: storage, clock: clock)
            state.log = nil
        }
    }

    // MARK: Living

    func live(orders: Int) async {
        await forward()
        for index in 0..<orders {
            if chance(120) {
                state.withLock { $0.isNear.toggle() }
                count(state.withLock { $0.isNear } ? "online again" : "offline")
            }
            clock.advance(by: .milliseconds(number(1_000...7_200_000)))
            if chance(60) {
                clock.advance(by: .milliseconds(number(-3_600_000...3_600_000)))
                count("clock jumps")
            }
            await sell(index)
            if chance(80) { losePower("at rest") }
            if chance(150) { await forward() }
        }
        state.withLock { $0.isNear = true }
        // Queries of unknown outcomes are hours apart; their results are forwarded afterwards.
        for _ in 0..<10 {
            await forward(calmly: true)
            _ = try? await engine().recover()
            clock.advance(by: .hours(9))
        }
        await forward(calmly: true)
    }

    private func sell(_ index: Int) async {
        let kinds = ["4242424242424242:visa:contactless_emv", "declined:insufficient_funds", "unreadable"]
        let kind = kinds[chance(100) ? 1 : (chance(60) ? 2 : 0)]
        let checkout = engine()
        if chance(50) { disk.losePower(afterWrites: Int(number(0...2))) }
        do {
            let order = try Order(
                id: OrderID(rawValue: "o-\(index)"), amount: Money(minorUnits: number(100...5_000), currency: .eur))
            let payment = try await checkout.create(
                checkout.draft(account: .main, order: order, captureMode: .automatic))
            let stored = try await checkout.confirm(
                payment.id, account: .main, provider: OfflineProvider.providerName,
                tender: .cardPresent(
                    CardPresentPayload(
                        reader: "tap", sealed: Secret("sim:" + kind),
                        card: CardSummary(brand: "visa", lastFour: "4242"))))
            if let result = StoredNotAuthorized(stored) {
                state.withLock { $0.shown[payment.id] = result.tap }
                if chance(100) {
                    clock.advance(by: .milliseconds(number(0...120_000)))
                    _ = try await checkout.cancel(payment.id, account: .main)
                    state.withLock { _ = $0.canceled.insert(payment.id) }
                    count("canceled")
                }
            }
        } catch {}
        if disk.isOff { losePower("while storing") }
    }

    private func forward(calmly: Bool = false) async {
        let checkout = engine()
        do {
            let (log, journal) = (try log(), state.withLock { $0.journal })
            guard state.withLock({ $0.isNear }) else { return }
            try await log.noteContact()
            _ = try await checkout.recover()
            if !calmly, chance(250) { disk.losePower(afterWrites: Int(number(0...8))) }
            let plant = plant
            var sync = OfflineSync(
                log: log, forwarder: forwarder(calmly: calmly), clock: RetryClock(base: clock),
                check: { (try? await journal.payment($0.payment)) == nil ? "not in the journal" : nil },
                settle: { record, _ in
                    if plant == .notSettled { return .settled }
                    do {
                        try await checkout.query(record.payment)
                        let payment = try await journal.payment(record.payment)
                        return payment?.currentAttempt?.isUndecided == true ? .notYet(reason: "open") : .settled
                    } catch { return .notYet(reason: "\(error)") }
                })
            sync.batchSize = Int(number(1...9))
            sync.together = 1
            _ = try await sync.run()
        } catch {}
        if disk.isOff { losePower("while forwarding") }
    }

    /// A clock that lets every wait elapse in full, even one as long as a provider's deadline, which the world's own
    /// clock would never let expire.
    private struct RetryClock: TillClock {
        let base: ManualClock
        func now() -> Timestamp { base.now() }
        func sleep(for span: Span) async throws { base.advance(by: span) }
    }

    private func forwarder(calmly: Bool) -> any OfflineForwarder {
        guard let offline else { return NobodyThere() }
        let base = SandboxForwarder(ledger: sandbox.ledger, offline: offline, clock: clock) { [self] _ in
            guard !calmly, chance(300) else { return nil }
            let faults: [SandboxFault] = [
                .timeoutBeforeCommit, .timeoutAfterCommit, .serverErrorAfterSuccess, .conflict, .outage, .notSent,
                .duplicateDelivery,
            ]
            let fault = faults[Int(number(0...Int64(faults.count - 1)))]
            count("\(fault)")
            return fault
        }
        return plant == nil ? base : PlantedForwarder(base: base, world: self)
    }

    /// A forwarder with a defect.
    private struct PlantedForwarder: OfflineForwarder {
        var base: SandboxForwarder
        var world: OfflineWorld
        var keys: OfflineProviderKeys { base.keys }

        func contact(_ checkpoint: LogCheckpoint, from header: LogHeader) async -> ContactAnswer {
            await base.contact(checkpoint, from: header)
        }

        func forward(_ upload: BatchUpload) async -> ForwardAnswer {
            let answer = await base.forward(upload)
            switch world.plant {
            case .attemptRenamed:
                // Simulates a request under a new key after a lost response.
                guard case .unknown = answer else { return answer }
                for record in upload.records {
                    await world.chargeAgain(record.record)
                }
                return answer
            case .poisonSkipped:
                guard case .accepted(let receipt) = answer else { return answer }
                let decisions = receipt.decisions.map { decision -> RecordDecision in
                    guard case .poison = decision.outcome else { return decision }
                    return RecordDecision(
                        sequence: decision.sequence,
                        outcome: .approved(reference: ProviderReference(rawValue: "none"), card: nil))
                }
                let now = world.clock.now()
                let token = DeletionToken(
                    log: upload.header.log, content: upload.content, decisions: decisions, issued: now,
                    expires: now.adding(.hours(1)))
                let text = token.text(signedWith: SandboxOfflineKeys.signing) ?? ""
                return .accepted(BatchReceipt(batch: receipt.batch, decisions: decisions, token: text))
            case .cancelIgnored:
                for record in upload.records where world.wasCanceled(record.record.payment) {
                    await world.chargeAgain(record.record)
                }
                return answer
            case .diskLies, .notSettled, nil: return answer
            }
        }
    }

    private struct NobodyThere: OfflineForwarder {
        let keys = SandboxOfflineKeys.keys
        func forward(_ upload: BatchUpload) async -> ForwardAnswer { .notSent(reason: "nobody there") }
        func contact(_ checkpoint: LogCheckpoint, from header: LogHeader) async -> ContactAnswer {
            .notReached(reason: "nobody there")
        }
    }

    func wasCanceled(_ id: PaymentID) -> Bool { state.withLock { $0.canceled.contains(id) } }

    func chargeAgain(_ record: StoredRecord) async {
        let context = AttemptContext(
            account: record.account, order: record.order, payment: record.payment, attempt: record.attempt,
            startedAt: record.at, reference: nil)
        let key = state.withLock { state -> String in
            state.uploads += 1
            return "\(record.attempt)-again-\(state.uploads)"
        }
        let tender = Tender.cardPresent(
            CardPresentPayload(reader: "tap", sealed: Secret("sim:4242424242424242:visa:contactless_emv"), card: nil))
        let answer = await sandbox.authorize(
            AuthorizationRequest(
                context: context, amount: record.amount, captureMode: .automatic,
                prepareKey: IdempotencyKey(rawValue: key + "-prepare"), key: IdempotencyKey(rawValue: key)),
            with: tender)
        guard case .approved(let authorization) = answer else { return }
        var held = context
        held.reference = authorization.reference
        _ = await sandbox.capture(
            CaptureRequest(
                context: held, capture: CaptureID(rawValue: key), amount: record.amount, isFinal: true,
                key: IdempotencyKey(rawValue: key + "-capture")))
    }

    // MARK: Judging

    func judged(orders: Int) async -> SimulationReport {
        var problems: [String] = []
        let (journal, shown, canceled) = state.withLock { ($0.journal, $0.shown, $0.canceled) }
        var net: [String: Int64] = [:]
        for charge in (try? await sandbox.ledger.charges()) ?? [] where charge.captured > charge.refunded {
            let order = charge.order ?? "?"
            if net[order] != nil { problems.append("\(order): charged twice") }
            net[order] = charge.captured - charge.refunded
        }
        var known: Set<String> = []
        let rows = (try? await journal.payments(PaymentFilter(limit: JournalLimits.maximumPage))) ?? []
        let book = try? log().book()
        if book == nil { problems.append("the log cannot be opened") }
        for row in rows {
            known.insert(row.order.rawValue)
            state.withLock { $0.report.outcomes[row.status.rawValue, default: 0] += 1 }
            let taken = row.captured.minorUnits - row.refunded.minorUnits
            if taken != net[row.order.rawValue] ?? 0 {
                problems.append("\(row.order): the journal says \(taken), the provider \(net[row.order.rawValue] ?? 0)")
            }
            if canceled.contains(row.id), taken != 0 { problems.append("\(row.order): canceled and charged") }
            switch row.status {
            case .stored:
                let payment = try? await journal.payment(row.id)
                let attempt = payment?.currentAttempt?.id
                let found = attempt.flatMap { try? log().find($0) }
                if found?.entry.state != .quarantined {
                    problems.append("\(row.order): still stored, and not put aside")
                }
            case .processing, .unknown, .requiresAction: problems.append("\(row.order): still \(row.status.rawValue)")
            default: break
            }
        }
        for id in shown.keys where (try? await journal.payment(id)) == nil { problems.append("\(id): shown and gone") }
        for order in net.keys where !known.contains(order) { problems.append("\(order): the journal does not know it") }
        if let book, book.exposure.count != book.quarantine.count {
            problems.append("\(book.exposure.count) are left, \(book.quarantine.count) put aside")
        }
        var report = state.withLock { $0.report }
        report.payments = orders
        report.violations = problems
        return report
    }
}
