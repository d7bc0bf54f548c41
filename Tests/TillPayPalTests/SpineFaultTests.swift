import Testing
import TillCheckout
import TillCore
import TillStandInPayPal
import TillSandbox
import TillTestSupport

/// What the engine promises, with PayPal's wire below it.
@Suite("Faults of the spine with PayPal") struct SpineFaultTests {
    @Test("a capture whose answer is lost and whose key is forgotten while the shop is down is looked up, not repeated")
    func captureWindow() async throws {
        let shop = MortalShop()
        let id = try await shop.sale(.manual).id
        // After the start is written and PayPal has taken the money.
        _ = try? await shop.engine(Mortal(steps: 3)).engine.capture(id, account: .main)
        #expect(await shop.taken() == 1250)
        #expect(try await shop.payment(id).captured.isZero)
        shop.clock.advance(by: .hours(7))
        let (engine, wire) = try shop.engine()
        try await engine.recover()
        #expect(!wire.asked.isEmpty && wire.asked.allSatisfy { $0.hasPrefix("GET") }, "\(wire.asked)")
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("within the window the same key is sent again, and the money is taken once")
    func captureRepeated() async throws {
        let shop = MortalShop()
        let id = try await shop.sale(.manual).id
        _ = try? await shop.engine(Mortal(steps: 3)).engine.capture(id, account: .main)
        shop.clock.advance(by: .minutes(2))
        let (engine, wire) = try shop.engine()
        try await engine.recover()
        #expect(wire.asked.contains { $0.hasPrefix("POST") && $0.hasSuffix("/capture") })
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("a sale whose answer is lost: read once the card is gone, whether the key is remembered or not")
    func saleWindow() async throws {
        for wait in [Span.minutes(2), .hours(7), .days(2)] {
            let shop = MortalShop()
            // Created, prepared, confirmed; PayPal has taken the money, nobody heard.
            var died = false
            for steps in 0..<30 where !died {
                let trial = steps == 0 ? shop : MortalShop()
                let process = Mortal(steps: steps)
                _ = try? await trial.sale(.automatic, by: try trial.engine(process).engine)
                guard process.isDead, await trial.taken() == 1250 else { continue }
                died = true
                trial.clock.advance(by: wait)
                let (engine, wire) = try trial.engine()
                try await engine.recover()
                #expect(wire.asked.allSatisfy { $0.hasPrefix("GET") }, "\(wait): \(wire.asked)")
                #expect(await trial.taken() == 1250)
                let left = await trial.payPal.ledger()
                #expect(left.count == 1)
            }
            #expect(died)
        }
    }

    @Test("a webhook that comes before the answer settles nothing twice")
    func webhookFirst() async throws {
        let shop = MortalShop()
        let id = try await shop.sale(.manual).id
        // While the answer to the capture travels, another process hears PayPal's webhook and looks.
        let other = try shop.engine().engine
        let (engine, _) = try shop.engine { line in
            guard line.hasSuffix("/capture") else { return }
            try? await other.query(id)
            try? await other.query(id)
        }
        let done = try await engine.capture(id, account: .main)
        #expect(done.status == .succeeded)
        let stored = try await shop.payment(id)
        #expect(stored.captures.count == 1 && stored.captured == Fixture.amount)
        #expect(try await shop.names(id).count(where: { $0 == "capture.succeeded" }) == 1)
        #expect(await shop.taken() == 1250)
    }

    @Test("a death before and after every write and every call of a capture, a refund, a void, a release")
    func deaths() async throws {
        for journey in ["capture", "refund", "void", "release"] {
            var deaths = 0
            for steps in 0..<30 {
                let shop = MortalShop()
                let id = try await shop.sale(journey == "refund" ? .automatic : .manual).id
                if journey == "release" { try await shop.takePart(id) }
                let process = Mortal(steps: steps)
                let engine = try shop.engine(process).engine
                switch journey {
                case "capture": _ = try? await engine.capture(id, account: .main)
                case "refund": _ = try? await engine.refund(id, account: .main)
                default: _ = try? await engine.cancel(id, account: .main)
                }
                guard process.isDead else { break }
                deaths += 1
                try await shop.settle([.seconds(0), .minutes(6), .hours(2)])
                let payment = try await shop.payment(id)
                #expect(payment.nextDue == nil || payment.status == .requiresCapture, "\(journey) \(steps)")
                let net = payment.captured.minorUnits - payment.refunded.minorUnits
                #expect(await shop.taken() == net, "\(journey), death at step \(steps): \(payment.status)")
                let expected: Set<PaymentStatus> =
                    switch journey {
                    case "capture": steps == 0 ? [.requiresCapture] : [.succeeded]
                    case "refund": steps == 0 ? [.succeeded] : [.refunded]
                    case "release": steps == 0 ? [.partiallyCaptured] : [.succeeded]
                    default: steps == 0 ? [.requiresCapture] : [.canceled]
                    }
                #expect(expected.contains(payment.status), "\(journey), death at step \(steps): \(payment.status)")
                guard journey == "release" else { continue }
                #expect(net == 500, "death at step \(steps)")
                let isVoided = await shop.payPal.ledger().first?["canceled"]?.boolValue
                #expect(payment.released.minorUnits == (steps == 0 ? 0 : 750), "death at step \(steps)")
                #expect(isVoided == (steps > 0), "death at step \(steps)")
            }
            #expect(deaths >= 6, "\(journey): \(deaths)")
        }
    }

    @Test("the rest of a hold is let go, whatever becomes of the answer; what was captured stays and can be refunded")
    func release() async throws {
        for fault in [nil, SandboxFault.timeoutAfterCommit, .timeoutBeforeCommit, .serverErrorAfterSuccess, .outage] {
            let shop = MortalShop()
            let id = try await shop.sale(.manual).id
            try await shop.takePart(id)
            if let fault { shop.payPal.faults.fail(.void, with: fault, times: 1) }
            let (engine, wire) = try shop.engine()
            let asked = try await engine.cancel(id, account: .main)
            #expect(asked.captured.minorUnits == 500 && !asked.isCanceled)
            try await shop.settle()
            let payment = try await shop.payment(id)
            #expect(payment.status == .succeeded && payment.released.minorUnits == 750, "\(String(describing: fault))")
            #expect(payment.nextDue == nil && payment.attention.isEmpty)
            #expect(wire.asked.contains { $0.hasSuffix("/void") })
            #expect(await shop.taken() == 500)
            await #expect(throws: CheckoutError.self) { try await engine.cancel(id, account: .main) }
            await #expect(throws: CheckoutError.self) { try await engine.capture(id, account: .main) }
            #expect(try await engine.refund(id, account: .main).status == .refunded)
            #expect(await shop.taken() == 0)
        }
    }

    @Test("a rest that was let go while nobody listened, and whose key is forgotten, is seen in the order")
    func releaseWindow() async throws {
        let shop = MortalShop()
        let id = try await shop.sale(.manual).id
        try await shop.takePart(id)
        _ = try? await shop.engine(Mortal(steps: 3)).engine.cancel(id, account: .main)
        #expect(await shop.payPal.ledger().first?["canceled"]?.boolValue == true)
        #expect(try await shop.payment(id).status == .partiallyCaptured)
        shop.clock.advance(by: .hours(7))
        let (engine, wire) = try shop.engine()
        try await engine.recover()
        #expect(!wire.asked.isEmpty && wire.asked.allSatisfy { $0.hasPrefix("GET") }, "\(wire.asked)")
        #expect(try await shop.payment(id).released.minorUnits == 750)
        #expect(await shop.taken() == 500)
    }
}
