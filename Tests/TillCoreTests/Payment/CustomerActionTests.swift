import Testing
import TillCore

/// What a customer's action leads to while the payment is being canceled, or once its attempt has ended.
@Suite("The customer's action")
struct CustomerActionTests {
    private typealias Examples = PaymentExamples
    private static let action = CustomerAction(kind: "redirect", url: "https://bank.example/1")

    private func seen(_ standing: ProviderSnapshot.Standing) -> PaymentAnswer {
        .snapshot(
            Examples.attempt,
            .approved(ProviderSnapshot(reference: nil, standing: standing, captured: Examples.eur(0))))
    }

    private func take(_ answer: PaymentAnswer, _ payment: inout Payment) -> [String] {
        let events = payment.observe(answer, at: Examples.now)
        for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
        #expect(payment.broken == nil)
        return events.map(\.name)
    }

    @Test(
        "a payment that was canceled while unknown does not become open to its customer again: it is voided",
        arguments: [ProviderSnapshot.Standing.requiresAction(action), .unconfirmed])
    func canceledWhileUnknown(_ standing: ProviderSnapshot.Standing) throws {
        var payment = try Examples.payment(
            .automatic,
            [
                Examples.started, .actionRequired(Examples.attempt, Self.action),
                Examples.lost(.attempt(Examples.attempt)), .cancelRequested(reason: "x"),
            ])
        #expect(take(seen(standing), &payment) == ["attempt.action_required", "void.started"])
        #expect(payment.attempts.last?.void?.reason == .canceled("x"))
        // The void is open: nothing asks the customer once more.
        #expect(take(seen(standing), &payment) == ["operation.deferred"])
        let done = PaymentAnswer.voided(Examples.attempt, .approved(Confirmation(reference: nil)))
        #expect(take(done, &payment) == ["void.succeeded", "payment.canceled"])
        #expect(payment.status == .canceled)
    }

    @Test("a payment that nobody has canceled stays open to its customer")
    func open() throws {
        for standing in [ProviderSnapshot.Standing.requiresAction(Self.action), .unconfirmed] {
            var payment = try Examples.payment(
                .automatic,
                [
                    Examples.started, .actionRequired(Examples.attempt, Self.action),
                    Examples.lost(.attempt(Examples.attempt)),
                ])
            #expect(take(seen(standing), &payment) == ["attempt.action_required"])
            #expect(payment.status == .requiresAction)
        }
    }

    /// How an attempt ends without money, and whether the provider may approve it after that only if it had a session.
    private static let ends: [([PaymentEvent], Bool)] = [
        ([.attemptDeclined(Examples.attempt, Examples.decline)], true),
        ([.attemptExpired(Examples.attempt)], true),
        (
            [
                .cancelRequested(reason: "x"), .voidStarted(Examples.attempt, reason: .canceled("x")),
                .voided(Examples.attempt), .canceled,
            ], true
        ),
        ([.voidStarted(Examples.attempt, reason: .abandoned), .voided(Examples.attempt)], false),
        ([.voided(Examples.attempt)], false),
        ([.attemptNotSent(Examples.attempt, reason: "off")], false),
    ]

    @Test("however the attempt of a session has ended: what the provider reports of it is looked at")
    func lateAfterSession() throws {
        let endsAt = Examples.start.adding(.hours(1))
        let session = try #require(CustomerSession(id: "CS1", data: "x", endsAt: endsAt))
        let finished = CustomerAction(kind: CustomerAction.finishedSession)
        for (end, isOfSessionsOnly) in Self.ends {
            for action in [CustomerAction(kind: "session", session: session), finished, Self.action] {
                let payment = try Examples.payment(
                    .automatic, [Examples.started, .actionRequired(Examples.attempt, action)] + end)
                let hadSession = action != Self.action
                let asked = payment.requestQuery(aboutAbandoned: Examples.attempt, at: Examples.now)
                #expect(asked.isEmpty == (isOfSessionsOnly && !hadSession), "\(end.map(\.name)), \(action.kind)")
                #expect(payment.mayBeApprovedLate == !asked.isEmpty)
            }
        }
    }

    @Test("that the customer has finished is kept, once its time is over and while a void is open too")
    func finishedLate() throws {
        let finished = CustomerAction(kind: CustomerAction.finishedSession)
        let session = try #require(
            CustomerSession(id: "CS1", data: "x", endsAt: Examples.start.adding(.hours(1))))
        let open: [PaymentEvent] = [
            Examples.started, .actionRequired(Examples.attempt, CustomerAction(kind: "session", session: session)),
        ]
        let late = Examples.start.adding(.hours(2))
        var payment = try Examples.payment(.automatic, open)
        #expect(payment.observe(seen(.requiresAction(finished)), at: late).map(\.name) == ["attempt.action_required"])
        payment = try Examples.payment(.automatic, open + [.voidStarted(Examples.attempt, reason: .abandoned)])
        let names = take(seen(.requiresAction(finished)), &payment)
        #expect(names == ["attempt.action_required", "operation.deferred"])
        #expect(payment.attempts.last?.lastAction == finished)
        // Said once. The void goes on, also while the provider has nothing else to say.
        #expect(take(seen(.requiresAction(finished)), &payment) == ["operation.deferred"])
        #expect(take(seen(.processing), &payment) == ["operation.deferred"])
    }

    @Test("what was captured in a session is booked only once its open void is refused", arguments: [true, false])
    func paidBesideVoid(isCanceled: Bool) throws {
        let session = try #require(
            CustomerSession(id: "CS1", data: "x", endsAt: Examples.start.adding(.hours(1))))
        let canceled: [PaymentEvent] = [
            .cancelRequested(reason: "x"), .voidStarted(Examples.attempt, reason: .canceled("x")),
        ]
        var payment = try Examples.payment(
            .automatic,
            [Examples.started, .actionRequired(Examples.attempt, CustomerAction(kind: "session", session: session))]
                + (isCanceled ? canceled : [.voidStarted(Examples.attempt, reason: .abandoned)]))
        var taken = Examples.authorization
        taken.isCaptured = true
        let paid = PaymentAnswer.snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(
                    reference: Examples.reference, standing: .authorized(taken), captured: taken.amount)))
        #expect(take(paid, &payment) == ["operation.deferred"])
        #expect(payment.captured.isZero && payment.refunds.isEmpty)
        _ = take(.voided(Examples.attempt, .declined(Examples.decline)), &payment)
        guard case .refused? = payment.attempts.last?.void?.state else {
            Issue.record("\(payment.attempts)")
            return
        }
        let names = take(paid, &payment)
        #expect(names == (isCanceled ? ["attempt.authorized", "refund.started"] : ["attempt.authorized"]))
        #expect(payment.captured == taken.amount)
    }

    @Test("an attempt of before a restore is told by its number")
    func earlierEpoch() throws {
        let later = AttemptID(rawValue: "pay_x-a1001")
        let start = PaymentEvent.AttemptStart(
            attempt: later, provider: .sandbox, tender: Examples.tender, amount: Examples.eur(100))
        var payment = try Examples.payment(
            .automatic,
            [Examples.started, .attemptDeclined(Examples.attempt, Examples.decline), .attemptStarted(start)])
        for (epoch, expected) in [(1, [false, false]), (2, [true, false]), (3, [true, true])] as [(Int64, [Bool])] {
            payment.epoch = epoch
            #expect(payment.attempts.map { payment.isOfEarlierEpoch($0) } == expected, "epoch \(epoch)")
        }
    }

    @Test("an answer from before the money was recorded does not end the hold: the provider is asked again")
    func overtaken() throws {
        var payment = try Examples.payment(
            .manual, [Examples.started, .actionRequired(Examples.attempt, Self.action)])
        let sent = QueryBasis(payment)
        payment.evolve(RecordedEvent(.authorized(Examples.attempt, Examples.authorization), at: Examples.now))
        let old = payment.observe(seen(.voided), at: Examples.now, from: sent)
        #expect(old.map(\.name) == ["query.requested"])
        #expect(payment.observe(seen(.voided), at: Examples.now).map(\.name) == ["attempt.expired"])
    }

    @Test("a session is written once: what repeats it goes without its data, and the payment keeps them")
    func repeatedSession() throws {
        let endsAt = Examples.start.adding(.hours(1))
        let session = try #require(CustomerSession(id: "CS1", data: "x", endsAt: endsAt))
        let open = CustomerAction(kind: "session", session: session)
        var payment = try Examples.payment(
            .automatic,
            [
                Examples.started, .actionRequired(Examples.attempt, open),
                Examples.lost(.attempt(Examples.attempt)),
            ])
        let events = payment.observe(seen(.unconfirmed), at: Examples.now)
        guard case .actionRequired(_, let said)? = events.first else {
            Issue.record("\(events.map(\.name))")
            return
        }
        #expect(said.session?.id == "CS1" && said.session?.data == "")
        for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
        #expect(payment.currentAttempt?.awaitedAction == open)
    }
}
