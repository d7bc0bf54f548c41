import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillTestSupport

@Suite("A payment in cash is one commit, with its outcome and the answer under its key")
struct CashCommitTests {
    /// The events of each commit.
    private final class Commits: Sendable {
        private let names = Mutex<[[String]]>([])
        var all: [[String]] { names.withLock { $0 } }
        func add(_ write: JournalWrite) {
            let events = (write.append?.events ?? []).map { $0.event.name }
            names.withLock { $0.append(events) }
        }
    }

    private let world = World()
    private let commits = Commits()

    /// A drawer in front of which a program does something of its own.
    private struct Decorated: PaymentServiceProvider {
        let base = CashDrawer()
        var name: ProviderName { base.name }
        var capabilities: ProviderCapabilities { base.capabilities }
        var amounts: AmountCodec { base.amounts }
        func identity() async -> ProviderIdentity { await base.identity() }
        func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
            await base.authorize(request, with: tender)
        }
        func capture(_ request: CaptureRequest) async -> ProviderAnswer<TillCore.Confirmation> {
            await base.capture(request)
        }
        func void(_ request: VoidRequest) async -> ProviderAnswer<TillCore.Confirmation> { await base.void(request) }
        func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
            await base.refund(request)
        }
        func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> { await base.query(request) }
    }

    /// Another process over the journal, which may fail before or after each commit.
    private func counter(
        before: JournalError? = nil, after: JournalError? = nil, drawer: any PaymentServiceProvider = CashDrawer()
    ) -> Checkout {
        let commits = commits
        let journal = MemoryJournal(
            storage: world.storage, clock: world.clock, beforeCommit: { _ in before },
            afterCommit: { write in
                commits.add(write)
                return after
            })
        return Checkout(journal: journal, providers: [drawer], clock: world.clock)
    }

    private func request(_ id: PaymentID) -> IdempotencyRecord {
        IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "confirm", key: "k-1"), fingerprint: [1], request: [2],
            createdAt: world.clock.now(), state: .inFlight(payment: id, operation: "confirm"))
    }

    /// Tells the payment's version and its status.
    private func answer(to request: IdempotencyRecord) -> KeyedAnswer {
        KeyedAnswer { payment in
            var finished = request
            finished.state = .finished(
                status: 200, body: Array("\(payment.version) \(payment.status.rawValue)".utf8), payment: payment.id)
            return finished
        }
    }

    private func stored(_ id: PaymentID) async throws -> String? {
        guard case .finished(_, let body, _)? = try await world.journal.idempotency(request(id).scope)?.state else {
            return nil
        }
        return String(decoding: body, as: UTF8.self)
    }

    private func confirm(
        _ id: PaymentID, at counter: Checkout, tendered: Int64 = 100, seen: Payment? = nil
    ) async throws(CheckoutError) -> Payment {
        let request = request(id)
        return try await counter.confirm(
            id, account: .main, provider: .cash, tender: .cash(tendered: World.eur(tendered)), idempotency: request,
            keyedAnswer: answer(to: request), seen: seen)
    }

    private static func mayHaveMoved(_ error: any Error) -> Bool {
        guard let error = error as? CheckoutError else { return false }
        return error.moneyMoved == .unknown && error.next.contains("same key")
    }

    @Test("also where less was handed over than is due", arguments: [100, 99] as [Int64])
    func one(tendered: Int64) async throws {
        let id = try await world.create()
        let payment = try await confirm(id, at: counter(), tendered: tendered)
        let isPaid = tendered == 100
        #expect(payment.status == (isPaid ? .succeeded : .declined))
        #expect(payment.captured == World.eur(isPaid ? 100 : 0))
        #expect(commits.all == [["attempt.started", isPaid ? "attempt.authorized" : "attempt.declined"]])
        #expect(try await world.payment(id).version == payment.version)
        #expect(try await stored(id) == "3 \(payment.status.rawValue)")
        #expect(try await world.problems() == [])
    }

    @Test("a decorator of the drawer may send something, so its attempt is written before it is called")
    func decorated() async throws {
        let id = try await world.create()
        let payment = try await confirm(id, at: counter(drawer: Decorated()))
        #expect(payment.status == .succeeded)
        #expect(commits.all == [["attempt.started"], ["attempt.authorized"]])
        #expect(try await stored(id) == "3 succeeded")
    }

    @Test("a process that dies before it leaves an unpaid payment, and the same key goes on")
    func before() async throws {
        let id = try await world.create()
        await #expect {
            try await confirm(id, at: counter(before: .unavailable("the disk is gone")))
        } throws: { Self.mayHaveMoved($0) }
        let left = try await world.payment(id)
        #expect(left.status == .requiresPaymentMethod && left.version == 1)
        #expect(try await stored(id) == nil)
        #expect(try await confirm(id, at: counter()).status == .succeeded)
        #expect(try await stored(id) == "3 succeeded")
    }

    @Test("a process that dies after it leaves a paid one with the answer, and nothing to recover")
    func after() async throws {
        let id = try await world.create()
        let unpaid = try await world.payment(id)
        await #expect {
            try await confirm(id, at: counter(after: .unavailable("the disk is gone")))
        } throws: { Self.mayHaveMoved($0) }
        let paid = try await world.payment(id)
        #expect(paid.status == .succeeded && paid.captured == World.eur(100) && paid.version == 3)
        #expect(try await stored(id) == "3 succeeded")
        let next = counter()
        world.clock.advance(by: .minutes(2))
        #expect(try await next.recover() == 0)
        // Whoever has seen the payment unpaid takes no cash for it again.
        await #expect(throws: CheckoutError.self) { try await confirm(id, at: next, seen: unpaid) }
        #expect(try await world.payment(id).version == 3)
        #expect(try await world.problems() == [])
    }

    @Test("a request whose key another process holds writes no answer in it")
    func heldKey() async throws {
        let id = try await world.create()
        let request = request(id)
        try await world.journal.write(JournalWrite(idempotency: request))
        let answer = answer(to: request)
        let payment = try await counter().confirm(
            id, account: .main, provider: .cash, tender: .cash(tendered: nil), keyedAnswer: answer)
        #expect(payment.status == .succeeded && answer.written(for: payment) == nil)
        #expect(try await stored(id) == nil)
    }

    @Test("an attempt that an earlier release left without its outcome took nothing, and its key goes on")
    func leftOpen() async throws {
        let id = try await world.create()
        var payment = try await world.payment(id)
        let now = world.clock.now()
        let drawer = await CashDrawer().identity()
        let command = PaymentCommand.attempt(
            provider: .cash, tender: TenderSummary(kind: .cash), identity: drawer)
        let events = try payment.decide(command, at: now).map { RecordedEvent($0, at: now) }
        for event in events { payment.evolve(event) }
        let earlier = MemoryJournal(storage: world.storage, clock: world.clock)
        let append = JournalWrite.Append(
            payment: payment, expectedVersion: 1, events: events, nextDue: payment.nextDue, holder: .thisProcess)
        try await earlier.write(JournalWrite(append: append, idempotency: request(id)))
        earlier.crash()
        let next = counter()
        for wait in [Span.minutes(2), .minutes(6), .hours(2)] {
            world.clock.advance(by: wait)
            try await next.recover()
        }
        let left = try await world.payment(id)
        #expect(left.status == .requiresPaymentMethod && left.captured.isZero)
        let paid = try await confirm(id, at: next)
        #expect(paid.status == .succeeded && paid.captured == World.eur(100))
        #expect(try await stored(id) == "\(paid.version) succeeded")
        #expect(try await world.problems() == [])
    }
}
