import Testing

@testable import TillCore

@Suite("An approval of an attempt that had ended")
struct LateApprovalTests {
    private typealias Examples = PaymentExamples
    private static let now = Examples.now
    private static let amount = Examples.authorization.amount
    /// How an attempt ends of which nobody knew any money.
    private static let ends: [[PaymentEvent]] = [
        [.voidStarted(Examples.attempt, reason: .abandoned), .voided(Examples.attempt)],
        [.attemptNotSent(Examples.attempt, reason: "off")],
        [.attemptDeclined(Examples.attempt, Examples.decline)],
        [
            .cancelRequested(reason: "x"), .voidStarted(Examples.attempt, reason: .canceled("x")),
            .voided(Examples.attempt), .canceled,
        ],
    ]
    private static let second = AttemptID(rawValue: "pay_x-a2")
    private static let another = PaymentEvent.attemptStarted(
        PaymentEvent.AttemptStart(
            attempt: second, provider: .sandbox, tender: Examples.tender, amount: Examples.eur(100)))
    private static let yes = PaymentAnswer.authorized(Examples.attempt, .approved(Examples.authorization))
    private static var taken: Authorization {
        var taken = Examples.authorization
        taken.isCaptured = true
        return taken
    }

    private func take(_ answer: PaymentAnswer, _ payment: inout Payment) -> [String] {
        let events = payment.observe(answer, at: Self.now)
        for event in events { payment.evolve(RecordedEvent(event, at: Self.now)) }
        #expect(payment.broken == nil)
        return events.map(\.name)
    }

    private func seen(_ standing: ProviderSnapshot.Standing, captured: Int64 = 0) -> PaymentAnswer {
        .snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(
                    reference: Examples.reference, standing: standing, captured: Examples.eur(captured), refunds: [])))
    }

    private func effects(_ payment: Payment) -> [PaymentEffect] {
        payment.pendingEffects(capabilities: { _ in nil }, at: Self.now).map(\.effect)
    }

    @Test(
        "is written, its hold is voided once, and a person is notified",
        arguments: ends, [yes, .continued(Examples.attempt, .approved(Examples.authorization))])
    func hold(_ end: [PaymentEvent], _ late: PaymentAnswer) throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + end)
        let isCanceled = payment.status == .canceled
        let first = isCanceled ? "attempt.prepared" : "attempt.authorized"
        #expect(take(late, &payment) == [first, "void.started", "payment.attention_required"])
        #expect(payment.attempts.first?.reference == Examples.reference)
        #expect(effects(payment) == [.query(Examples.attempt)])
        #expect(take(late, &payment).isEmpty, "it is under way")
        #expect(take(Self.voided, &payment) == ["void.succeeded"])
        #expect(take(late, &payment).isEmpty && take(seen(.voided), &payment).isEmpty)
        #expect(payment.openAttention.map(\.attention) == [.approvedLate(Self.amount, isCaptured: false)])
        #expect(payment.captured.isZero && effects(payment).isEmpty && (payment.status == .canceled) == isCanceled)
        if !isCanceled { #expect(throws: Never.self) { try payment.decide(another, at: Self.now) } }
    }

    private static let voided = PaymentAnswer.voided(Examples.attempt, .approved(Confirmation(reference: nil)))
    private var another: PaymentCommand { .attempt(provider: .sandbox, tender: Examples.tender) }

    @Test("whose void is not answered is queried, and the void sent again", arguments: ends)
    func unanswered(_ end: [PaymentEvent]) throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + end)
        _ = take(Self.yes, &payment)
        #expect(take(.voided(Examples.attempt, .unknown(reason: "no answer")), &payment) == ["operation.unknown"])
        #expect(take(seen(.authorized(Examples.authorization)), &payment) == ["operation.deferred"])
        #expect(take(seen(.voided), &payment) == ["void.succeeded"])
    }

    @Test("whose void the provider refuses is a person's, and can be canceled again")
    func refused() throws {
        var payment = try Examples.payment(.manual, [Examples.started] + Self.ends[0])
        _ = take(Self.yes, &payment)
        let no = take(.voided(Examples.attempt, .declined(Decline(reason: .generic))), &payment)
        #expect(no == ["operation.refused", "payment.attention_required"])
        #expect(payment.openAttention.count == 2)
        #expect(try payment.decide(.cancel(reason: "x"), at: Self.now).map(\.name).contains("void.started"))
    }

    @Test("whose void the provider refuses of a canceled payment is queried, and stays a person's")
    func refusedOfCanceled() throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + Self.ends[3])
        _ = take(Self.yes, &payment)
        let no = take(.voided(Examples.attempt, .declined(Decline(reason: .generic))), &payment)
        #expect(no == ["operation.refused", "payment.attention_required", "query.requested"])
        #expect(payment.openAttention.count == 2)
        let found = take(seen(.authorized(Self.taken), captured: 100), &payment)
        #expect(found == ["payment.attention_required", "query.answered"])
        #expect(payment.openAttention.last?.attention == .approvedLate(Self.amount, isCaptured: true))
        #expect(payment.captured.isZero && effects(payment).isEmpty)
    }

    @Test("that took the money is queried, counted if it is there, and can be refunded", arguments: ends.prefix(3))
    func captured(_ end: [PaymentEvent]) throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + end)
        let late = PaymentAnswer.authorized(Examples.attempt, .approved(Self.taken))
        #expect(take(late, &payment) == ["attempt.prepared", "operation.unknown", "payment.attention_required"])
        #expect(effects(payment) == [.query(Examples.attempt)])
        #expect(throws: PaymentRefusal.self) { try payment.decide(another, at: Self.now) }
        #expect(take(seen(.authorized(Self.taken), captured: 100), &payment).first == "attempt.authorized")
        #expect(payment.captured == Examples.eur(100) && payment.status == .succeeded)
        #expect(payment.openAttention.map(\.attention) == [.approvedLate(Self.amount, isCaptured: true)])
        #expect(take(late, &payment).isEmpty)
        let refund = try payment.decide(.refund(Examples.eur(100), reason: nil), at: Self.now)
        #expect(refund.map(\.name) == ["refund.started"])
    }

    @Test("that took the money, and whose money is gone when it is queried, is no money", arguments: ends.prefix(3))
    func gone(_ end: [PaymentEvent]) throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + end)
        _ = take(.authorized(Examples.attempt, .approved(Self.taken)), &payment)
        #expect(take(seen(.voided), &payment) == ["void.succeeded"])
        #expect(payment.captured.isZero && payment.status == .requiresPaymentMethod)
        // The provider does not know it either: it is voided once more, so that nothing can come of it.
        var unknown = try Examples.payment(.automatic, [Examples.started] + end)
        _ = take(.authorized(Examples.attempt, .approved(Self.taken)), &unknown)
        #expect(take(seen(.notFound), &unknown) == ["void.started"])
        #expect(take(Self.voided, &unknown) == ["void.succeeded"])
    }

    @Test(
        "that took the money beside another attempt moves nothing of that one's and is only reported",
        arguments: [[], [PaymentEvent.authorized(second, Examples.authorization)]])
    func beside(_ more: [PaymentEvent]) throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + Self.ends[1] + [Self.another] + more)
        var other = Self.taken
        other.reference = ProviderReference(rawValue: "another")
        let late = PaymentAnswer.authorized(Examples.attempt, .approved(other))
        #expect(take(late, &payment) == ["attempt.prepared", "payment.attention_required"])
        let entry = try #require(payment.openAttention.first)
        #expect(entry.attention == .approvedLate(Self.amount, isCaptured: true))
        #expect(payment.captured.isZero && payment.currentAttempt?.id == Self.second)
        #expect(take(late, &payment).isEmpty)
        let kinds = payment.possibleResolutions(of: entry.number).map(\.kind)
        #expect(kinds.contains(.handled) && !kinds.contains(.refundedElsewhere))
    }

    @Test("of a hold beside another attempt is voided, and nothing of the other one's waits for it")
    func holdBeside() throws {
        var payment = try Examples.payment(
            .automatic,
            [Examples.started] + Self.ends[1] + [Self.another, .authorized(Self.second, Examples.authorization)])
        var other = Examples.authorization
        other.reference = ProviderReference(rawValue: "another")
        let late = PaymentAnswer.authorized(Examples.attempt, .approved(other))
        #expect(take(late, &payment) == ["attempt.prepared", "void.started", "payment.attention_required"])
        #expect(payment.isAtRest && payment.currentAttempt?.id == Self.second)
        #expect(take(seen(.declined(Examples.decline)), &payment) == ["void.succeeded"])
        #expect(payment.currentAttempt?.id == Self.second)
    }

    @Test("in another currency or of more than was asked for is queried like any other such answer")
    func otherMoney() throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + Self.ends[1])
        var other = Examples.authorization
        other.amount = Money(minorUnits: 100, currency: try Currency(code: "USD"))
        let names = take(.authorized(Examples.attempt, .approved(other)), &payment)
        #expect(names == ["operation.unknown", "payment.attention_required"])
        let cancel = try payment.decide(.cancel(reason: "x"), at: Self.now)
        #expect(cancel.map(\.name) == ["payment.cancel_requested", "void.started"])
    }

    @Test("is looked for when the provider reports something of a payment whose attempt was given up")
    func reported() throws {
        let asked = [PaymentEvent.queryRequested(Examples.attempt, due: Self.now)]
        for (end, expected) in zip(Self.ends, [asked, asked, [], []]) {
            var payment = try Examples.payment(.automatic, [Examples.started] + end)
            #expect(payment.requestQuery(at: Self.now) == expected)
            guard let request = expected.first else { continue }
            payment.evolve(RecordedEvent(request, at: Self.now))
            // The provider reports it before it can be found.
            #expect(take(seen(.notFound), &payment) == ["query.requested"])
            let found = take(seen(.authorized(Examples.authorization)), &payment)
            #expect(found.prefix(3) == ["attempt.authorized", "void.started", "payment.attention_required"])
            #expect(take(Self.voided, &payment) == ["void.succeeded"])
            #expect(payment.requestedQuery == nil)
        }
    }

    @Test("of an earlier attempt is looked for when the provider names it, once nothing else is open")
    func named() throws {
        let first = Examples.attempt
        for (end, isAbandoned) in zip(Self.ends, [true, true, false, false]) {
            var payment = try Examples.payment(.automatic, [Examples.started] + end)
            if isAbandoned { payment.evolve(RecordedEvent(Self.another, at: Self.now)) }
            let asked = payment.requestQuery(aboutAbandoned: first, at: Self.now)
            #expect(asked == (isAbandoned ? [.queryRequested(first, due: Self.now)] : []))
            #expect(payment.requestQuery(aboutAbandoned: Self.second, at: Self.now).isEmpty)
            guard isAbandoned else { continue }
            for event in asked { payment.evolve(RecordedEvent(event, at: Self.now)) }
            #expect(!effects(payment).contains(.query(first)), "the second attempt is under way")
            payment.evolve(RecordedEvent(.authorized(Self.second, Examples.authorization), at: Self.now))
            #expect(effects(payment).contains(.query(first)))
            // A report about the second attempt replaces no query about the first one.
            for event in payment.requestQuery(at: Self.now) { payment.evolve(RecordedEvent(event, at: Self.now)) }
            #expect(payment.requestedQueries.map(\.attempt) == [first, Self.second])
            var other = Examples.authorization
            other.reference = ProviderReference(rawValue: "another")
            let found = PaymentAnswer.snapshot(
                first,
                .approved(
                    ProviderSnapshot(
                        reference: other.reference, standing: .authorized(other), captured: Examples.eur(0),
                        refunds: [])))
            #expect(
                take(found, &payment).prefix(3) == ["attempt.prepared", "void.started", "payment.attention_required"])
            #expect(payment.currentAttempt?.id == Self.second)
        }
    }

    @Test("leaves no query behind in a journal whose versions knew one query only") func oneQuery() throws {
        let history: [PaymentEvent] =
            [Examples.started] + Self.ends[0] + [
                .queryRequested(Examples.attempt, due: Self.now), Self.another,
                .authorized(Self.second, Examples.authorization), .queryRequested(Self.second, due: Self.now),
                .queryAnswered(Self.second),
            ]
        #expect(try Examples.payment(.automatic, history).requestedQueries.isEmpty)
        // The same report as this version writes it: the query about the first attempt stands beside the other.
        var payment = try Examples.payment(.automatic, Array(history.dropLast(2)))
        for event in payment.requestQuery(at: Self.now) + [.queryAnswered(Self.second)] {
            payment.evolve(RecordedEvent(event, at: Self.now))
        }
        #expect(payment.requestedQueries.map(\.attempt) == [Examples.attempt])
    }

    @Test("is looked for anew after each report, and as long as the provider refuses our credentials")
    func newReport() throws {
        var payment = try Examples.payment(.automatic, [Examples.started] + Self.ends[1])
        var now = Self.now
        func ask(_ answer: ProviderAnswer<ProviderSnapshot>) {
            guard let due = payment.requestedQuery?.due else { return }
            now = max(now, due)
            for event in payment.observe(.snapshot(Examples.attempt, answer), at: now) {
                payment.evolve(RecordedEvent(event, at: now))
            }
        }
        payment.evolve(RecordedEvent(.queryRequested(Examples.attempt, due: now), at: now))
        for _ in 0..<2 * CheckSchedule.checksBeforeAttention { ask(.keyRejected(reason: "expired")) }
        #expect(payment.requestedQuery != nil)
        for _ in 0..<CheckSchedule.checksBeforeAttention { ask(.unknown(reason: "not reported yet")) }
        for event in payment.requestQuery(aboutAbandoned: Examples.attempt, at: now) {
            payment.evolve(RecordedEvent(event, at: now))
        }
        ask(.unknown(reason: "timeout"))
        #expect(payment.requestedQuery != nil)
    }

    @Test("is not looked for for ever", arguments: [nil, ProviderSnapshot.Standing.notFound])
    func notFound(_ standing: ProviderSnapshot.Standing?) throws {
        let answer = standing.map { seen($0) } ?? .snapshot(Examples.attempt, .unknown(reason: "not reported yet"))
        var payment = try Examples.payment(.automatic, [Examples.started] + Self.ends[1])
        var now = Self.now
        payment.evolve(RecordedEvent(.queryRequested(Examples.attempt, due: now), at: now))
        var queries = 0
        while let due = payment.requestedQuery?.due, queries < 20 {
            now = max(now, due)
            for event in payment.observe(answer, at: now) { payment.evolve(RecordedEvent(event, at: now)) }
            queries += 1
        }
        #expect(queries == CheckSchedule.checksBeforeAttention + 1)
    }

    @Test("under a name that another attempt has is that one's")
    func shared() throws {
        var payment = try Examples.payment(
            .automatic,
            [
                Examples.started, .attemptPrepared(Examples.attempt, Examples.reference),
                .attemptDeclined(Examples.attempt, Examples.decline), Self.another,
                .authorized(Self.second, Examples.authorization),
            ])
        #expect(take(Self.yes, &payment).isEmpty)
        #expect(take(seen(.authorized(Examples.authorization), captured: 100), &payment).isEmpty)
    }
}
