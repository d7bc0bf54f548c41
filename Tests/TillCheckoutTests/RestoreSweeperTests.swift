import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillStatements
import TillSandbox
import TillTestSupport

/// A provider's list in pages of two that may lag, fail and count how often it was asked.
private final class ScriptedListing: ChargeListing {
    struct State {
        var charges: [ListedCharge] = []
        var isFailing = false
        var asked: [String?] = []
        var since: Timestamp?
    }

    let state = Mutex(State())
    let lag: Span

    init(lag: Span = .seconds(0)) { self.lag = lag }

    func charges(since: Timestamp, after cursor: String?) async -> ChargePage {
        state.withLock { state in
            state.asked.append(cursor)
            state.since = since
            guard !state.isFailing else { return .failed("HTTP 503") }
            let rest = state.charges.drop { cursor != nil && $0.reference.rawValue <= cursor ?? "" }
            let page = Array(rest.prefix(2))
            return .listed(page, next: rest.count > 2 ? page.last?.reference.rawValue : nil)
        }
    }
}

@Suite("The sweep after a restore") struct RestoreSweeperTests {
    private static let head = ChainHead(sequence: 1, hash: [UInt8](repeating: 0, count: 32))
    private let clock = ManualClock(waits: .last)
    private let journal: MemoryJournal
    private let sandbox: SandboxProvider
    private let checkout: Checkout
    private let faults = SandboxFaults()
    private let listing = ScriptedListing()

    init() {
        journal = MemoryJournal(clock: clock)
        sandbox = SandboxProvider(store: SandboxMemoryStore(), clock: clock, faults: faults)
        checkout = Checkout(journal: journal, providers: [sandbox], clock: clock)
    }

    private var tender: Tender {
        .cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))
    }

    private func sweeper(_ sources: [(ProviderName, (any ChargeListing)?)]? = nil) -> RestoreSweeper {
        RestoreSweeper(
            journal: journal, checkout: checkout,
            sources: (sources ?? [(.sandbox, listing)]).map { RestoreSweeper.Source($0.0, $0.1) }, clock: clock)
    }

    private func restore() async throws {
        let epoch = RestoreEpoch(number: 2, at: clock.now(), source: "b", head: Self.head, newest: clock.now())
        try await Records<RestoreSweep>(journal).put(RestoreSweep(.restored(epoch)))
    }

    private func charge(
        _ name: String, payment: String? = "pay_lost", attempt: String? = "pay_lost-a1", order: String? = "o-lost",
        moved: Bool = true
    ) -> ListedCharge {
        ListedCharge(
            .charge, ProviderReference(rawValue: name), payment: payment.map { PaymentID(rawValue: $0) },
            attempt: attempt.map { AttemptID(rawValue: $0) }, account: order.map { _ in .main },
            order: order.map { OrderID(rawValue: $0) }, mayHaveMoved: moved,
            amount: Money(minorUnits: 100, currency: .eur), status: "succeeded")
    }

    private func list(_ charges: ListedCharge...) { listing.state.withLock { $0.charges = charges } }

    /// Steps until there is nothing to be done at once.
    private func run(_ sweeper: RestoreSweeper) async throws -> RestoreSweeper.Standing {
        for _ in 0..<50 {
            let standing = try await sweeper.step()
            guard case .listing = standing else { return standing }
        }
        Issue.record("the sweep does not come to an end")
        return .notDue
    }

    /// Lets the time pass in which calls of before may arrive.
    private func finish(_ sweeper: RestoreSweeper) async throws -> RestoreSweeper.Standing {
        guard case .waiting(_, let until) = try await run(sweeper) else { return try await sweeper.standing() }
        clock.advance(by: until.since(clock.now()))
        return try await run(sweeper)
    }

    /// A payment of the backup of which 40 were given back since, in a restored journal.
    private func refundedSinceBackup() async throws -> PaymentID {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let id = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic)
        ).id
        let paid = try await checkout.confirm(id, account: .main, provider: .sandbox, tender: tender)
        let reference = try #require(paid.attempts.first?.reference)
        _ = try await sandbox.ledger.play(.refund(40), on: reference)
        try await restore()
        list(charge(reference.rawValue, payment: id.rawValue, attempt: "\(id)-a1", order: "o-1"))
        return id
    }

    private func isHeld(_ order: String) async throws -> Bool {
        try await journal.record(OrderHold.id(account: .main, order: OrderID(rawValue: order))) != nil
    }

    private var incidents: [Incident] {
        get async throws { try await Records<Incident>(journal).list() }
    }

    @Test("holds the orders of charges that the journal does not know, and then lets others be sold")
    func unknown() async throws {
        try await restore()
        list(
            charge("c1"), charge("c2", payment: nil, attempt: nil, order: nil),
            charge("c3", order: "o-3", moved: false),
            charge("c4", payment: "pay_4", attempt: "pay_4-a1", order: "o-4"))
        #expect(try await finish(sweeper()) == .notDue)
        #expect(try await incidents.map(\.event) == ["c1", "c4"])
        #expect(try await isHeld("o-lost"))
        #expect(try await isHeld("o-4"))
        #expect(try await isHeld("o-3") == false)
        #expect(try await RestoreSweep.due(in: journal) == nil)
        let since = listing.state.withLock { $0.since }
        #expect(since == ManualClock().now().adding(.hours(-1)))
    }

    @Test("concludes nothing from a list that was read before everything can be in it") func lag() async throws {
        try await restore()
        let late = ScriptedListing(lag: .hours(3))
        let sweeper = sweeper([(.sandbox, late)])
        guard case .waiting(_, let until) = try await run(sweeper) else {
            Issue.record("the sweep does not wait for the list")
            return
        }
        // A call of before the restore may arrive at its end, and is in the list three hours later.
        #expect(until == clock.now().adding(.hours(3)).adding(RestoreSweep.lateCalls))
        late.state.withLock { $0.charges = [charge("c1")] }
        clock.advance(by: .hours(2))
        #expect(try await run(sweeper) == .waiting(try #require(try await RestoreSweep.due(in: journal)), until: until))
        clock.advance(by: .hours(1))
        guard case .waiting = try await run(sweeper) else {
            Issue.record("what arrived last is not waited for")
            return
        }
        clock.advance(by: RestoreSweep.lateCalls)
        #expect(try await run(sweeper) == .notDue)
        #expect(try await isHeld("o-lost"))
    }

    @Test("asks about payments that the journal knows, and finds what was done to them since") func known() async throws
    {
        let id = try await refundedSinceBackup()
        #expect(try await finish(sweeper()) == .notDue)
        #expect(try await checkout.payment(id, account: .main).refunded.minorUnits == 40)
        #expect(try await incidents.isEmpty)
        // Another attempt of it was made after the backup: the journal knows the payment, and not the money.
        try await restore()
        list(charge("c9", payment: id.rawValue, attempt: "\(id)-a2", order: nil))
        #expect(try await finish(sweeper()) == .notDue)
        #expect(try await isHeld("o-1"))
    }

    @Test("takes a reader's charge, which names no attempt, for known only where an attempt may have it")
    func nameless() async throws {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let id = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic)
        ).id
        try await restore()
        list(charge("pi_1", payment: id.rawValue, attempt: nil, order: "o-1"))
        #expect(try await finish(sweeper()) == .notDue)
        #expect(try await incidents.map(\.event) == ["pi_1"])
        #expect(try await isHeld("o-1"))
        let other = try Order(id: OrderID(rawValue: "o-2"), amount: Money(minorUnits: 100, currency: .eur))
        let known = try await checkout.create(
            checkout.draft(account: .main, order: other, captureMode: .automatic)
        ).id
        let paid = try await checkout.confirm(known, account: .main, provider: .sandbox, tender: tender)
        let reference = try #require(paid.attempts.first?.reference)
        try await restore()
        list(charge(reference.rawValue, payment: known.rawValue, attempt: nil, order: "o-2"))
        #expect(try await finish(sweeper()) == .notDue)
        #expect(try await isHeld("o-2") == false)
    }

    @Test(
        "takes it for a later attempt's where the one that might have made it turns out to have done nothing",
        arguments: [false, true])
    func namelessOfALaterAttempt(isAnsweredLate: Bool) async throws {
        // As a reader's provider, which names a charge when it is made.
        let sandbox = SandboxProvider(store: SandboxMemoryStore(), clock: clock, faults: faults, preparesFirst: false)
        let checkout = Checkout(journal: journal, providers: [sandbox], clock: clock)
        let sweeper = RestoreSweeper(
            journal: journal, checkout: checkout, sources: [RestoreSweeper.Source(.sandbox, listing)], clock: clock)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let id = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic)
        ).id
        faults.fail(.authorize, with: .timeoutBeforeCommit)
        faults.keepFailing(.query, with: .outage)
        let begun = try await checkout.confirm(id, account: .main, provider: .sandbox, tender: tender)
        #expect(begun.currentAttempt != nil && begun.attempts.first?.reference == nil)
        // What came after it was lost with the disk: that nothing was done, and the attempt that was paid.
        try await restore()
        list(charge("pi_1", payment: id.rawValue, attempt: nil, order: "o-1"))
        if isAnsweredLate { _ = try await finish(sweeper) }
        faults.keepFailing(.query, with: nil)
        clock.advance(by: .hours(2))
        _ = try await checkout.recover()
        _ = try await finish(sweeper)
        #expect(try await checkout.payment(id, account: .main).currentAttempt == nil)
        #expect(try await incidents.map(\.event) == ["pi_1"])
        #expect(try await isHeld("o-1"))
    }

    @Test("sells nothing while a provider has not answered about a payment that is known") func unanswered()
        async throws
    {
        let id = try await refundedSinceBackup()
        faults.keepFailing(.query, with: .outage)
        guard case .failing(let sweep, let reasons) = try await finish(sweeper()) else {
            Issue.record("a payment of which nobody knows what was refunded may be refunded again")
            return
        }
        #expect(sweep.providers.first?.unanswered == [id])
        #expect(reasons == ["sandbox does not answer about 1 payments"])
        #expect(try await RestoreSweep.due(in: journal)?.isComplete == false)
        faults.keepFailing(.query, with: nil)
        #expect(try await run(sweeper()) == .notDue)
        #expect(try await checkout.payment(id, account: .main).refunded.minorUnits == 40)
    }

    @Test("asks from the earliest of the backup's last moments, which a clock that was ahead has not written")
    func ahead() async throws {
        let now = clock.now()
        let epoch = RestoreEpoch(
            number: 2, at: now, source: "b", head: Self.head, newest: now.adding(.days(3)),
            earliest: now.adding(.hours(-2)))
        try await Records<RestoreSweep>(journal).put(RestoreSweep(.restored(epoch)))
        list(charge("c1"))
        #expect(try await finish(sweeper()) == .notDue)
        #expect(listing.state.withLock { $0.since } == now.adding(.hours(-3)))
    }

    @Test("waits no longer than it must where the clock was days ahead when it was restored") func setBack()
        async throws
    {
        let restored = clock.now().adding(.days(30))
        let epoch = RestoreEpoch(
            number: 2, at: restored, source: "b", head: Self.head, newest: clock.now())
        try await Records<RestoreSweep>(journal).put(RestoreSweep(.restored(epoch)))
        list(charge("c1"))
        let sweeper = sweeper()
        guard case .waiting(_, let until) = try await run(sweeper) else {
            Issue.record("a list that was read too early is believed")
            return
        }
        #expect(until == clock.now().adding(RestoreSweep.lateCalls))
        // And where it was set back while it waited.
        var sweep = try #require(try await RestoreSweep.due(in: journal))
        sweep.providers[0].state = .waiting(until: restored)
        try await Records<RestoreSweep>(journal).put(sweep)
        #expect(try await finish(sweeper) == .notDue)
        #expect(try await isHeld("o-lost"))
    }

    @Test("counts what comes late from a moment that is sure, where the clock was behind when it was restored")
    func behind() async throws {
        let epoch = RestoreEpoch(
            number: 2, at: clock.now().adding(.hours(-5)), source: "b", head: Self.head, newest: clock.now())
        try await Records<RestoreSweep>(journal).put(RestoreSweep(.restored(epoch)))
        let unproved = RestoreSweeper(
            journal: journal, checkout: checkout, sources: [RestoreSweeper.Source(.sandbox, listing)],
            clock: ClockWithStanding(base: clock, standing: .unproved))
        for _ in 0..<3 {
            guard case .waiting(_, let until) = try await run(unproved) else {
                Issue.record("a clock that nothing has confirmed ends the wait")
                return
            }
            clock.advance(by: until.since(clock.now()))
        }
        guard case .waiting(_, let until) = try await run(sweeper()) else {
            Issue.record("what comes late is not waited for")
            return
        }
        #expect(until == clock.now().adding(RestoreSweep.lateCalls))
        #expect(try await finish(sweeper()) == .notDue)
    }

    @Test("begins what comes after it under names that no step had that was lost") func names() async throws {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let draft = checkout.draft(account: .main, order: order, captureMode: .manual)
        let id = try await checkout.create(draft).id
        let backup = journal.storage.copy()
        // Paid after the backup was made, and given back by a person who looked the charge up.
        let lost = try await checkout.confirm(id, account: .main, provider: .sandbox, tender: tender)
        let reference = try #require(lost.attempts.first?.reference)
        _ = try await checkout.capture(id, account: .main)
        _ = try await sandbox.ledger.play(.refund(nil), on: reference)
        let restored = MemoryJournal(storage: backup, clock: clock)
        let epoch = RestoreEpoch(number: 2, at: clock.now(), source: "b", head: Self.head, newest: clock.now())
        try await Records<RestoreEpoch>(restored).put(epoch)
        let again = Checkout(journal: restored, providers: [sandbox], clock: clock)
        let held = try await again.confirm(id, account: .main, provider: .sandbox, tender: tender)
        #expect(held.attempts.map(\.id.rawValue) == ["\(id)-a1001"])
        #expect(held.attempts.first?.reference != reference)
        let paid = try await again.capture(id, account: .main)
        #expect(paid.captures.map(\.id.rawValue) == ["\(id)-c1001"])
        let charges = try await sandbox.ledger.charges()
        #expect(charges.map { $0.captured - $0.refunded }.sorted() == [0, 100])
    }

    @Test("goes on behind the last page that was written, in another process") func resumes() async throws {
        try await restore()
        list(charge("c1"), charge("c2"), charge("c3"), charge("c4"), charge("c5"))
        let first = sweeper()
        for _ in 0..<3 { _ = try await first.step() }
        #expect(listing.state.withLock { $0.asked } == [nil, "c2"])
        listing.state.withLock { $0.isFailing = true }
        guard case .failing(_, let reasons) = try await sweeper().step() else {
            Issue.record("a provider that fails is not told")
            return
        }
        #expect(reasons == ["sandbox: HTTP 503"])
        listing.state.withLock { $0.isFailing = false }
        guard case .waiting(let sweep, _) = try await run(sweeper()) else {
            Issue.record("the list does not end")
            return
        }
        #expect(listing.state.withLock { $0.asked } == [nil, "c2", "c4", "c4"])
        #expect(sweep.providers.first?.listed == 5 && sweep.providers.first?.incidents == 5)
        #expect(try await incidents.count == 5)
    }

    @Test("waits for a person where a provider has no list, or a charge does not say its order") func person()
        async throws
    {
        try await restore()
        list(charge("c1", order: nil))
        let sweeper = sweeper([(.sandbox, listing), (.cash, nil)])
        guard case .needsPerson(_, unattributed: 1) = try await finish(sweeper) else {
            Issue.record("nobody is asked for the order of a charge")
            return
        }
        #expect(try await sweeper.accept(ProviderName(rawValue: "nobody"), by: "Ann", evidence: "x") == nil)
        #expect(try await sweeper.accept(.cash, by: "Ann", evidence: "drawer counted") != nil)
        guard case .needsPerson(_, unattributed: 1) = try await run(sweeper) else {
            Issue.record("the charge without an order is forgotten")
            return
        }
        let incident = try #require(try await incidents.first)
        _ = try await IncidentLog(journal).resolve(
            incident.id, note: "order o-7", outcome: .paid,
            order: Incident.Owner(account: .main, order: OrderID(rawValue: "o-7")))
        #expect(try await run(sweeper) == .notDue)
        #expect(try await isHeld("o-7"))
    }

    @Test("does not begin before somebody has said that the journal was restored") func notRestored() async throws {
        try await Records<RestoreSweep>(journal).put(RestoreSweep(.setBack(missing: Self.head)))
        guard case .notRestored = try await sweeper().step() else {
            Issue.record("a journal that was set back is swept")
            return
        }
        #expect(listing.state.withLock { $0.asked.isEmpty })
        #expect(try await sweeper().accept(.sandbox, by: "Ann", evidence: "x") == nil)
    }
}
