import Testing
import TillCore

/// Under which key a step is sent, and until when an earlier sending of it may have left.
@Suite("How a step is sent again") struct SendingsTests {
    private typealias Examples = PaymentExamples
    private static let operation = OperationID.refund(Examples.refund)
    private static let spent = PaymentEvent.outcomeUnknown(
        operation, nextCheck: Examples.start, reason: .keySpent("HTTP 500"))
    private static let notDone = PaymentEvent.deferred(
        operation, until: Examples.start, reason: .notDone("not refunded yet"))

    private func refund(_ events: PaymentEvent...) throws -> Refund {
        try Examples.payment(.automatic, Examples.back(60) + events).refunds[0]
    }

    @Test("a key that is spent on a failure is replaced once a query has shown that nothing was done") func spent()
        throws
    {
        let first = try refund().key
        #expect(try refund(Self.spent).key == first)
        let second = try refund(Self.spent, Self.notDone).key
        #expect(second != first)
        #expect(try refund(Self.spent, Self.notDone, Self.spent, Self.notDone).key != second)
    }

    @Test("a sending that may still arrive keeps its key, whatever a query shows") func late() throws {
        let first = try refund().key
        #expect(try refund(Examples.lost(Self.operation), Self.notDone).key == first)
        #expect(try refund(Self.notDone, Self.notDone).key == first)
    }

    @Test("a spent key is settled by asking at once, not by sending it again") func asked() throws {
        let payment = try Examples.payment(.automatic, Examples.back(60) + [Self.spent])
        let effects = payment.pendingEffects(
            capabilities: { _ in ProviderCapabilities(replayWindow: .days(1), preparesFirst: true) }, at: Examples.now)
        #expect(effects.map(\.effect) == [.query(Examples.attempt)])
    }

    @Test("until when an earlier sending may have left") func left() throws {
        var payment = try Examples.payment(.automatic, Examples.back(60))
        func after(_ event: PaymentEvent, _ seconds: Int64) -> Timestamp? {
            payment.evolve(RecordedEvent(event, at: Examples.start.adding(.seconds(seconds))))
            return payment.refunds[0].sendings.mayHaveLeft
        }
        let unsent = PaymentEvent.deferred(Self.operation, until: Examples.start, reason: .notSent("not yet"))
        #expect(after(unsent, 1) == nil)
        #expect(after(Self.notDone, 2) == nil)
        #expect(after(Examples.lost(Self.operation), 3) == Examples.start.adding(.seconds(3)))
        #expect(after(Self.notDone, 4) == Examples.start.adding(.seconds(3)))
        #expect(after(unsent, 5) == Examples.start.adding(.seconds(3)))
        // Nobody has said what came of what was to be sent: its process may have sent it before it ended.
        #expect(after(Self.notDone, 6) == Examples.start.adding(.seconds(3)))
        #expect(after(Self.notDone, 7) == Examples.start.adding(.seconds(7)))
    }

    @Test("one in flight whose process has ended may have left until the query that finds it undone") func orphan()
        throws
    {
        #expect(try refund(Self.notDone).sendings.mayHaveLeft == Examples.start)
    }
}
