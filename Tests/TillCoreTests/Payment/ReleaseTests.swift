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

    @Test("is let go, the captured part stays, and the payment is paid and not canceled")
    func released() throws {
        let payment = try partly(then: [.voidStarted(Examples.attempt, reason: "x"), .voided(Examples.attempt)])
        #expect(payment.status == .succeeded && !payment.isCanceled && payment.isLive)
        #expect(payment.captured == Examples.eur(40) && payment.released == Examples.eur(60))
        #expect(payment.authorizedMinorUnits == 40)
        #expect(payment.currentAttempt?.approved == Examples.eur(100), "the issuer approved all of it")
        #expect(payment.nextDue == nil)
    }

    @Test("is still held while nobody knows whether it was let go, and nothing of it can be taken meanwhile")
    func releasing() throws {
        let payment = try partly(then: [.voidStarted(Examples.attempt, reason: "x")])
        #expect(payment.status == .partiallyCaptured && payment.released.isZero)
        #expect(payment.authorizedMinorUnits == 100)
        #expect(payment.nextDue != nil)
        #expect(throws: PaymentRefusal.operationInProgress("void")) {
            try payment.decide(.capture(nil, isFinal: true), at: Examples.now)
        }
    }

    @Test("stays and can be taken when the provider refuses to let it go")
    func refused() throws {
        let payment = try partly(
            then: [.voidStarted(Examples.attempt, reason: "x"), .refused(.void(Examples.attempt), Examples.decline)])
        #expect(payment.status == .partiallyCaptured && payment.released.isZero)
        #expect(try payment.decide(.capture(nil, isFinal: true), at: Examples.now).map(\.name) == ["capture.started"])
        #expect(try payment.decide(.cancel(reason: "x"), at: Examples.now).map(\.name) == ["void.started"])
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
                .voidStarted(Examples.attempt, reason: "abandoned"), .authorized(Examples.attempt, taken),
            ])
        let answer = PaymentAnswer.voided(Examples.attempt, .approved(TillCore.Confirmation()))
        let events = payment.observe(answer, at: Examples.now)
        #expect(events.map(\.name) == ["operation.refused", "payment.attention_required"])
        for event in events { payment.evolve(RecordedEvent(event, at: Examples.now)) }
        #expect(payment.captured == Examples.eur(100) && payment.released.isZero)
    }
}
