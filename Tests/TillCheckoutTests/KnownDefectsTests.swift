import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox

/// Defects that other payment systems have had in public, each shown absent here.
@Suite("Defects of others, shown absent")
struct KnownDefectsTests {
    @Test("two refunds of 60 of 100 at the same time: one is refused (Hyperswitch)") func simultaneousRefunds()
        async throws
    {
        for _ in 0..<20 {
            let world = World()
            let id = try await world.paid()
            let other = world.anotherProcess()
            async let first = try? world.checkout.refund(id, account: .main, amount: World.eur(60))
            async let second = try? other.refund(id, account: .main, amount: World.eur(60))
            let done = [await first, await second].compactMap { $0 }
            #expect(done.count == 1)
            #expect(try await world.provider.ledger.charges().map(\.refunded) == [60])
            #expect(try await world.problems() == [])
        }
    }

    @Test("a refund of less than nothing is refused (Hyperswitch)", arguments: [-1, 0, Int64.min])
    func negativeRefund(units: Int64) async throws {
        let world = World()
        let id = try await world.paid()
        await #expect(throws: CheckoutError.self) {
            try await world.checkout.refund(id, account: .main, amount: World.eur(units))
        }
        #expect(try await world.provider.ledger.charges().map(\.refunded) == [0])
    }

    @Test("two captures at the same time take the money once (Medusa)") func doubleCapture() async throws {
        for _ in 0..<20 {
            let world = World()
            let id = try await world.create(mode: .manual)
            _ = try await world.confirm(id)
            let other = world.anotherProcess()
            async let first = try? world.checkout.capture(id, account: .main)
            async let second = try? other.capture(id, account: .main)
            _ = await (first, second)
            #expect(try await world.provider.ledger.charges().flatMap(\.captures).map(\.amount) == [100])
            #expect(try await world.problems() == [])
        }
    }

    @Test("a webhook that races the reply makes no second charge (Saleor)") func webhookRace() async throws {
        for _ in 0..<20 {
            let world = World()
            let id = try await world.create()
            let other = world.anotherProcess()
            async let paid = try? world.confirm(id)
            async let seen: Void? = try? other.query(id)
            async let again: Void? = try? world.checkout.query(id)
            _ = await (paid, seen, again)
            try await world.checkout.query(id)
            #expect(try await world.payment(id).status == .succeeded)
            #expect(try await world.provider.ledger.charges().count == 1)
            #expect(try await world.problems() == [])
        }
    }

    @Test("two voids at the same time void once (Lago)") func doubleVoid() async throws {
        for _ in 0..<20 {
            let world = World()
            let id = try await world.create(mode: .manual)
            _ = try await world.confirm(id)
            let other = world.anotherProcess()
            async let first = try? world.checkout.cancel(id, account: .main)
            async let second = try? other.cancel(id, account: .main)
            let done = [await first, await second].compactMap { $0 }
            #expect(done.count == 1)
            let voids = try await world.journal.events(of: id).filter { $0.record.event.name == "void.started" }
            #expect(voids.count == 1)
            #expect(try await world.payment(id).status == .canceled)
        }
    }

    @Test("the same order on two tablets is paid once") func twoTablets() async throws {
        for _ in 0..<20 {
            let world = World()
            @Sendable func tablet() async -> Payment? {
                guard let id = try? await world.create() else { return nil }
                return try? await world.confirm(id)
            }
            async let first = tablet()
            async let second = tablet()
            let done = [await first, await second].compactMap { $0 }
            #expect(done.map(\.status) == [.succeeded])
            #expect(try await world.provider.ledger.charges().map(\.captured) == [100])
        }
    }
}
