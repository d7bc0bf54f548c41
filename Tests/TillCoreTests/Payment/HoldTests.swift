import Testing
import TillCore

/// Money that is held and not taken is let go when its time is over, and somebody is told before.
@Suite("Holds that end")
struct HoldTests {
    private typealias Examples = PaymentExamples

    private let end = Examples.start.adding(.days(7))

    private func due(_ payment: Payment) -> [PendingEffect] {
        let keepsKeys = ProviderCapabilities(replayWindow: .hours(24), preparesFirst: true)
        return payment.pendingEffects(capabilities: { _ in keepsKeys }, at: max(Examples.now, payment.updatedAt))
    }

    private func after(_ payment: Payment, at now: Timestamp) -> Payment {
        var payment = payment
        for event in payment.observe(.holdEnds(Examples.attempt), at: now) {
            payment.evolve(RecordedEvent(event, at: now))
        }
        return payment
    }

    @Test("a person is warned once, a day before the end") func warning() throws {
        let held = try Examples.payment(.manual, Examples.held)
        #expect(due(held).map(\.effect) == [.watchHold(Examples.attempt)])
        #expect(held.nextDue == end.adding(.days(-1)))
        #expect(after(held, at: end.adding(.days(-2))) == held)
        let warned = after(held, at: end.adding(.days(-1)))
        #expect(warned.attention.count == 1)
        #expect(warned.status == .requiresCapture)
        #expect(warned.nextDue == end)
        #expect(after(warned, at: end.adding(.hours(-1))) == warned)
    }

    @Test("a short hold is warned of half-way") func short() throws {
        let authorization = Authorization(
            reference: Examples.reference, amount: Examples.eur(100), captureBefore: Examples.start.adding(.hours(10)))
        let held = try Examples.payment(.manual, [Examples.started, .authorized(Examples.attempt, authorization)])
        #expect(held.nextDue == Examples.start.adding(.hours(5)))
    }

    @Test("a hold whose end no provider says is warned of once, and neither voided nor kept from being captured")
    func noEnd() throws {
        let honored = Examples.start.adding(.days(7))
        let authorization = Authorization(
            reference: Examples.reference, amount: Examples.eur(100), honoredUntil: honored)
        let held = try Examples.payment(.manual, [Examples.started, .authorized(Examples.attempt, authorization)])
        #expect(held.nextDue == honored.adding(.days(-1)))
        let warned = after(held, at: honored.adding(.days(-1)))
        #expect(warned.attention == [.honorPeriodEnds(honored)] && due(warned).isEmpty)
        #expect(after(warned, at: honored.adding(.days(30))) == warned)
        #expect(try warned.decide(.capture(nil, isFinal: true), at: honored.adding(.days(30))).isEmpty == false)
    }

    @Test("held money is taken until the last moment of its hold, and not asked for afterwards") func late() throws {
        let held = try Examples.payment(.manual, Examples.held)
        #expect(throws: PaymentRefusal.authorizationExpired(end)) {
            try held.decide(.capture(nil, isFinal: true), at: end)
        }
        #expect(try held.decide(.capture(nil, isFinal: true), at: end.adding(.milliseconds(-1))).isEmpty == false)
    }

    @Test("at its end a hold is voided, and the payment has expired and left its order") func ended() throws {
        let held = try Examples.payment(.manual, Examples.held)
        var payment = after(held, at: end)
        #expect(due(payment).map(\.effect) == [.void(Examples.attempt)])
        #expect(throws: PaymentRefusal.operationInProgress("void")) {
            try payment.decide(.capture(nil, isFinal: true), at: Examples.now)
        }
        for event in payment.observe(.voided(Examples.attempt, .approved(Confirmation())), at: end) {
            payment.evolve(RecordedEvent(event, at: end))
        }
        #expect(payment.status == .expired)
        #expect(!payment.isLive)
        #expect(payment.nextDue == nil)
    }

    @Test("a hold whose void was refused is watched to its end, and then voided once more") func refused() throws {
        let no = PaymentEvent.refused(.void(Examples.attempt), Decline(reason: .invalidRequest))
        let kept = try Examples.payment(
            .manual, Examples.held + [.voidStarted(Examples.attempt, reason: .abandoned), no])
        #expect(due(kept).map(\.effect) == [.watchHold(Examples.attempt)])
        var payment = after(after(kept, at: end.adding(.days(-1))), at: end)
        #expect(due(payment).map(\.effect) == [.void(Examples.attempt)])
        var refused = payment
        refused.evolve(RecordedEvent(no, at: end))
        #expect(refused.nextDue == nil)
        for event in payment.observe(.voided(Examples.attempt, .approved(Confirmation())), at: end) {
            payment.evolve(RecordedEvent(event, at: end))
        }
        #expect(payment.status == .expired)
    }

    @Test("what is taken, being taken or being let go is not watched") func touched() throws {
        for name in ["capturing", "partly captured", "captured", "refunded", "voiding", "canceled", "expired"] {
            let payment = try #require(try Examples.all().first { $0.name == name }).payment
            #expect(after(payment, at: end.adding(.days(1))) == payment, "\(name)")
            #expect(!due(payment).contains { $0.effect == .watchHold(Examples.attempt) }, "\(name)")
        }
    }

    @Test("a cancellation of what is being let go already does not let it go twice") func canceled() throws {
        var payment = after(try Examples.payment(.manual, Examples.held), at: end)
        let events = try payment.decide(.cancel(reason: "x"), at: end)
        #expect(events == [.cancelRequested(reason: "x")])
        for event in events { payment.evolve(RecordedEvent(event, at: end)) }
        for event in payment.observe(.voided(Examples.attempt, .approved(Confirmation())), at: end) {
            payment.evolve(RecordedEvent(event, at: end))
        }
        #expect(payment.status == .canceled)
    }

    @Test("is voided, not expired, when the shop calls it off, whatever word the shop has for that") func shopsWord()
        throws
    {
        let events = try Examples.payment(.manual, Examples.held).decide(.cancel(reason: "expired"), at: Examples.now)
        let payment = try Examples.payment(.manual, Examples.held + events)
        let voided = payment.observe(.voided(Examples.attempt, .approved(Confirmation())), at: Examples.now)
        #expect(voided.map(\.name) == ["void.succeeded", "payment.canceled"])
    }
}
