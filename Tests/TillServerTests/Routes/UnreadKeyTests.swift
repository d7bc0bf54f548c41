import HTTPTypes
import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillWeb

@Suite("A key that is not read before the first attempt of a payment")
struct UnreadKeyTests {
    private final class Calls: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    /// A journal that counts how often a key is read from it.
    private struct CountingJournal: JournalInFront {
        let base: MemoryJournal
        let reads: Calls
        func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }
        func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
            reads.add()
            return try await base.idempotency(scope)
        }
    }

    private let storage = MemoryJournal.Storage()
    private let reads = Calls()

    /// Confirms in cash, as a process that has read the payment in this state and not the key.
    private func confirm(
        _ seen: Payment, _ body: String, at journal: CountingJournal
    ) async throws -> IdempotentRequests.Settled {
        let checkout = Checkout(journal: journal, providers: [CashDrawer()], clock: SystemClock())
        let keyed = IdempotentRequests(journal: journal, checkout: checkout, clock: SystemClock())
        let request = keyed.record(
            IdempotencyScope(account: .main, operation: "confirm", key: "k-1"),
            try JSONValue(parsing: Array(body.utf8)),
            .inFlight(payment: seen.id, operation: KeyedOperation.confirm.rawValue))
        return try await keyed.settle(request, status: .ok, queriesFirst: false) { record in
            let answer = keyed.keyedAnswer(to: request, status: 200)
            let paid = try await checkout.confirm(
                seen.id, account: .main, provider: .cash, tender: .cash(tendered: nil), idempotency: record,
                keyedAnswer: answer, seen: seen)
            return await keyed.finish(request, status: 200, payment: paid, keyedAnswer: answer)
        }
    }

    private func journal() -> CountingJournal {
        CountingJournal(base: MemoryJournal(storage: storage), reads: reads)
    }

    @Test("is known to the write: the same request is answered the same, and another one refused")
    func known() async throws {
        let journal = journal()
        let checkout = Checkout(journal: journal, providers: [CashDrawer()], clock: SystemClock())
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let unpaid = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic))
        let first = try await confirm(unpaid, "{}", at: journal)
        #expect(!first.isReplay && first.record.isFinished && reads.count == 0)
        let again = try await confirm(unpaid, "{}", at: self.journal())
        #expect(again.isReplay && again.record.state == first.record.state)
        do {
            _ = try await confirm(unpaid, #"{"provider":"cash"}"#, at: self.journal())
            Issue.record("a second request was executed under the key of the first")
        } catch {
            #expect((error as? Problem)?.code == "idempotency_mismatch", "\(error)")
        }
        #expect(try await checkout.payment(unpaid.id, account: .main).version == 3)
    }

    @Test("is read before a refusal is the answer, since the payment may refuse what the first request has done")
    func refused() async throws {
        let journal = journal()
        let checkout = Checkout(journal: journal, providers: [CashDrawer()], clock: SystemClock())
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
        let unpaid = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic))
        let first = try await confirm(unpaid, "{}", at: journal)
        let paid = try await checkout.payment(unpaid.id, account: .main)
        #expect(reads.count == 0)
        let again = try await confirm(paid, "{}", at: self.journal())
        #expect(again.isReplay && again.record.state == first.record.state && reads.count == 1)
        #expect(try await checkout.payment(unpaid.id, account: .main).version == 3)
    }
}
