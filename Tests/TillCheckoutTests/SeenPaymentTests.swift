import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("A payment that was read before it is confirmed")
struct SeenPaymentTests {
    private static let tender = Tender.cardPresent(
        CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))

    private final class Reads: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    /// A journal that counts how often a payment is read from it.
    private struct CountingJournal: JournalInFront {
        let base: MemoryJournal
        let reads: Reads
        func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }
        func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
            reads.add()
            return try await base.payment(id)
        }
    }

    private func confirm(
        _ id: PaymentID, seen: Payment, account: AccountID = .main, by checkout: Checkout
    ) async throws -> Payment {
        try await checkout.confirm(id, account: account, provider: .sandbox, tender: Self.tender, seen: seen)
    }

    @Test("is not read again if it is still as it was")
    func once() async throws {
        let world = World()
        let reads = Reads()
        let checkout = Checkout(
            journal: CountingJournal(base: world.journal, reads: reads), providers: [world.provider],
            clock: world.clock)
        let id = try await world.create()
        let seen = try await checkout.payment(id, account: .main)
        #expect(reads.count == 1)
        let paid = try await confirm(id, seen: seen, by: checkout)
        #expect(paid.status == .succeeded && reads.count == 1)
        #expect(try await world.payment(id).version == paid.version)
        #expect(try await world.problems() == [])
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
}
