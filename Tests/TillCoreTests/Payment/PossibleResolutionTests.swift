import Testing

@testable import TillCore

/// What a person is offered is what the payment takes.
@Suite("Possible resolutions")
struct PossibleResolutionTests {
    private typealias Examples = PaymentExamples
    private typealias Kind = AttentionResolution.Kind

    /// A refund of all that fails after it had succeeded.
    private func refundFailed() throws -> Payment {
        var payment = try Examples.payment(.automatic, Examples.back(100) + [.refunded(Examples.refund, nil)])
        var snapshot = ProviderSnapshot(
            reference: Examples.reference, standing: .authorized(Examples.authorization),
            captured: Examples.eur(100),
            refunds: [
                ProviderSnapshot.Refund(
                    reference: ProviderReference(rawValue: "re_1"), refund: Examples.refund, amount: Examples.eur(100),
                    status: .failed(Examples.decline))
            ])
        snapshot.disputes = []
        for event in payment.observe(.snapshot(Examples.attempt, .approved(snapshot)), at: Examples.now) {
            payment.evolve(RecordedEvent(event, at: Examples.now))
        }
        return payment
    }

    @Test("are those that the payment then takes, with the amount that is recorded and the largest")
    func offered() throws {
        let payment = try refundFailed()
        let offered = payment.possibleResolutions(of: 1)
        #expect(offered.map(\.kind) == [.handled, .notRefunded, .refundedElsewhere, .writtenOff])
        let back = try #require(offered.first { $0.kind == .refundedElsewhere })
        #expect(back.amount == Examples.eur(100) && back.maximum == Examples.eur(100))
        #expect(offered.filter { $0.maximum != nil }.map(\.kind) == [.refundedElsewhere])
        for kind in Kind.allCases {
            let said = AttentionResolution(kind: kind, evidence: "slip", actor: "Ada")
            let isTaken: Bool
            do {
                _ = try payment.decide(.resolve(attention: 1, said), at: Examples.now)
                isTaken = true
            } catch { isTaken = false }
            #expect(isTaken == offered.contains { $0.kind == kind }, "\(kind)")
        }
        let more = AttentionResolution(
            kind: .refundedElsewhere, amount: Examples.eur(101), evidence: "slip", actor: "Ada")
        #expect(throws: PaymentRefusal.self) {
            try payment.decide(.resolve(attention: 1, more), at: Examples.now)
        }
    }

    @Test("are none of an entry that is closed, overtaken, or not there")
    func none() throws {
        var payment = try refundFailed()
        #expect(payment.possibleResolutions(of: 2).isEmpty)
        let said = AttentionResolution(kind: .writtenOff, evidence: "slip", actor: "Ada")
        for event in try payment.decide(.resolve(attention: 1, said), at: Examples.now) {
            payment.evolve(RecordedEvent(event, at: Examples.now))
        }
        #expect(payment.possibleResolutions(of: 1).isEmpty)
    }

    @Test("are about the money that the entry names")
    func stake() throws {
        let payment = try refundFailed()
        let item = try #require(payment.openAttention.first)
        #expect(payment.stake(of: item) == Examples.eur(100))
    }
}
