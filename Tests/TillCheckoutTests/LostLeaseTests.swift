import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A provider without keys at whose refund the process stands still, right before it would be sent, as one that looks
/// first.
private final class StandingStill: ProviderInFront {
    let base: SandboxProvider
    private let standStill: @Sendable () async -> Void
    let sent = Mutex(0)
    private let ended = AsyncStream<Void>.makeStream()

    init(_ base: SandboxProvider, standStill: @escaping @Sendable () async -> Void) {
        self.base = base
        self.standStill = standStill
    }

    var capabilities: ProviderCapabilities {
        var capabilities = base.capabilities
        capabilities.replayWindow = .seconds(0)
        return capabilities
    }

    /// Waits until the call has ended. Whoever asked for the refund has given up waiting for it by then.
    func end() async { for await _ in ended.stream { return } }

    func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        defer { ended.continuation.yield() }
        await standStill()
        guard await SendingAuthority.isHeld else { return .notSent(reason: "another process works on it") }
        sent.withLock { $0 += 1 }
        return await base.refund(request)
    }
}

@Suite("A process that stood still for longer than its lease")
struct LostLeaseTests {
    @Test("sends nothing any more in the middle of a call: a provider without keys refunds once") func beforeSending()
        async throws
    {
        let world = World()
        let id = try await world.paid()
        let successor = world.anotherProcess()
        let provider = StandingStill(world.provider) {
            world.journal.loseLease()
            world.clock.advance(by: .minutes(2))
            _ = try? await successor.recover()
        }
        let engine = Checkout(journal: world.journal, providers: [provider], clock: world.clock)
        let error = await #expect(throws: CheckoutError.self) { try await engine.refund(id, account: .main) }
        await provider.end()
        guard case .unwritten(id, because: .journal(.leaseLost)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.moneyMoved == .unknown)
        #expect(error?.code == "lease_lost")
        #expect(provider.sent.withLock { $0 } == 0)
        try await check(world, by: successor, id)
    }

    @Test("asks no provider for what it has written before") func beforeTheCall() async throws {
        let world = World()
        let id = try await world.paid()
        let successor = world.anotherProcess()
        let storage = world.storage
        let lost = Mutex<MemoryJournal?>(nil)
        let journal = MemoryJournal(
            storage: storage, clock: world.clock,
            afterCommit: { write in
                if write.append?.events.contains(where: { $0.event.name == "refund.started" }) == true {
                    lost.withLock { $0?.loseLease() }
                }
                return nil
            })
        lost.withLock { $0 = journal }
        let provider = StandingStill(world.provider) {}
        let engine = Checkout(journal: journal, providers: [provider], clock: world.clock)
        let error = await #expect(throws: CheckoutError.self) { try await engine.refund(id, account: .main) }
        guard case .takenOver(id) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.moneyMoved == .unknown)
        #expect(provider.sent.withLock { $0 } == 0)
        _ = try await successor.recover()
        try await check(world, by: successor, id)
    }

    @Test("begins nothing: what it is asked for is refused, and no money moved") func command() async throws {
        let world = World()
        let id = try await world.paid()
        world.journal.loseLease()
        let provider = StandingStill(world.provider) {}
        let engine = Checkout(journal: world.journal, providers: [provider], clock: world.clock)
        let error = await #expect(throws: CheckoutError.self) { try await engine.refund(id, account: .main) }
        guard case .journal(.leaseLost) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.moneyMoved == .no)
        #expect(provider.sent.withLock { $0 } == 0)
        let successor = world.anotherProcess()
        #expect(try await successor.refund(id, account: .main).status == .refunded)
        try await check(world, by: successor, id)
    }

    /// What the process had sold before stays, and the refund was made once.
    private func check(_ world: World, by successor: Checkout, _ id: PaymentID) async throws {
        #expect(try await successor.payment(id, account: .main).status == .refunded)
        #expect(try await world.provider.ledger.charges().map(\.captured) == [100])
        #expect(try await world.provider.ledger.charges().map(\.refunded) == [100])
        #expect(try await world.problems() == [])
    }
}
