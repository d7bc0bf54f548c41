import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A journal that counts reads of payments, says of some that they cannot be read, and may keep everybody waiting who
/// asks what is due.
private final class WatchedJournal: JournalInFront, RecordStore {
    private struct State {
        var reads = 0
        var unreadable: Set<PaymentID> = []
        var isStuck = false
        var isFailing = false
    }
    let base: MemoryJournal
    private let state = Mutex(State())

    init(_ base: MemoryJournal) { self.base = base }

    var reads: Int { state.withLock { $0.reads } }
    func damage(_ ids: Set<PaymentID>) { state.withLock { $0.unreadable = ids } }
    func stick(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }

    func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        let isUnreadable = state.withLock { state in
            state.reads += 1
            return state.unreadable.contains(id)
        }
        if isUnreadable { throw .corrupted("event 2 is of an unknown kind") }
        return try await base.payment(id)
    }

    func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment] {
        while state.withLock({ $0.isStuck }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        if state.withLock({ $0.isFailing }) { throw .unavailable("the disk does not answer") }
        return try await base.due(at: moment, after: place, limit: limit)
    }
}

/// What recovery said.
private final class Notices: Sendable {
    private let all = Mutex<[RecoveryNotice]>([])
    var said: [RecoveryNotice] { all.withLock { $0 } }
    var report: @Sendable (RecoveryNotice) -> Void { { notice in self.all.withLock { $0.append(notice) } } }
}

@Suite("Recovery stops for nobody", .timeLimit(.minutes(30)))
struct RecoverySchedulerTests {
    private static let slow = ProviderName(rawValue: "slow")
    private let world = World(preparesFirst: false)
    private let journal: WatchedJournal
    private let hanging: HangingProvider

    init() {
        journal = WatchedJournal(world.journal)
        hanging = HangingProvider(world.provider, name: RecoverySchedulerTests.slow)
    }

    private func engine(_ providers: [any PaymentServiceProvider]) -> Checkout {
        Checkout(journal: journal, providers: providers, clock: world.clock)
    }

    /// A payment of whose outcome nobody knows, to be queried at once.
    private func open(_ order: String, _ engine: Checkout, _ provider: ProviderName) async throws -> PaymentID {
        let order = try Order(id: OrderID(rawValue: order), amount: World.eur(100))
        let id = try await engine.create(engine.draft(account: .main, order: order, captureMode: .automatic)).id
        if provider == .sandbox { world.faults.fail(.authorize, with: .timeoutAfterCommit) }
        let tender = Tender.cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))
        if provider == .sandbox { world.faults.fail(.query, with: .outage) }
        let payment = try await engine.confirm(id, account: .main, provider: provider, tender: tender)
        #expect(payment.status == .unknown)
        return id
    }

    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func status(_ id: PaymentID) async throws -> PaymentStatus? {
        try await world.journal.payment(id)?.status
    }

    private func incidents() async throws -> [Incident] {
        try await Records<Incident>(world.journal).list(matching: Incident.open)
    }

    /// Runs recovery as the counter does, and moves its clock on by its intervals, as long as the test goes on.
    private func running(_ engine: Checkout, _ notices: Notices = Notices(), _ test: () async throws -> Void)
        async throws
    {
        let loop = Task { await engine.run(report: notices.report) }
        let time = Task { [world] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(4))
                world.clock.advance(by: Checkout.recoveryInterval)
            }
        }
        defer {
            time.cancel()
            loop.cancel()
        }
        try await test()
    }

    @Test("queries that hang at one provider do not delay a payment of another one") func lanes() async throws {
        // Another engine sells, since one knows from its own calls who does not answer.
        let shop = engine([hanging, world.provider])
        for number in 0..<12 { _ = try await open("slow-\(number)", shop, Self.slow) }
        let sale = try await open("sale", shop, .sandbox)
        let engine = engine([hanging, world.provider])
        hanging.hang()
        world.clock.advance(by: .minutes(6))
        let pass = Task { try await engine.recover() }
        try await until { try await status(sale) == .succeeded }
        // None of those that hang has been given up: the clock has not moved.
        #expect(hanging.waiting == Checkout.recoveryWorkers)
        #expect(engine.recovery.lanes.map(\.working) == [0, Checkout.recoveryWorkers])
        hanging.mend()
        _ = try await pass.value
        #expect(try await world.problems() == [])
    }

    @Test("the loop comes round while a provider hangs, and finds what becomes due meanwhile") func loop() async throws
    {
        let shop = engine([hanging, world.provider])
        for number in 0..<4 { _ = try await open("slow-\(number)", shop, Self.slow) }
        let engine = engine([hanging, world.provider])
        hanging.hang()
        world.clock.advance(by: .minutes(6))
        try await running(engine) {
            try await until { hanging.waiting > 0 }
            let sale = try await open("sale", shop, .sandbox)
            try await until { try await status(sale) == .succeeded }
            #expect(engine.recovery.overdue(at: world.clock.now()) == nil)
        }
        hanging.mend()
    }

    @Test("300 overdue payments of a provider that is not configured take nobody's place, and are listed")
    func absent() async throws {
        let both = engine([hanging, world.provider])
        for number in 0..<300 { _ = try await open("old-\(number)", both, Self.slow) }
        let sale = try await open("sale", both, .sandbox)
        world.clock.advance(by: .minutes(6))
        let notices = Notices()
        let without = engine([world.provider])
        #expect(try await without.recover(report: notices.report) == 1)
        #expect(try await status(sale) == .succeeded)
        _ = try await without.recover(report: notices.report)
        let quarantined = without.recovery.quarantined
        #expect(quarantined.count == 300)
        #expect(quarantined.allSatisfy { $0.reason == .noProvider(Self.slow) })
        #expect(try await incidents().map(\.kind) == Array(repeating: .absentProvider, count: 300))
        // Each is read once, and then left alone for a while.
        let reads = journal.reads
        for _ in 0..<5 { #expect(try await without.recover() == 0) }
        #expect(journal.reads == reads)

        hanging.mend()
        let again = engine([hanging, world.provider])
        for _ in 0..<2 { _ = try await again.recover() }
        #expect(again.recovery.setAside.isEmpty)
        #expect(try await incidents().isEmpty)
        #expect(try await world.problems() == [])
    }

    @Test("an incident of recovery ends behind more incidents of other kinds than one page has")
    func manyIncidents() async throws {
        for number in 0...RecordLimits.maximumPage {
            let unknown = PaymentID(rawValue: "pay_\(number)")
            try await IncidentLog(world.journal).keep(
                Incident(
                    webhook: "e\(number)", of: .sandbox, about: unknown, for: nil, body: [], at: world.clock.now()))
        }
        _ = try await open("old", engine([hanging, world.provider]), Self.slow)
        world.clock.advance(by: .minutes(6))
        _ = try await engine([world.provider]).recover()
        let raised = try await IncidentLog(world.journal).open(account: nil, limit: IncidentLog.maximumListed)
        #expect(raised.first.last?.kind == .absentProvider && raised.count == RecordLimits.maximumPage + 2)
        hanging.mend()
        let again = engine([hanging, world.provider])
        for _ in 0..<2 { _ = try await again.recover() }
        let left = try await IncidentLog(world.journal).open(account: nil, limit: IncidentLog.maximumListed)
        #expect(left.first.allSatisfy { $0.kind == .unknownPayment } && left.count == RecordLimits.maximumPage + 1)
    }

    @Test("a backlog that is longer than one round reads is worked off from its front and its end alike")
    func backlog() async throws {
        let both = engine([hanging, world.provider])
        let count = Checkout.recoveryBatch * (Checkout.recoveryFrontBatches + Checkout.recoveryDeepBatches) + 40
        for number in 0..<count { _ = try await open("old-\(number)", both, Self.slow) }
        let sale = try await open("sale", both, .sandbox)
        world.clock.advance(by: .minutes(6))
        // A lane takes so many at once; the rest of what is absent lies before the sale.
        let without = engine([world.provider])
        for _ in 0..<2 { _ = try await without.recover() }
        #expect(try await status(sale) == .succeeded)
    }

    @Test("a payment that cannot be read is an incident, ends no pass, and is worked on when it can be read")
    func unreadable() async throws {
        let engine = engine([world.provider])
        let damaged = try await open("o-1", engine, .sandbox)
        let sound = try await open("o-2", engine, .sandbox)
        world.clock.advance(by: .minutes(6))
        journal.damage([damaged])
        let notices = Notices()
        #expect(try await engine.recover(report: notices.report) == 1)
        #expect(try await status(sound) == .succeeded)
        #expect(try await engine.recover(report: notices.report) == 0)
        #expect(try await incidents().map(\.payment) == [damaged])
        #expect(try await incidents().map(\.kind) == [.unreadablePayment])
        #expect(notices.said.count == 1 && notices.said.allSatisfy(\.isTrouble))
        journal.damage([])
        world.clock.advance(by: .minutes(6))
        _ = try await engine.recover(report: notices.report)
        #expect(try await status(damaged) == .succeeded)
        #expect(notices.said.last == .released(damaged))
        #expect(try await incidents().isEmpty)
    }

    @Test("what a person has closed is not raised again") func closed() async throws {
        let both = engine([hanging, world.provider])
        _ = try await open("old", both, Self.slow)
        world.clock.advance(by: .minutes(6))
        _ = try await engine([world.provider]).recover()
        let incident = try #require(try await incidents().first)
        try await Records<Incident>(world.journal).update(incident.id) {
            $0.resolution = "settled at the provider"
            return true
        }
        _ = try await engine([world.provider]).recover()
        #expect(try await incidents().isEmpty)
        #expect(try await Records<Incident>(world.journal).list().map(\.resolution) == ["settled at the provider"])
    }

    @Test("a provider that never answers gets a probe once in a while, and everything when it answers")
    func silent() async throws {
        let engine = engine([hanging])
        for number in 0..<20 { _ = try await open("slow-\(number)", engine, Self.slow) }
        #expect(engine.recovery.lanes.map(\.breaker).contains { if case .open = $0 { true } else { false } })
        hanging.hang()
        world.clock.advance(by: .minutes(6))
        let queries = hanging.queries
        let notices = Notices()
        try await running(engine, notices) {
            // One probe, which is given up, and the next one after its interval.
            try await until { hanging.queries == queries + 2 }
            #expect(notices.said.contains(.providerSilent(Self.slow)))
            hanging.mend()
            try await until { notices.said.contains(.providerAnswers(Self.slow)) }
            for number in 0..<20 {
                let order = OrderID(rawValue: "slow-\(number)")
                try await until {
                    try await world.journal.livePayment(account: .main, order: order)?.status == .succeeded
                }
            }
        }
        #expect(try await world.problems() == [])
    }

    @Test("a payment that asks its provider nothing is no probe: the next one is") func idleProbe() async throws {
        let engine = engine([hanging])
        var ids: [PaymentID] = []
        for number in 0..<20 { ids.append(try await open("slow-\(number)", engine, Self.slow)) }
        #expect(engine.recovery.lanes.map(\.breaker).contains { if case .open = $0 { true } else { false } })
        ids.sort { $0.rawValue < $1.rawValue }
        journal.damage(Set(ids.dropLast()))
        world.clock.advance(by: .minutes(6))
        let queries = hanging.queries
        _ = try await engine.recover()
        #expect(hanging.queries == queries + 1)
        // A round in which nobody asked anything blocks nothing either.
        journal.damage(Set(ids))
        world.clock.advance(by: .minutes(6))
        _ = try await engine.recover()
        journal.damage([])
        // The one that was asked about is asked about again an hour later.
        world.clock.advance(by: .hours(2))
        hanging.mend()
        _ = try await engine.recover()
        _ = try await engine.recover()
        for id in ids { #expect(try await status(id) == .succeeded) }
        #expect(try await world.problems() == [])
    }

    @Test("recovery alone does not use up the calls that may run on: sales have theirs") func abandoned() async throws {
        // More than may run on, each given up at its deadline.
        let shop = engine([hanging])
        for number in 0..<40 { _ = try await open("slow-\(number)", shop, Self.slow) }
        let engine = engine([hanging])
        hanging.hang()
        world.clock.advance(by: .minutes(6))
        func passes(_ count: Int) async throws {
            for _ in 0..<count {
                let pass = Task { try await engine.recover() }
                let time = Task { [world] in
                    while !Task.isCancelled {
                        try? await Task.sleep(for: .milliseconds(4))
                        world.clock.advance(by: .seconds(31))
                    }
                }
                _ = try await pass.value
                time.cancel()
            }
        }
        try await passes(20)
        // What the other workers had sent when the last place was taken runs on too; after that nothing is sent.
        let most = Checkout.maximumAbandonedCalls - Checkout.abandonedCallsKeptForSales
        let waiting = hanging.waiting
        #expect((most..<most + Checkout.recoveryWorkers).contains(waiting))
        try await passes(2)
        #expect(hanging.waiting == waiting)
        // A customer's own call is made; what it leads to is nobody's matter here.
        hanging.silence()
        let calls = try await world.provider.ledger.charges().count
        _ = try await open("sale", engine, Self.slow)
        #expect(try await world.provider.ledger.charges().count == calls + 1)
        hanging.mend()
    }

    @Test("a loop that does not come round is seen, and named; a failing journal is said once") func heartbeat()
        async throws
    {
        let engine = engine([world.provider])
        #expect(engine.recovery.loop == .notRunning)
        #expect(engine.recovery.overdue(at: world.clock.now()) == nil)
        let notices = Notices()
        try await running(engine, notices) {
            try await until { engine.recovery.rounds > 2 }
            journal.stick(true)
            try await until { engine.recovery.overdue(at: world.clock.now()) != nil }
            journal.stick(false)
            try await until { engine.recovery.overdue(at: world.clock.now()) == nil }
            journal.fail(true)
            try await until { engine.recovery.overdue(at: world.clock.now()) != nil }
            journal.fail(false)
            try await until { notices.said.contains(.roundsGoOn) }
        }
        #expect(notices.said.filter { if case .roundFailed = $0 { true } else { false } }.count == 1)
    }

    @Test("a webhook is recorded in one step with one read, and is an incident where the payment is not known")
    func webhooks() async throws {
        let engine = engine([world.provider])
        let id = try await open("o-1", engine, .sandbox)
        let now = world.clock.now()
        func report(_ event: String, _ payment: PaymentID) -> WebhookReport {
            WebhookReport(
                receipt: WebhookReceipt(provider: .sandbox, id: event, at: now), payment: payment, isAfterSale: true,
                document: Array("{\"about\":\"\(payment)\"}".utf8))
        }
        let reads = journal.reads
        #expect(try await engine.receiveWebhook(report("e-1", id)))
        #expect(journal.reads == reads + 1)
        #expect(try await !engine.receiveWebhook(report("e-1", id)))
        #expect(try await incidents().isEmpty)
        let lost = PaymentID.make(at: now, random: (1, 2))
        #expect(try await engine.receiveWebhook(report("e-2", lost)))
        #expect(try await !engine.receiveWebhook(report("e-2", lost)))
        #expect(try await incidents().map(\.payment) == [lost])
        #expect(try await incidents().first?.document.hasPrefix("{\"about\":") == true)
        journal.damage([id])
        #expect(try await engine.receiveWebhook(report("e-3", id)), "a payment that cannot be read is known")
        #expect(try await incidents().map(\.payment) == [lost])
    }
}
