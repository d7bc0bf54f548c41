import Testing
import TillPayPalClient
import TillCheckout
import TillCore
import TillSandbox
import TillStandInPayPal
import TillTestSupport
@testable import TillPayPal

/// A renewal of a hold is written before it is sent, its answer is an event, and its end is PayPal's own.
@Suite("Renewing a hold") struct RenewalTests {
    private static let payPal = ProviderName(rawValue: "paypal")

    private func held(_ shop: MortalShop, days: Int64) async throws -> PaymentID {
        let payment = try await shop.sale(.manual)
        #expect(payment.status == .requiresCapture)
        shop.clock.advance(by: .days(days))
        return payment.id
    }

    /// How many holds the order has at PayPal.
    private func holds(_ shop: MortalShop, _ id: PaymentID) async throws -> [String] {
        let provider = try Fixture.provider(shop.payPal, clock: shop.clock)
        let attempt = try #require(try await shop.payment(id).attempts.last)
        let reference = try #require(PayPalReference(attempt.reference))
        guard case .order(let order) = await provider.order(reference.order, until: shop.clock.now().adding(.hours(1)))
        else { return [] }
        return order.authorizations.map(\.status.rawValue)
    }

    @Test("on day four it is renewed once: a new name, a new honor period, the same end")
    func renewed() async throws {
        let shop = MortalShop()
        let id = try await held(shop, days: 4)
        let before = try #require(try await shop.payment(id).currentAttempt?.authorization)
        #expect(before.honoredUntil == before.captureBefore?.adding(.days(-26)))
        let (engine, wire) = try shop.engine()
        let payment = try await engine.renew(id, account: .main)
        let after = try #require(payment.currentAttempt?.authorization)
        #expect(after.reference.rawValue.hasPrefix(before.reference.rawValue + ".R."))
        #expect(after.captureBefore == before.captureBefore)
        #expect(after.honoredUntil.map { $0.since(shop.clock.now()) <= .days(3) } == true)
        #expect(try await shop.names(id).suffix(2) == ["renewal.started", "renewal.succeeded"])
        #expect(wire.asked.count == 1)
        await #expect(throws: (any Error).self) { try await engine.renew(id, account: .main) }
        #expect(wire.asked.count == 1, "a second renewal was sent")
        let done = try await engine.capture(id, account: .main)
        #expect(done.status == .succeeded)
        #expect(await shop.taken() == 1250)
        #expect(wire.asked.last?.contains(after.reference.rawValue.split(separator: ".").last ?? "?") == true)
    }

    @Test("too early, after the end, and of what holds nothing: refused before anything is sent")
    func refused() async throws {
        func refusal(_ shop: MortalShop, _ id: PaymentID) async throws -> String? {
            let (engine, wire) = try shop.engine()
            defer { #expect(wire.asked.isEmpty) }
            do {
                _ = try await engine.renew(id, account: .main)
                return nil
            } catch { return error.code }
        }
        for (days, code) in [
            (Int64(0), "reauthorization_too_early"), (2, "reauthorization_too_early"), (29, "authorization_expired"),
        ] {
            let shop = MortalShop()
            #expect(try await refusal(shop, try await held(shop, days: days)) == code, "day \(days)")
        }
        let paid = MortalShop()
        #expect(try await refusal(paid, try await paid.sale(.automatic).id) == "nothing_held")
    }

    @Test("a renewal on day 27 ends with the original, two days later")
    func late() async throws {
        let shop = MortalShop()
        let id = try await held(shop, days: 27)
        let held = try #require(try await shop.engine().engine.renew(id, account: .main).currentAttempt?.authorization)
        #expect(held.honoredUntil == held.captureBefore)
        #expect(held.captureBefore.map { $0.since(shop.clock.now()) <= .days(2) } == true)
    }

    @Test("a death before and after every write and every call: renewed once, and captured under the new name")
    func deaths() async throws {
        var deaths = 0
        for steps in 0..<20 {
            let shop = MortalShop()
            let id = try await held(shop, days: 4)
            let process = Mortal(steps: steps)
            _ = try? await shop.engine(process).engine.renew(id, account: .main)
            guard process.isDead else { break }
            deaths += 1
            try await shop.settle([.seconds(0), .minutes(6), .hours(2)])
            let payment = try await shop.payment(id)
            let wasWritten = steps > 0
            #expect(payment.renewals.map(\.state.isSucceeded) == (wasWritten ? [true] : []), "death at \(steps)")
            #expect(try await holds(shop, id).count == (wasWritten ? 2 : 1), "death at \(steps)")
            #expect(payment.status == .requiresCapture)
            #expect(try await shop.engine().engine.capture(id, account: .main).status == .succeeded)
            #expect(await shop.taken() == 1250)
        }
        #expect(deaths >= 6)
    }

    @Test("a renewal whose answer is lost and whose key is forgotten is found by its new name, not sent again")
    func windowPassed() async throws {
        let shop = MortalShop()
        let id = try await held(shop, days: 4)
        _ = try? await shop.engine(Mortal(steps: 3)).engine.renew(id, account: .main)
        #expect(try await holds(shop, id).count == 2)
        #expect(try await shop.payment(id).renewals.first?.state == .inFlight)
        shop.clock.advance(by: .hours(8))
        let (engine, wire) = try shop.engine()
        try await engine.recover()
        #expect(wire.asked.allSatisfy { $0.hasPrefix("GET") }, "\(wire.asked)")
        #expect(try await shop.payment(id).renewals.first?.state.isSucceeded == true)
    }

    @Test("letting a renewed hold go lets the original go, and both are gone")
    func voided() async throws {
        let shop = MortalShop()
        let id = try await held(shop, days: 4)
        let (engine, _) = try shop.engine()
        _ = try await engine.renew(id, account: .main)
        #expect(try await engine.cancel(id, account: .main).status == .canceled)
        #expect(try await holds(shop, id) == ["VOIDED", "VOIDED"])
    }

    @Test("a person is told a day before the honor period ends and a day before the hold ends, also after a renewal")
    func alarms() async throws {
        let shop = MortalShop()
        let id = try await held(shop, days: 0)
        func alarms(on day: Int64, after: Int64) async throws -> Int {
            shop.clock.advance(by: .days(day - after))
            try await shop.engine().engine.recover()
            return try await shop.payment(id).attention.count
        }
        #expect(try await alarms(on: 1, after: 0) == 0)
        #expect(try await alarms(on: 2, after: 1) == 1)
        #expect(try await shop.payment(id).attention.last?.sentence.contains("honors the hold until") == true)
        #expect(try await alarms(on: 4, after: 2) == 1)
        _ = try await shop.engine().engine.renew(id, account: .main)
        #expect(try await alarms(on: 6, after: 4) == 2)
        #expect(try await alarms(on: 28, after: 6) == 3)
        #expect(try await shop.payment(id).attention.last?.sentence.contains("The hold ends at") == true)
        #expect(try await alarms(on: 29, after: 28) == 3)
        #expect(try await shop.payment(id).status == .expired)
        #expect(try await holds(shop, id) == ["VOIDED", "VOIDED"])
    }
}
