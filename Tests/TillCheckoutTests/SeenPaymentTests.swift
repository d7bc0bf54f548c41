import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("A payment that was read before it is confirmed or queried")
struct SeenPaymentTests {
    private static let tender = Tender.cardPresent(
        CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))

    private final class Calls: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    /// A journal that counts how often a payment is read from it.
    private struct CountingJournal: JournalInFront {
        let base: MemoryJournal
        let reads: Calls
        func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }
        func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
            reads.add()
            return try await base.payment(id)
        }
        func version(of payment: PaymentID) async throws(JournalError) -> Int? {
            try await base.version(of: payment)
        }
    }

    private struct CountingProvider: ProviderInFront {
        let base: SandboxProvider
        let queries: Calls
        func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
            queries.add()
            return await base.query(request)
        }
    }

    private func counted(_ world: World, _ reads: Calls) -> Checkout {
        Checkout(
            journal: CountingJournal(base: world.journal, reads: reads), providers: [world.provider],
            clock: world.clock)
    }

    private func confirm(
        _ id: PaymentID, seen: Payment, account: AccountID = .main, by checkout: Checkout
    ) async throws -> Payment {
        try await checkout.confirm(id, account: account, provider: .sandbox, tender: Self.tender, seen: seen)
    }

    @Test("is not read again if it is still as it was")
    func once() async throws {
        let world = World()
        let reads = Calls()
        let checkout = counted(world, reads)
        let id = try await world.create()
        let seen = try await checkout.payment(id, account: .main)
        #expect(reads.count == 1)
        let paid = try await confirm(id, seen: seen, by: checkout)
        #expect(paid.status == .succeeded && reads.count == 1)
        #expect(try await world.payment(id).version == paid.version)
        #expect(try await world.problems() == [])
    }

    @Test("is not read again for a capture, a refund or a cancellation, and read once more if it has changed")
    func afterwards() async throws {
        let world = World()
        let reads = Calls()
        let checkout = counted(world, reads)
        let id = try await world.create()
        let unpaid = try await world.payment(id)
        let paid = try await confirm(id, seen: unpaid, by: checkout)
        #expect(reads.count == 0)
        let part = Money(minorUnits: 1, currency: paid.currency)
        let once = try await checkout.refund(id, account: .main, amount: part, seen: paid)
        #expect(once.refunded == part && reads.count == 0)
        // What was read before the first refund allows the second one only as the newest state does.
        let twice = try await checkout.refund(id, account: .main, amount: part, seen: paid)
        #expect(twice.refunded.minorUnits == 2 && reads.count == 1)
        #expect(await isRefused { try await checkout.refund(id, account: .main, amount: paid.captured, seen: paid) })
        // Nor is a payment canceled as unpaid that was paid meanwhile, or captured again.
        #expect(await isRefused { try await checkout.cancel(id, account: .main, onlyIfUnpaid: true, seen: unpaid) })
        #expect(await isRefused { try await checkout.capture(id, account: .main, seen: unpaid) })
        #expect(try await world.payment(id).version == twice.version)
        #expect(try await world.problems() == [])
    }

    private func isRefused(_ work: () async throws -> Payment) async -> Bool {
        do { _ = try await work() } catch {
            if case .refused? = error as? CheckoutError { return true }
        }
        return false
    }

    @Test("refuses nothing if it has changed since")
    func staleRefusal() async throws {
        let world = World()
        world.faults.fail(.authorize, with: .timeoutBeforeCommit)
        world.faults.keepFailing(.query, with: .outage)
        let id = try await world.create()
        let seen = try await world.confirm(id)
        #expect(seen.status == .unknown)
        world.faults.keepFailing(.query, with: nil)
        try await world.settle()
        #expect(try await world.payment(id).status == .requiresPaymentMethod)
        #expect(try await confirm(id, seen: seen, by: world.checkout).status == .succeeded)
        #expect(try await world.provider.ledger.charges().flatMap(\.captures).count == 1)
        #expect(try await world.problems() == [])
    }

    @Test("allows nothing that the newest state refuses, and its refusal is the newest one's")
    func staleConsent() async throws {
        let world = World()
        let id = try await world.create()
        let seen = try await world.payment(id)
        _ = try await world.confirm(id)
        await #expect {
            _ = try await confirm(id, seen: seen, by: world.checkout)
        } throws: { error in
            if case .refused(.alreadyPaid)? = error as? CheckoutError { true } else { false }
        }
        _ = try await world.checkout.refund(id, account: .main)
        let paid = try await world.payment(id)
        await #expect {
            _ = try await confirm(id, seen: seen, by: world.checkout)
        } throws: { error in
            if case .refused(.closed(.refunded))? = error as? CheckoutError { true } else { false }
        }
        #expect(try await world.payment(id).version == paid.version)
        #expect(try await world.provider.ledger.charges().flatMap(\.captures).count == 1)
        #expect(try await world.problems() == [])
    }

    @Test("is ignored if it is another payment, or another account's")
    func others() async throws {
        let world = World()
        let (id, other) = (try await world.create("o-1"), try await world.create("o-2"))
        let seen = try await world.payment(other)
        #expect(try await confirm(id, seen: seen, by: world.checkout).id == id)
        #expect(try await world.payment(other).status == .requiresPaymentMethod)
        await #expect {
            _ = try await confirm(other, seen: seen, account: AccountID(rawValue: "acct_2"), by: world.checkout)
        } throws: { error in
            if case .unknownPayment(other)? = error as? CheckoutError { true } else { false }
        }
        #expect(try await world.payment(other).status == .requiresPaymentMethod)
        #expect(try await world.problems() == [])
    }

    // MARK: Webhooks

    /// Money goes back outside of the journal, and the webhook of it is recorded.
    private func refundedElsewhere(_ id: PaymentID, _ world: World, by checkout: Checkout) async throws -> Payment {
        let charge = try #require(try await world.provider.ledger.charges().first { $0.payment == id.rawValue })
        _ = try #require(
            try await world.provider.ledger.play(.refund(60), on: ProviderReference(rawValue: charge.reference)))
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_1", at: world.clock.now())
        let report = WebhookReport(receipt: receipt, payment: id, isAfterSale: true, document: [])
        let recorded = try await checkout.recordWebhook(report)
        guard case .before = try await checkout.recordWebhook(report) else {
            throw CheckoutError.unknownPayment(id)
        }
        guard case .now(let seen?) = recorded else { throw CheckoutError.unknownPayment(id) }
        return seen
    }

    @Test("after a webhook is queried as the webhook left it, without another reading")
    func afterWebhook() async throws {
        let world = World()
        let reads = Calls()
        let checkout = counted(world, reads)
        let id = try await world.paid()
        let seen = try await refundedElsewhere(id, world, by: checkout)
        #expect(try await world.payment(id).version == seen.version)
        let before = reads.count
        try await checkout.query(id, seen: seen)
        #expect(reads.count == before)
        #expect(try await world.payment(id).refunded == World.eur(60))
        #expect(try await world.problems() == [])
    }

    @Test("after a webhook is read anew if anything was written since")
    func changedAfterWebhook() async throws {
        let world = World()
        let reads = Calls()
        let checkout = counted(world, reads)
        let id = try await world.paid()
        let seen = try await refundedElsewhere(id, world, by: checkout)
        try await world.anotherProcess().query(id)
        let newest = try await world.payment(id)
        #expect(newest.refunded == World.eur(60) && newest.version > seen.version)
        let before = reads.count
        try await checkout.query(id, seen: seen)
        #expect(reads.count == before + 1)
        #expect(try await world.payment(id).refunded == World.eur(60))
        #expect(try await world.problems() == [])
    }

    @Test("is not queried while an attempt is under way that another process has begun since")
    func begunMeanwhile() async throws {
        let world = World(preparesFirst: false)
        let queries = Calls()
        let checkout = Checkout(
            journal: world.journal, providers: [CountingProvider(base: world.provider, queries: queries)],
            clock: world.clock)
        let id = try await world.create()
        #expect(try await world.confirm(id, card: "4000000000009995").status == .declined)
        try await checkout.query(id, seen: try await world.payment(id))
        let asked = queries.count
        #expect(asked > 0)
        let seen = try await world.payment(id)
        var begun = seen
        let now = world.clock.now()
        let records = try begun.decide(
            .attempt(provider: .sandbox, tender: TenderSummary(kind: .reader)), at: now
        ).map { RecordedEvent($0, at: now) }
        for record in records { begun.evolve(record) }
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: begun, expectedVersion: seen.version, events: records, nextDue: begun.nextDue, holder: .thisProcess
        )
        try await MemoryJournal(storage: world.storage, clock: world.clock).write(write)
        try await checkout.query(id, seen: seen)
        #expect(queries.count == asked, "the attempt of another process is left to it")
        #expect(try await world.payment(id).version == begun.version)
    }
}
