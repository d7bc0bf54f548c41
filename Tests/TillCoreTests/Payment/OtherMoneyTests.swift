import Testing
import TillCore

/// A provider that has authorized or refunded something else than it was asked for.
@Suite("Other money than was asked for") struct OtherMoneyTests {
    private typealias Examples = PaymentExamples
    private static let usd = Authorization(
        reference: Examples.reference, amount: Money(minorUnits: 100, currency: .usd), isCaptured: true)

    private func after(_ payment: Payment, _ answer: PaymentAnswer, at now: Timestamp = Examples.now) -> Payment {
        var payment = payment
        for event in payment.observe(answer, at: now) { payment.evolve(RecordedEvent(event, at: now)) }
        return payment
    }

    @Test("an authorization in another currency is an alarm and no payment; canceling voids it") func currency() throws
    {
        let alarm = Attention.wrongCurrency(authorized: Self.usd.amount, asked: Examples.eur(100))
        var payment = after(
            try Examples.payment(.automatic, [Examples.started]), .authorized(Examples.attempt, .approved(Self.usd)))
        #expect(payment.status == .unknown && payment.captured.isZero && payment.attention == [alarm])
        let events = try payment.decide(.cancel(reason: "wrong currency"), at: Examples.now)
        #expect(events.map(\.name) == ["payment.cancel_requested", "void.started"])
        for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
        // The provider still shows it: the void is sent again, and nothing else is made of it.
        let seen = PaymentAnswer.snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(
                    reference: Examples.reference, standing: .authorized(Self.usd), captured: .zero(.eur))))
        #expect(payment.observe(seen, at: Examples.now).map(\.name) == ["operation.deferred"])
        payment = after(payment, .voided(Examples.attempt, .approved(Confirmation())))
        #expect(payment.status == .canceled && payment.attention == [alarm])
    }

    @Test("a query in the other currency is an answer: the alarm is raised, and a hold that has ended ends it")
    func queriedInOtherCurrency() throws {
        func seen(_ standing: ProviderSnapshot.Standing, captured: Int64) -> PaymentAnswer {
            .snapshot(
                Examples.attempt,
                .approved(
                    ProviderSnapshot(
                        reference: Examples.reference, standing: standing,
                        captured: Money(minorUnits: captured, currency: .usd))))
        }
        for captured in [Int64(0), 100] {
            let lost = try Examples.payment(.automatic, [Examples.started])
            let payment = after(lost, seen(.authorized(Self.usd), captured: captured))
            let alarm = Attention.wrongCurrency(authorized: Self.usd.amount, asked: Examples.eur(100))
            #expect(payment.status == .unknown && payment.attention == [alarm])
            let ended = after(payment, seen(.voided, captured: 0))
            #expect(ended.status == .requiresPaymentMethod && ended.captured.isZero && ended.broken == nil)
        }
    }

    @Test("while it stays in the other currency it is queried less and less often") func queriedLessOften() throws {
        var payment = try Examples.payment(.automatic, [Examples.started])
        var now = Examples.now
        var waits: [Span] = []
        for _ in 0..<5 {
            payment = after(payment, .authorized(Examples.attempt, .approved(Self.usd)), at: now)
            guard case .unknown(let unknown) = payment.attempts.last?.state else { break }
            waits.append(unknown.nextCheck.since(now))
            now = unknown.nextCheck
        }
        #expect(waits == [.minutes(5), .minutes(5), .hours(1), .days(1), .days(1)])
    }

    @Test("what was canceled before it turned out to be another currency is voided at once") func canceledBefore()
        throws
    {
        let payment = try Examples.payment(.automatic, [Examples.started, .cancelRequested(reason: "x")])
        let events = payment.observe(.authorized(Examples.attempt, .approved(Self.usd)), at: Examples.now)
        #expect(events.map(\.name) == ["operation.unknown", "payment.attention_required", "void.started"])
    }

    @Test("a refund that the provider shows twice is done, and a person is told once how much too much went back")
    func twice() throws {
        let payment = try Examples.payment(.automatic, Examples.back(60))
        func found(_ name: String, _ status: ProviderSnapshot.Refund.Status) -> ProviderSnapshot.Refund {
            ProviderSnapshot.Refund(
                reference: ProviderReference(rawValue: name), refund: Examples.refund, amount: Examples.eur(60),
                status: status)
        }
        func seen(_ refunds: [ProviderSnapshot.Refund]) -> PaymentAnswer {
            .snapshot(
                Examples.attempt,
                .approved(
                    ProviderSnapshot(
                        reference: Examples.reference, standing: .authorized(Examples.authorization),
                        captured: Examples.eur(100), refunds: refunds)))
        }
        let both = seen([found("r1", .succeeded), found("r2", .succeeded)])
        let done = after(payment, both)
        #expect(done.attention == [.refundedMoreThanOnce(Examples.refund, Examples.eur(60))])
        #expect(done.refunded == Examples.eur(60))
        #expect(done.observe(both, at: Examples.now).isEmpty)
        let failed = seen([found("r1", .failed(Examples.decline)), found("r2", .succeeded)])
        #expect(after(payment, failed).refunded == Examples.eur(60))
        #expect(after(payment, failed).attention.isEmpty)
    }
}
