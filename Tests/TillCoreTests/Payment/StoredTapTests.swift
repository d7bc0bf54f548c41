import Testing
import TillCore

/// What a stored card means to a payment: every command and every answer, decided on purpose.
@Suite("A payment whose card is stored offline")
struct StoredTapTests {
    private typealias Examples = PaymentExamples
    private static let tap = StoredTap(
        record: ProviderReference(rawValue: "off.log.7.00"), storedAt: Examples.start,
        expires: Examples.start.adding(.hours(24)))
    private static let stored: [PaymentEvent] = [Examples.started, .attemptStored(Examples.attempt, tap)]

    private func payment(_ more: [PaymentEvent] = []) throws -> Payment {
        try Examples.payment(.automatic, Self.stored + more)
    }

    private func names(_ payment: Payment, _ answer: PaymentAnswer, after span: Span = .seconds(1)) -> [String] {
        payment.observe(answer, at: Examples.start.adding(span)).map(\.name)
    }

    private func seen(_ standing: ProviderSnapshot.Standing, _ captured: Int64 = 0) -> PaymentAnswer {
        .snapshot(
            Examples.attempt,
            .approved(
                ProviderSnapshot(
                    reference: Examples.reference, standing: standing, captured: Examples.eur(captured))))
    }

    @Test func itIsNeitherPaidNorFree() throws {
        let payment = try payment()
        #expect(payment.status == .stored)
        #expect(payment.isLive && payment.captured.isZero && payment.moneyMoved == .unknown)
        #expect(payment.currentAttempt?.reference == Self.tap.record)
        #expect(throws: PaymentRefusal.outcomeOpen(.stored)) {
            try payment.decide(.attempt(provider: .sandbox, tender: Examples.tender), at: Examples.now)
        }
        #expect(throws: PaymentRefusal.self) { try payment.decide(.capture(nil, isFinal: true), at: Examples.now) }
        #expect(throws: PaymentRefusal.nothingToRefund) {
            try payment.decide(.refund(nil, reason: nil), at: Examples.now)
        }
        #expect(
            try payment.decide(.cancel(reason: "x"), at: Examples.now).map(\.name)
                == ["payment.cancel_requested", "void.started"])
    }

    @Test func theEngineOnlyMindsItsEnd() throws {
        let payment = try payment()
        #expect(payment.nextDue == Self.tap.expires)
        #expect(names(payment, seen(.stored(Self.tap))) == [])
        #expect(names(payment, seen(.stored(Self.tap)), after: .hours(24)) == ["payment.attention_required"])
        let warned = try self.payment([
            .attentionRequired(.attempt(Examples.attempt), .tapOverdue(expires: Self.tap.expires))
        ])
        #expect(warned.nextDue == nil)
        #expect(names(warned, seen(.stored(Self.tap)), after: .hours(25)) == [])
    }

    @Test func theProvidersDecisionSettlesIt() throws {
        let payment = try payment()
        var taken = Examples.authorization
        taken.isCaptured = true
        #expect(names(payment, seen(.authorized(taken), 100)) == ["attempt.authorized"])
        var after = payment
        for event in payment.observe(seen(.authorized(taken), 100), at: Examples.now) {
            after.evolve(RecordedEvent(event, at: Examples.now))
        }
        #expect(after.status == .succeeded && after.captured == Examples.eur(100))
        #expect(names(payment, seen(.declined(Examples.decline))) == ["attempt.declined"])
        #expect(names(payment, seen(.voided)) == ["void.succeeded"])
    }

    @Test func whatNobodyCanFindIsUnknownAndNotFree() throws {
        let lost = PaymentAnswer.snapshot(Examples.attempt, .unknown(reason: "not in the log"))
        #expect(names(try payment(), lost) == ["operation.unknown"])
        let unknown = try payment([Examples.lost(.attempt(Examples.attempt))])
        #expect(unknown.status == .unknown)
        #expect(names(unknown, seen(.stored(Self.tap))) == ["attempt.stored"])
    }

    @Test func aStoredAnswerIsTakenOnceAndOnlyWhileTheAttemptIsOpen() throws {
        let answer = PaymentAnswer.authorized(Examples.attempt, .stored(Self.tap))
        #expect(names(try Examples.payment(.automatic, [Examples.started]), answer) == ["attempt.stored"])
        #expect(names(try payment(), answer) == [])
        let closed: [[PaymentEvent]] = [
            [.attemptDeclined(Examples.attempt, Examples.decline)], [.voided(Examples.attempt)],
            [.attemptNotSent(Examples.attempt, reason: "x")], [.authorized(Examples.attempt, Examples.authorization)],
        ]
        for events in closed {
            #expect(names(try Examples.payment(.automatic, [Examples.started] + events), answer) == [])
        }
    }

    @Test func storedAfterTheShopHasCanceledItIsLetGo() throws {
        let canceling = try Examples.payment(.automatic, [Examples.started, .cancelRequested(reason: "x")])
        #expect(
            names(canceling, .authorized(Examples.attempt, .stored(Self.tap))) == ["attempt.stored", "void.started"])
        let refused = try payment([
            .cancelRequested(reason: "x"), .voidStarted(Examples.attempt, reason: .canceled("x")),
            .refused(.void(Examples.attempt), Examples.decline),
        ])
        var taken = Examples.authorization
        taken.isCaptured = true
        #expect(names(refused, seen(.authorized(taken), 100)) == ["attempt.authorized", "refund.started"])
        #expect(names(refused, seen(.declined(Examples.decline))) == ["attempt.declined", "payment.canceled"])
    }
}
