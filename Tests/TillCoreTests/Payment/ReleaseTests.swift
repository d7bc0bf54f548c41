import Testing
import TillCore

/// What is left of a hold after a part of it was captured.
@Suite("The rest of a hold of which a part was captured")
struct ReleaseTests {
    private typealias Examples = PaymentExamples

    private func partly(isFinal: Bool = false, then events: [PaymentEvent] = []) throws -> Payment {
        let part: [PaymentEvent] = [
            .captureStarted(Examples.capture, Examples.attempt, Examples.eur(40), isFinal: isFinal),
            .captured(Examples.capture, nil),
        ]
        return try Examples.payment(.manual, Examples.held + part + events)
    }

    /// The provider was asked to let it go, and said no.
    private static let refusal: [PaymentEvent] = [
        .voidStarted(Examples.attempt, reason: .canceled("x")), .refused(.void(Examples.attempt), Examples.decline),
    ]
    /// A look that shows the money as it was before anybody wanted to let it go.
    private static let stillHeld = PaymentAnswer.snapshot(
        Examples.attempt,
        .approved(
            ProviderSnapshot(
                reference: Examples.reference,
                standing: .authorized(Authorization(reference: Examples.reference, amount: Examples.eur(100))),
                captured: Examples.eur(40))))

    @Test("is let go, the captured part stays, and the payment is paid and not canceled")
    func released() throws {
        let payment = try partly(then: [
            .voidStarted(Examples.attempt, reason: .canceled("x")), .voided(Examples.attempt),
        ])
        #expect(payment.status == .succeeded && !payment.isCanceled && payment.isLive)
        #expect(payment.captured == Examples.eur(40) && payment.released == Examples.eur(60))
        #expect(payment.authorizedMinorUnits == 40)
        #expect(payment.currentAttempt?.approved == Examples.eur(100), "the issuer approved all of it")
        #expect(payment.nextDue == nil)
    }

    @Test("is still held while nobody knows whether it was let go, and nothing of it can be taken meanwhile")
    func releasing() throws {
        let payment = try partly(then: [.voidStarted(Examples.attempt, reason: .canceled("x"))])
        #expect(payment.status == .partiallyCaptured && payment.released.isZero)
        #expect(payment.authorizedMinorUnits == 100)
        #expect(payment.nextDue != nil)
        #expect(throws: PaymentRefusal.operationInProgress("void")) {
            try payment.decide(.capture(nil, isFinal: true), at: Examples.now)
        }
    }

    @Test("stays and can be taken when the provider refuses to let it go")
    func refused() throws {
        let payment = try partly(then: Self.refusal)
        #expect(payment.status == .partiallyCaptured && payment.released.isZero)
        #expect(try payment.decide(.capture(nil, isFinal: true), at: Examples.now).map(\.name) == ["capture.started"])
        #expect(try payment.decide(.cancel(reason: "x"), at: Examples.now).map(\.name) == ["void.started"])
    }

    @Test("is asked for again under another key after a refusal, since a provider may repeat a refused key's answer")
    func askedAgain() throws {
        let again = Self.refusal + [.voidStarted(Examples.attempt, reason: .canceled("x"))]
        let keys = try (1...3).map { steps in
            let attempt = try #require(try partly(then: Array(again.prefix(steps))).currentAttempt)
            return attempt.voidKey(try #require(attempt.void))
        }
        #expect(keys[0] == keys[1], "the same void, the same key")
        #expect(keys[2] != keys[1])
        let whole = try Examples.payment(
            .manual, Examples.held + [.cancelRequested(reason: "x")] + Self.refusal)
        #expect(try whole.decide(.cancel(reason: "x"), at: Examples.now).map(\.name) == ["void.started"])
    }

    @Test("that the provider refused to let go was not let go when the hold ends later")
    func endedAfterARefusal() throws {
        let payment = try partly(then: Self.refusal + [.attemptExpired(Examples.attempt)])
        #expect(payment.released.isZero)
    }

    @Test("is still held after what was taken went back, in part or all of it")
    func heldAfterARefund() throws {
        let back: [PaymentEvent] = [
            .refundStarted(Examples.refund, Examples.attempt, Examples.eur(40), reason: nil),
            .refunded(Examples.refund, nil),
        ]
        #expect(try partly().held == Examples.eur(60))
        let payment = try partly(then: back)
        #expect(payment.status == .refunded && payment.held == Examples.eur(60))
        #expect(try payment.decide(.cancel(reason: "x"), at: Examples.now).map(\.name) == ["void.started"])
        let gone: [PaymentEvent] = [.voidStarted(Examples.attempt, reason: .canceled("x")), .voided(Examples.attempt)]
        #expect(try partly(then: back + gone).held.isZero)
        #expect(try partly(isFinal: true).held.isZero)
        #expect(try Examples.payment(.manual, Examples.held).held == Examples.eur(100))
        let taken = Authorization(reference: Examples.reference, amount: Examples.eur(100), isCaptured: true)
        #expect(try Examples.payment(.automatic, [Examples.started, .authorized(Examples.attempt, taken)]).held.isZero)
    }

    /// A hold of the order's 100 and a tip of 300, of which 150 were captured.
    private func tipped(then events: [PaymentEvent]) throws -> Payment {
        let hold = Authorization(reference: Examples.reference, amount: Examples.eur(400), tip: Examples.eur(300))
        let part: [PaymentEvent] = [
            .captureStarted(Examples.capture, Examples.attempt, Examples.eur(150), isFinal: false),
            .captured(Examples.capture, nil),
        ]
        return try Examples.payment(
            .manual, [Examples.started, .authorized(Examples.attempt, hold)] + part + events)
    }

    @Test("of a hold with a tip is let go whole, and what was captured keeps its tip: what exceeds the order")
    func tip() throws {
        let gone: [PaymentEvent] = [.voidStarted(Examples.attempt, reason: .canceled("x")), .voided(Examples.attempt)]
        let (before, after) = (try tipped(then: []), try tipped(then: gone))
        #expect(before.status == .partiallyCaptured && before.held == Examples.eur(250) && before.released.isZero)
        #expect(after.status == .succeeded && after.held.isZero && after.released == Examples.eur(250))
        #expect(after.currentAttempt?.approved == Examples.eur(100), "the issuer approved all of the order")
        for payment in [before, after] { try expectTip(in: payment) }
    }

    @Test("of a hold with a tip may end at the provider while it is being captured, and no tip goes with it")
    func tipOfEnded() throws {
        let second = CaptureID(rawValue: "pay_x-c2")
        var payment = try tipped(then: [.captureStarted(second, Examples.attempt, Examples.eur(250), isFinal: true)])
        let ended = PaymentAnswer.snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(reference: Examples.reference, standing: .voided, captured: Examples.eur(150))))
        let events = payment.observe(ended, at: Examples.now)
        #expect(events.map(\.name).contains("attempt.expired"))
        for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
        #expect(payment.status == .succeeded && payment.held.isZero && payment.released.isZero)
        try expectTip(in: payment)
    }

    private func expectTip(in payment: Payment) throws {
        #expect(payment.broken == nil && payment.captured == Examples.eur(150) && payment.tip == Examples.eur(300))
        let attempt = try #require(payment.attempts.last)
        let tips = [99, 100, 150, 400, 500].map { attempt.tip(in: $0) }
        #expect(tips == [0, 0, 50, 300, 300])
    }

    /// A provider that says "pending" to each void, and to each look that the money is held.
    @Test("makes nobody go in circles: what was looked at, sent again and is unknown again waits longer each time")
    func circles() throws {
        var payment = try partly(then: [.voidStarted(Examples.attempt, reason: .canceled("x"))])
        var now = Examples.now
        var calls: [Int] = []
        for _ in 0..<6 {
            var made = 0
            while let next = payment.pendingEffects(capabilities: { _ in nil }, at: now).first(where: { $0.due <= now }
            ),
                made < 100
            {
                made += 1
                let answer: PaymentAnswer =
                    switch next.effect {
                    case .void: .voided(Examples.attempt, .unknown(.pending))
                    default: Self.stillHeld
                    }
                for event in payment.observe(answer, at: now) { payment.evolve(RecordedEvent(event, at: now)) }
            }
            calls.append(made)
            now = try #require(payment.nextDue)
        }
        #expect(calls.allSatisfy { $0 <= 4 }, "\(calls)")
        #expect(now >= Examples.now.adding(.days(2)))
        #expect(payment.attention.contains { if case .stillUnknown = $0 { true } else { false } })
    }

    @Test("is asked for again after a look in between: some providers tell only then that they have refused it")
    func queryInBetween() throws {
        let due = Examples.start.adding(.minutes(5))
        func events(_ reason: UnknownReason, at now: Timestamp) throws -> [String] {
            let payment = try partly(then: [
                .voidStarted(Examples.attempt, reason: .canceled("x")),
                .outcomeUnknown(.void(Examples.attempt), nextCheck: due, reason: reason),
            ])
            return payment.observe(Self.stillHeld, at: now).map(\.name)
        }
        #expect(try events(.unclear("timed out"), at: Examples.now) == ["operation.deferred"])
        #expect(try events(.pending, at: Examples.now) == ["operation.deferred"])
    }

    @Test("and an attempt whose void was refused, too, waits for its next look when a look is not answered")
    func unansweredAfterARefusal() throws {
        let payment = try Examples.payment(
            .automatic,
            [
                Examples.started, .actionRequired(Examples.attempt, CustomerAction(kind: "redirect")),
                .cancelRequested(reason: "x"),
            ] + Self.refusal)
        let events = payment.observe(.snapshot(Examples.attempt, .unknown(reason: "outage")), at: Examples.now)
        #expect(events.map(\.name) == ["operation.unknown"], "else it stays due, and is asked for without end")
    }

    @Test("of which nobody was told in all those circles of before is brought to a person at the next look")
    func circlesOfBefore() throws {
        let circle: [PaymentEvent] = [
            Examples.lost(.void(Examples.attempt)),
            .deferred(.void(Examples.attempt), until: Examples.start, reason: .notDone("not voided yet")),
        ]
        let payment = try partly(
            then: [.voidStarted(Examples.attempt, reason: .canceled("x"))] + (0..<20).flatMap { _ in circle })
        #expect(payment.attention.isEmpty)
        let events = payment.observe(.voided(Examples.attempt, .unknown(.pending)), at: Examples.now)
        #expect(events.map(\.name) == ["operation.unknown", "payment.attention_required"])
    }

    @Test("went with the last capture, so there is none to let go")
    func lastCapture() throws {
        let payment = try partly(isFinal: true)
        #expect(payment.status == .succeeded)
        #expect(throws: PaymentRefusal.capturedAlready(Examples.eur(40))) {
            try payment.decide(.cancel(reason: "x"), at: Examples.now)
        }
    }

    @Test("is not what a void of an unanswered attempt lets go, though the money turned out to be taken")
    func takenMeanwhile() throws {
        let taken = Authorization(reference: Examples.reference, amount: Examples.eur(100), isCaptured: true)
        var payment = try Examples.payment(
            .automatic,
            [
                Examples.started, Examples.lost(.attempt(Examples.attempt)),
                .voidStarted(Examples.attempt, reason: .abandoned), .authorized(Examples.attempt, taken),
            ])
        let answer = PaymentAnswer.voided(Examples.attempt, .approved(TillCore.Confirmation()))
        let events = payment.observe(answer, at: Examples.now)
        #expect(events.map(\.name) == ["operation.refused", "payment.attention_required"])
        for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
        #expect(payment.captured == Examples.eur(100) && payment.released.isZero)
    }
}
