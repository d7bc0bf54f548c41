import Testing
import TillCore

/// What a payment makes of moments that a wrong clock has written.
@Suite("Moments that cannot be right") struct ClockAgeTests {
    private typealias Examples = PaymentExamples
    private let capabilities: (ProviderName) -> ProviderCapabilities? = { _ in
        ProviderCapabilities(replayWindow: .days(1), preparesFirst: true)
    }

    private func effects(_ events: [PaymentEvent], after span: Span) throws -> [PendingEffect] {
        try Examples.payment(.automatic, events).pendingEffects(
            capabilities: capabilities, at: Examples.start.adding(span), isOrphan: true)
    }

    @Test(
        "what began in the future has no age: whether its key is remembered is asked", arguments: [Int64(3), 48, 7200])
    func future(hours: Int64) throws {
        #expect(try effects(Examples.back(60), after: .hours(1)).map(\.effect) == [.refund(Examples.refund)])
        #expect(try effects(Examples.back(60), after: .hours(-1)).map(\.effect) == [.refund(Examples.refund)])
        #expect(try effects(Examples.back(60), after: .hours(-hours)).map(\.effect) == [.query(Examples.attempt)])
    }

    @Test("what a query has shown in the future is asked about again") func queriedInTheFuture() throws {
        let notDone = PaymentEvent.deferred(
            .refund(Examples.refund), until: Examples.start, reason: .notDone("not refunded yet"))
        let events = Examples.back(60) + [notDone]
        #expect(try effects(events, after: .seconds(0)).map(\.effect) == [.refund(Examples.refund)])
        #expect(try effects(events, after: .days(-2)).map(\.effect) == [.query(Examples.attempt)])
    }

    @Test(
        "a challenge that nobody ends because the clock is in doubt is asked about each hour, not every five minutes",
        arguments: [(Int64(50), CheckSchedule.actionInterval), (70, .hours(1)), (-2_880, .hours(1))])
    func oldChallenge(minutes: Int64, wait: Span) throws {
        var payment = try Examples.payment(.automatic, [Examples.started])
        let written = Examples.start.adding(.minutes(minutes))
        let action = PaymentEvent.actionRequired(Examples.attempt, CustomerAction(kind: "redirect"))
        payment.evolve(RecordedEvent(action, at: written))
        #expect(payment.nextDue == written.adding(wait))
    }

    @Test("a query is never planned further ahead than two days; the end of a hold is where the provider says")
    func furthest() throws {
        let planned = Examples.start.adding(.days(300))
        let unknown = PaymentEvent.outcomeUnknown(
            .refund(Examples.refund), nextCheck: planned, reason: .unclear("timed out"))
        #expect(
            try effects(Examples.back(60) + [unknown], after: .minutes(1)).map(\.due) == [
                Examples.start.adding(.minutes(1))
            ])
        let near = PaymentEvent.outcomeUnknown(
            .refund(Examples.refund), nextCheck: Examples.start.adding(.days(1)), reason: .unclear("timed out"))
        #expect(
            try effects(Examples.back(60) + [near], after: .minutes(1)).map(\.due) == [
                Examples.start.adding(.days(1))
            ])
        #expect(try effects(Examples.held, after: .minutes(1)).map(\.due) == [Examples.start.adding(.days(6))])
    }

    @Test("while the clock is in doubt no hold ends and no challenge is too old") func doubt() throws {
        let late = Examples.start.adding(.days(35))
        let doubted = ClockStanding.doubted(.jumped(by: .days(35)))
        let held = try Examples.payment(.manual, Examples.held)
        #expect(held.observe(.holdEnds(Examples.attempt), at: late, standing: doubted) == [])
        #expect(held.observe(.holdEnds(Examples.attempt), at: late, standing: .unproved) == [])
        #expect(
            held.observe(.holdEnds(Examples.attempt), at: late)
                == [.voidStarted(Examples.attempt, reason: .holdEnded)])
        let action = CustomerAction(kind: "redirect")
        let waiting = try Examples.payment(
            .automatic, [Examples.started, .actionRequired(Examples.attempt, action)])
        let answer = PaymentAnswer.snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(
                    reference: Examples.reference, standing: .requiresAction(action), captured: Examples.eur(0))))
        #expect(waiting.observe(answer, at: late) == [.voidStarted(Examples.attempt, reason: .abandoned)])
        #expect(
            waiting.observe(answer, at: late, standing: doubted) == [.actionRequired(Examples.attempt, action)])
    }

    @Test("a challenge that a clock months ahead has dated ends an hour after the right one was first asked")
    func challengeFromTheFuture() throws {
        let action = CustomerAction(kind: "redirect")
        let asked = PaymentEvent.actionRequired(Examples.attempt, action)
        var waiting = try Examples.payment(.automatic, [Examples.started, asked])
        let answer = PaymentAnswer.snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(
                    reference: Examples.reference, standing: .requiresAction(action), captured: Examples.eur(0))))
        let right = Examples.start.adding(.days(-100))
        #expect(waiting.observe(answer, at: right) == [asked])
        waiting.evolve(RecordedEvent(asked, at: right))
        #expect(waiting.observe(answer, at: right.adding(.minutes(59))) == [])
        #expect(
            waiting.observe(answer, at: right.adding(.minutes(61)))
                == [.voidStarted(Examples.attempt, reason: .abandoned)])
        // The clock of that time again: it is as old as the attempt says.
        #expect(waiting.observe(answer, at: Examples.start.adding(.minutes(50))) == [asked])
    }
}
