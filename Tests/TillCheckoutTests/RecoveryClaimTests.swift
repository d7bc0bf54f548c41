import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

private final class End: Sendable {
    private let state = Mutex(false)
    var hasCome: Bool { state.withLock { $0 } }
    func comes() { state.withLock { $0 = true } }
}

@Suite("Recovery in several processes", .timeLimit(.minutes(5)))
struct RecoveryClaimTests {
    private let world = World(preparesFirst: false)
    private let gate = Gate()

    private func process(on journal: MemoryJournal? = nil) -> Checkout {
        Checkout(
            journal: journal ?? MemoryJournal(storage: world.storage, clock: world.clock),
            providers: [GatedProvider(base: world.provider, gate: gate)], clock: world.clock)
    }

    /// A payment of whose outcome nobody knows, and that is to be queried.
    private func overdue() async throws -> PaymentID {
        let id = try await world.create()
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        world.faults.fail(.query, with: .outage)
        #expect(try await world.confirm(id).status == .unknown)
        world.clock.advance(by: .minutes(6))
        return id
    }

    private func until(_ isSo: () -> Bool) async throws {
        while !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("of two processes that find a payment overdue one asks the provider") func claimed() async throws {
        let id = try await overdue()
        let (one, two) = (process(), process())
        gate.setOpen(false)
        let first = Task { try await one.recover() }
        try await until { gate.waiting.count == 1 }
        let end = End()
        let second = Task {
            defer { end.comes() }
            return try await two.recover()
        }
        try await until { end.hasCome || gate.waiting.count == 2 }
        #expect(gate.waiting.count == 1)
        gate.setOpen(true)
        while !gate.waiting.isEmpty { gate.letThrough(0) }
        #expect(try await second.value == 0)
        #expect(try await first.value == 1)
        #expect(try await world.payment(id).status == .succeeded)
        #expect(try await world.problems() == [])
    }

    @Test("a process that dies while it asks leaves what it had claimed to the others at once") func died() async throws
    {
        let id = try await overdue()
        let journal = MemoryJournal(storage: world.storage, clock: world.clock)
        let (one, two) = (process(on: journal), process())
        gate.setOpen(false)
        let first = Task { try await one.recover() }
        try await until { gate.waiting.count == 1 }
        journal.crash()
        gate.setOpen(true)
        #expect(try await two.recover() == 1)
        #expect(try await world.payment(id).status == .succeeded)
        gate.letThrough(0)
        _ = await first.result
        #expect(try await world.problems() == [])
    }

    @Test("what could not be worked on is given back") func givenBack() async throws {
        let id = try await overdue()
        let journal = MemoryJournal(storage: world.storage, clock: world.clock)
        let other = Checkout(journal: journal, providers: [], clock: world.clock)
        #expect(try await other.recover() == 0)
        #expect(other.recovery.setAside.map(\.payment) == [id])
        #expect(try await process().recover() == 1)
        #expect(try await world.payment(id).status == .succeeded)
    }
}
