import Testing
import TillCore

/// A provider that rejects our own credentials has decided nothing: what was asked of it waits, and goes on later.
@Suite("Our own credentials are rejected") struct RejectedKeyTests {
    private typealias Examples = PaymentExamples

    private static let capturing =
        Examples.held + [
            PaymentEvent.captureStarted(Examples.capture, Examples.attempt, Examples.eur(100), isFinal: true)
        ]
    private static let no = ProviderAnswer<TillCore.Confirmation>.keyRejected(reason: "HTTP 401")

    private func after(_ payment: Payment, _ answer: PaymentAnswer, at now: Timestamp = Examples.now) -> Payment {
        var payment = payment
        for event in payment.observe(answer, at: now) { payment.evolve(RecordedEvent(event, at: now)) }
        return payment
    }

    @Test("a capture waits, a person is told once, and it is sent again later each time: up to 5 minutes, then an hour")
    func capture() throws {
        var payment = try Examples.payment(.manual, Self.capturing)
        var now = Examples.now
        var waits: [Span] = []
        for _ in 0..<40 {
            payment = after(payment, .captured(Examples.capture, Self.no), at: now)
            guard case .deferred(let until, _, _, _) = payment.captures[0].state else {
                Issue.record("\(payment.captures[0].state)")
                return
            }
            waits.append(until.since(now))
            now = until
        }
        #expect(waits.first == .seconds(1) && waits[11] == .minutes(5) && waits == waits.sorted())
        // A weekend of a rejected key is some eighty tries: each is an event of the journal for ever.
        #expect(waits.prefix(while: { $0 <= .minutes(5) }).reduce(0) { $0 + $1.milliseconds } > 2 * 3_600_000 - 600_000)
        #expect(waits.last == .hours(1))
        #expect(payment.attention == [.keyRejected])
        let done = ProviderAnswer<TillCore.Confirmation>.approved(Confirmation(reference: Examples.reference))
        #expect(after(payment, .captured(Examples.capture, done), at: now).status == .succeeded)
    }

    @Test("a void and a refund wait as well") func others() throws {
        let voiding = try Examples.payment(
            .manual, Examples.held + [.voidStarted(Examples.attempt, reason: .canceled("x"))])
        let released = after(voiding, .voided(Examples.attempt, Self.no))
        #expect(released.attempts[0].void?.state.isOpen == true && released.attention == [.keyRejected])
        let refunding = try Examples.payment(.automatic, Examples.back(60))
        let back = after(refunding, .refunded(Examples.refund, Self.no))
        #expect(back.refunds[0].state.isOpen && back.attention == [.keyRejected])
    }

    @Test("an authorization has moved nothing, and the customer can pay again") func authorization() throws {
        let payment = try Examples.payment(.automatic, [Examples.started])
        let rejected = after(payment, .authorized(Examples.attempt, .keyRejected(reason: "HTTP 401")))
        #expect(rejected.status == .requiresPaymentMethod && rejected.moneyMoved == .no)
        #expect(rejected.attention == [.keyRejected])
        #expect(
            try rejected.decide(.attempt(provider: .sandbox, tender: Examples.tender), at: Examples.now).count == 1)
        let prepared = after(payment, .prepared(Examples.attempt, .keyRejected(reason: "HTTP 403")))
        #expect(prepared.status == .requiresPaymentMethod)
    }

    @Test("while a capture waits the end of its hold is warned of, and the hold is not voided under it") func hold()
        throws
    {
        let payment = after(
            try Examples.payment(.manual, Self.capturing), .captured(Examples.capture, Self.no))
        let end = Examples.start.adding(.days(7))
        func effects(_ payment: Payment) -> [PaymentEffect] {
            payment.pendingEffects(capabilities: { _ in nil }, at: end).map(\.effect)
        }
        #expect(effects(payment).contains(.watchHold(Examples.attempt)))
        let warned = after(payment, .holdEnds(Examples.attempt), at: end.adding(.hours(-3)))
        #expect(warned.attention == [.keyRejected, .holdEnds(end)])
        #expect(!effects(warned).contains(.watchHold(Examples.attempt)))
        #expect(warned.observe(.holdEnds(Examples.attempt), at: end.adding(.days(1))).isEmpty)
    }

    @Test("while queries are rejected for a week the journal grows by one event an hour") func queryForAWeek() throws {
        let rejected = ProviderAnswer<ProviderSnapshot>.keyRejected(reason: "HTTP 401")
        var payment = try Examples.payment(.manual, Self.capturing + [Examples.lost(.capture(Examples.capture))])
        let (events, end) = (payment.version, Examples.now.adding(.days(7)))
        while let due = payment.nextDue, due < end {
            payment = after(payment, .snapshot(Examples.attempt, rejected), at: due)
        }
        #expect(payment.version - events < 7 * 24 + CheckSchedule.triesBeforePatience + 5)
        #expect(payment.version - events > 7 * 24 - 5, "it goes on soon after the credentials are right")
    }

    @Test("a query that is rejected leaves a waiting step waiting, and is repeated within five minutes") func query()
        throws
    {
        let rejected = ProviderAnswer<ProviderSnapshot>.keyRejected(reason: "HTTP 401")
        var payment = after(try Examples.payment(.manual, Self.capturing), .captured(Examples.capture, Self.no))
        var now = try #require(payment.nextDue)
        payment = after(payment, .snapshot(Examples.attempt, rejected), at: now)
        guard case .deferred = payment.captures[0].state else {
            Issue.record("\(payment.captures[0].state)")
            return
        }
        var unknown = try Examples.payment(.manual, Self.capturing + [Examples.lost(.capture(Examples.capture))])
        for _ in 0..<8 {
            unknown = after(unknown, .snapshot(Examples.attempt, rejected), at: now)
            guard case .unknown(let open) = unknown.captures[0].state else {
                Issue.record("\(unknown.captures[0].state)")
                return
            }
            #expect(open.nextCheck.since(now) <= .minutes(5) && open.nextCheck > now)
            now = open.nextCheck
        }
        #expect(unknown.attention == [.keyRejected])
    }

    @Test("a settled payment that a report wakes waits for the credentials, and a person is told until they are right")
    func atRest() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        for event in payment.requestQuery(at: Examples.now) {
            payment.evolve(RecordedEvent(event, at: Examples.now))
        }
        let rejected = PaymentAnswer.snapshot(Examples.attempt, .keyRejected(reason: "HTTP 401"))
        func ask(_ now: Timestamp) { payment = after(payment, rejected, at: now) }
        ask(Examples.now)
        #expect(payment.openAttention.map(\.attention) == [.keyRejected] && payment.requestedQuery != nil)
        ask(try #require(payment.requestedQuery?.due))
        #expect(payment.attention == [.keyRejected], "once")
        let number = try #require(payment.openAttention.first?.number)
        let closing = AttentionResolution(kind: .handled, evidence: "the key is set", actor: "Ada")
        for event in try payment.decide(.resolve(attention: number, closing), at: Examples.now) {
            payment.evolve(RecordedEvent(event, at: Examples.now))
        }
        #expect(payment.openAttention.isEmpty)
        ask(try #require(payment.requestedQuery?.due))
        #expect(payment.openAttention.map(\.attention) == [.keyRejected], "it is still so")
        let answered = ProviderSnapshot(
            reference: Examples.reference, standing: .authorized(Examples.authorization), captured: Examples.eur(100))
        payment = after(payment, .snapshot(Examples.attempt, .approved(answered)), at: Examples.now)
        #expect(payment.requestedQuery == nil && payment.openAttention.isEmpty)
    }
}
