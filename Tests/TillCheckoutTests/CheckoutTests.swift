import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("The engine against a provider that fails")
struct CheckoutTests {
    @Test("an approved card is captured once and the journal agrees with the provider") func approved() async throws {
        let world = World()
        let id = try await world.create()
        let payment = try await world.confirm(id)
        #expect(payment.status == .succeeded)
        #expect(try await world.provider.ledger.charges().map(\.captured) == [100])
        #expect(try await world.problems() == [])
    }

    @Test("a declined card takes nothing and another card may be tried") func declined() async throws {
        let world = World()
        let id = try await world.create()
        #expect(try await world.confirm(id, card: "4000000000009995").status == .declined)
        #expect(try await world.provider.ledger.charges().map(\.captured) == [0])
        #expect(try await world.confirm(id).status == .succeeded)
        #expect(try await world.problems() == [])
    }

    @Test(
        "whatever call loses its answer, the money is taken once and known at once",
        arguments: [SandboxOperation.authorize, .capture], [SandboxFault.timeoutAfterCommit, .serverErrorAfterSuccess])
    func lostAnswer(operation: SandboxOperation, fault: SandboxFault) async throws {
        for preparesFirst in [true, false] {
            let world = World(preparesFirst: preparesFirst)
            world.faults.fail(operation, with: fault)
            let id = try await world.create()
            #expect(try await world.confirm(id).status == .succeeded)
            #expect(try await world.provider.ledger.charges().flatMap(\.captures).count == 1)
            #expect(try await world.problems() == [])
        }
    }

    @Test("a request that never arrived is voided, so that it can never charge; then the customer pays")
    func lostRequest() async throws {
        for preparesFirst in [true, false] {
            let world = World(preparesFirst: preparesFirst)
            world.faults.fail(.authorize, with: .timeoutBeforeCommit)
            let id = try await world.create()
            #expect(try await world.confirm(id).status == .requiresPaymentMethod)
            #expect(try await world.confirm(id).status == .succeeded)
            #expect(try await world.provider.ledger.charges().flatMap(\.captures).count == 1)
            #expect(try await world.problems() == [])
        }
    }

    @Test("a payment canceled while its outcome is unknown lets a late success go", arguments: [true, false])
    func canceledWhileUnknown(preparesFirst: Bool) async throws {
        let world = World(preparesFirst: preparesFirst)
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        world.faults.fail(.query, with: .outage, times: 2)
        let id = try await world.create()
        #expect(try await world.confirm(id).status == .unknown)
        #expect(try await world.checkout.cancel(id, account: .main).status == .unknown)
        try await world.settle()
        #expect(try await world.payment(id).status == .canceled)
        #expect(try await world.provider.ledger.charges().map(\.state) == [.voided])
        #expect(try await world.problems() == [])
    }

    @Test("a payment canceled while single-message money was taken gives it back") func interac() async throws {
        let world = World()
        let cad = Money(minorUnits: 100, currency: try Currency(code: "CAD"))
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: cad)
        let draft = world.checkout.draft(account: .main, order: order, captureMode: .automatic)
        let id = try await world.checkout.create(draft).id
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        world.faults.fail(.query, with: .outage, times: 2)
        _ = try await world.confirm(id, brand: "interac")
        _ = try await world.checkout.cancel(id, account: .main)
        try await world.settle()
        #expect(try await world.payment(id).status == .refunded)
        #expect(try await world.problems() == [])
    }

    @Test("held money is captured in parts, never more than is held; the parts are refunded") func partial()
        async throws
    {
        let world = World()
        let id = try await world.create(mode: .manual)
        #expect(try await world.confirm(id).status == .requiresCapture)
        let checkout = world.checkout
        let part = try await checkout.capture(id, account: .main, amount: World.eur(40), isFinal: false)
        #expect(part.status == .partiallyCaptured)
        await #expect(throws: CheckoutError.self) {
            try await checkout.capture(id, account: .main, amount: World.eur(61))
        }
        #expect(try await checkout.capture(id, account: .main).status == .succeeded)
        #expect(try await checkout.refund(id, account: .main, amount: World.eur(70)).status == .partiallyRefunded)
        #expect(try await checkout.refund(id, account: .main).status == .refunded)
        #expect(try await world.problems() == [])
    }

    @Test("a payment that gave everything back has left its order: it captures no more")
    func refundedAndLeft() async throws {
        let world = World()
        let id = try await world.create(mode: .manual)
        _ = try await world.confirm(id)
        _ = try await world.checkout.capture(id, account: .main, amount: World.eur(40), isFinal: false)
        #expect(try await world.checkout.refund(id, account: .main).status == .refunded)
        let second = try await world.create()
        #expect(try await world.confirm(second).status == .succeeded)
        await #expect(throws: CheckoutError.self) { try await world.checkout.capture(id, account: .main) }
        #expect(try await world.problems() == [])
    }

    @Test("a refund whose answer was lost beyond the provider's memory of keys is looked up, not sent again")
    func windowCrossed() async throws {
        for early in [Span.seconds(0), .seconds(1)] {
            let world = World()
            let id = try await world.paid()
            world.faults.fail(.refund, with: .timeoutAfterCommit, times: 2)
            world.faults.fail(.query, with: .outage)
            _ = try await world.checkout.refund(id, account: .main, amount: World.eur(40))
            world.clock.advance(by: .hours(24))
            world.clock.advance(by: .milliseconds(-early.milliseconds))
            try await world.settle()
            #expect(try await world.provider.ledger.charges().flatMap(\.refunds).count == 1)
            #expect(try await world.problems() == [])
        }
    }

    @Test("that the last try did not leave says nothing about the one before a crash") func notSentAfterCrash()
        async throws
    {
        let world = World()
        let id = try await world.paid()
        world.faults.fail(.refund, with: .timeoutAfterCommit)
        world.faults.fail(.refund, with: .notSent)
        world.faults.fail(.query, with: .outage)
        _ = try await world.checkout.refund(id, account: .main, amount: World.eur(40))
        world.clock.advance(by: .hours(25))
        try await world.settle()
        #expect(try await world.provider.ledger.charges().flatMap(\.refunds).count == 1)
        #expect(try await world.problems() == [])
    }

    @Test("a canceled order leaves nothing to do, also for the next process") func nothingHeld() async throws {
        let world = World()
        let id = try await world.create()
        _ = try await world.checkout.cancel(id, account: .main)
        world.journal.crash()
        let next = MemoryJournal(storage: world.storage, clock: world.clock)
        #expect(try await next.due(at: world.clock.now().adding(.days(9)), limit: 10) == [])
    }

    @Test("a lost void of a challenged attempt is sent again until it is done") func lostVoid() async throws {
        let world = World()
        let id = try await world.create()
        #expect(try await world.confirm(id, card: "4000002760003184").status == .requiresAction)
        world.faults.fail(.void, with: .timeoutBeforeCommit, times: 3)
        _ = try await world.checkout.cancel(id, account: .main)
        try await world.settle()
        #expect(try await world.payment(id).status == .canceled)
        #expect(try await world.problems() == [])
    }
}
