import Testing
import TillCheckout
import TillCore
import TillStandInPayPal
import TillSandbox
import TillTestSupport

/// After the bank's challenge the money is asked for in a step of its own, which is in the journal before it is sent.
@Suite("After the bank's challenge") struct ContinuationTests {
    @Test("a look finds it out, the step is written, then the money is asked for, once", arguments: [true, false])
    func once(isAutomatic: Bool) async throws {
        let shop = MortalShop()
        let id = try await shop.challenged(isAutomatic ? .automatic : .manual)
        let (engine, wire) = try shop.engine()
        try await engine.query(id)
        #expect(try await shop.payment(id).status == (isAutomatic ? .succeeded : .requiresCapture))
        #expect(await shop.taken() == (isAutomatic ? 1250 : 0))
        let events = try await shop.names(id)
        let step = try #require(events.firstIndex(of: "continuation.started"))
        #expect(events.firstIndex(of: "attempt.authorized") == step + 1)
        #expect(events.count(where: { $0 == "continuation.started" }) == 1)
        let verb = isAutomatic ? "/capture" : "/authorize"
        #expect(wire.asked.map { $0.hasPrefix("GET") ? "look" : $0.hasSuffix(verb) ? "ask" : $0 } == ["look", "ask"])
        try await engine.query(id)
        #expect(await shop.taken() == (isAutomatic ? 1250 : 0))
    }

    @Test("a death before and after every write and every call: paid once, and the journal knows it")
    func deaths() async throws {
        var deaths = 0
        for steps in 0..<40 {
            let shop = MortalShop()
            let id = try await shop.challenged()
            let process = Mortal(steps: steps)
            try? await shop.engine(process).engine.query(id)
            guard process.isDead else {
                #expect(deaths == steps, "it lived on before it was left alone")
                break
            }
            deaths += 1
            try await shop.settle()
            let payment = try await shop.payment(id)
            #expect(payment.status == .succeeded, "death at step \(steps): \(payment.status)")
            #expect(payment.captured == Fixture.amount, "death at step \(steps)")
            #expect(await shop.taken() == 1250, "death at step \(steps)")
            #expect(try await shop.names(id).count(where: { $0 == "continuation.started" }) == 1)
        }
        #expect(deaths >= 8)
    }

    @Test(
        "whatever becomes of the answer, the money is taken once",
        arguments: [
            SandboxFault.timeoutAfterCommit, .timeoutBeforeCommit, .serverErrorAfterSuccess, .conflict, .outage,
            .duplicateDelivery,
        ])
    func lost(fault: SandboxFault) async throws {
        let shop = MortalShop()
        let id = try await shop.challenged()
        shop.payPal.faults.fail(.authorize, with: fault, times: 1)
        try await shop.engine().engine.query(id)
        try await shop.settle()
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("beyond the time for which PayPal remembers keys the order is read, and nothing is sent again")
    func windowPassed() async throws {
        let shop = MortalShop()
        let id = try await shop.challenged()
        // Dead after PayPal took the money and before anybody heard of it.
        let process = Mortal(steps: 5)
        try? await shop.engine(process).engine.query(id)
        #expect(await shop.taken() == 1250)
        #expect(try await shop.payment(id).status == .processing)
        shop.clock.advance(by: .hours(7))
        let (engine, wire) = try shop.engine()
        try await engine.recover()
        #expect(wire.asked.allSatisfy { $0.hasPrefix("GET") }, "\(wire.asked)")
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("a shop that wants no money any more takes none, or gives it back")
    func canceled() async throws {
        for steps in 0..<12 {
            let shop = MortalShop()
            let id = try await shop.challenged()
            let process = Mortal(steps: steps)
            try? await shop.engine(process).engine.query(id)
            guard process.isDead else { break }
            let (engine, _) = try shop.engine()
            _ = try? await engine.cancel(id, account: .main)
            try await shop.settle(by: engine)
            let payment = try await shop.payment(id)
            let isOver = [.canceled, .refunded, .succeeded].contains(payment.status)
            #expect(isOver, "death at step \(steps): \(payment.status)")
            #expect(await shop.taken() == payment.captured.minorUnits - payment.refunded.minorUnits)
            if payment.cancelReason != nil { #expect(await shop.taken() == 0) }
        }
    }

    @Test("a challenge that was not passed takes nothing")
    func failed() async throws {
        let shop = MortalShop()
        let payment = try await shop.sale(.automatic, holder: "SCA-REQUIRED")
        let order = try #require(payment.currentAttempt?.reference?.rawValue)
        #expect(await shop.payPal.answerChallenge(order, succeeds: false))
        try await shop.settle()
        #expect(await shop.taken() == 0)
        #expect(try await !shop.names(payment.id).contains("continuation.started"))
        #expect(try await shop.payment(payment.id).status == .declined)
    }
}
