import Testing
import TillCore
import TillTestSupport

/// Random commands and answers, in any order, late, twice and wrong, never break the money rules.
@Suite("Money rules hold over random histories")
struct PaymentPropertyTests {
    private typealias Examples = PaymentExamples

    private func confirmation(_ dice: inout SeededRandom) -> ProviderAnswer<TillCore.Confirmation> {
        dice.pick([
            .approved(Confirmation(reference: Examples.reference)), .declined(Examples.decline),
            .notSent(reason: "x"), .unknown(reason: "x"), .unknown(.pending),
            .requiresAction(CustomerAction(kind: "x")),
        ])
    }

    private func answer(for payment: Payment, _ dice: inout SeededRandom) -> PaymentAnswer {
        let attempt = AttemptID(rawValue: "pay_x-a\(Int.random(in: 1...max(1, payment.attempts.count), using: &dice))")
        let amount = Examples.eur(dice.pick([1, 40, 99, 100, 100, 100, 101, 0, -5]))
        let authorization = Authorization(
            reference: Examples.reference, amount: amount, isCaptured: dice.pick([false, false, true]))
        switch Int.random(in: 0..<8, using: &dice) {
        case 7: return .holdEnds(attempt)
        case 0: return .prepared(attempt, confirmation(&dice))
        case 1, 2:
            return .authorized(
                attempt,
                dice.pick([
                    .approved(authorization), .approved(Examples.authorization), .declined(Examples.decline),
                    .unknown(reason: "x"), .notSent(reason: "x"), .requiresAction(CustomerAction(kind: "x")),
                ]))
        case 3:
            let id = payment.captures.last?.id ?? Examples.capture
            return .captured(id, confirmation(&dice))
        case 4: return .voided(attempt, confirmation(&dice))
        case 5:
            return .refunded(
                payment.refunds.isEmpty ? Examples.refund : dice.pick(payment.refunds).id, confirmation(&dice))
        default:
            let standing: ProviderSnapshot.Standing = dice.pick([
                .notFound, .unconfirmed, .processing, .voided, .authorized(authorization),
                .authorized(Examples.authorization), .declined(Examples.decline),
                .requiresAction(CustomerAction(kind: "x")), .continuable, .authorized(Examples.renewed),
            ])
            return .snapshot(
                attempt,
                .approved(
                    ProviderSnapshot(
                        reference: Examples.reference, standing: standing,
                        captured: Examples.eur(dice.pick([0, 0, 40, 100, 1000, -3])),
                        refunds: payment.refunds.map { refund in
                            ProviderSnapshot.Refund(
                                reference: Examples.reference, refund: refund.id, amount: refund.amount,
                                status: dice.pick([.pending, .succeeded, .failed(Examples.decline)]))
                        })))
        }
    }

    private func command(_ dice: inout SeededRandom) -> PaymentCommand {
        let amount = dice.pick([nil, 1, 40, 60, 100, 101, 0, -1, .max, .min] as [Int64?]).map { Examples.eur($0) }
        return dice.pick([
            .attempt(provider: .sandbox, tender: Examples.tender),
            .attempt(provider: .sandbox, tender: Examples.tender),
            .capture(amount, isFinal: Bool.random(using: &dice)), .refund(amount, reason: nil), .cancel(reason: "x"),
            .renew(honorPeriod: .seconds(60)),
        ])
    }

    private func check(_ payment: Payment) -> String? {
        if let broken = payment.broken { return broken.description }
        for attempt in payment.attempts {
            let taken = payment.captures.filter {
                $0.attempt == attempt.id && ($0.state.isSucceeded || $0.state.isOpen)
            }
            .map(\.amount.minorUnits).reduce(Int64(0), +)
            if taken > attempt.amount.minorUnits { return "captured \(taken) of \(attempt.amount)" }
            if let authorization = attempt.authorization, taken > authorization.amount.minorUnits {
                return "captured \(taken) of an authorized \(authorization.amount)"
            }
        }
        if payment.captured.minorUnits > payment.amount.minorUnits { return "captured more than the order" }
        if payment.refundedOrPending.minorUnits > payment.captured.minorUnits { return "refunded more than captured" }
        let live = payment.attempts.filter { $0.isUndecided || $0.authorization != nil }
        if live.count > 1 { return "\(live.count) attempts are undecided or hold money" }
        if payment.isCanceled, payment.captured.minorUnits > payment.refunded.minorUnits {
            return "canceled with money"
        }
        if payment.renewals.count(where: { $0.state.isSucceeded }) > payment.attempts.count { return "renewed twice" }
        if payment.renewals.contains(where: { $0.state.isOpen }), payment.captures.contains(where: { $0.state.isOpen })
        {
            return "captured while being renewed"
        }
        if payment.attempts.contains(where: {
            $0.continuation?.state.isOpen == true && !$0.isUndecided && $0.void == nil
        }) {
            return "an open continuation of what is decided"
        }
        if (payment.captures.map(\.amount) + payment.refunds.map(\.amount)).contains(where: { !$0.isPositive }) {
            return "an amount that is not above zero"
        }
        return nil
    }

    @Test(
        "captured ≤ authorized, refunds ≤ captured, one live attempt, canceled is without money",
        arguments: UInt64(0)..<8)
    func invariants(seed: UInt64) throws {
        var dice = SeededRandom(seed: seed)
        for _ in 0..<250 {
            var history = [RecordedEvent]()
            var payment = try Examples.created(dice.pick([.automatic, .manual]))
            let created = payment
            var now = Examples.start
            for _ in 0..<40 {
                now = now.adding(.seconds(dice.pick([0, 1, 60, 4000, 90_000])))
                let events =
                    Bool.random(using: &dice)
                    ? (try? payment.decide(command(&dice), at: now)) ?? []
                    : payment.observe(answer(for: payment, &dice), at: now)
                for event in events {
                    payment.evolve(RecordedEvent(event, at: now))
                    history.append(RecordedEvent(event, at: now))
                }
                if let broken = check(payment) {
                    Issue.record("\(broken); after \(history.map(\.event.name))")
                    return
                }
            }
            var folded = created
            for record in history { folded.evolve(record) }
            #expect(folded == payment)
            #expect(payment.version == history.count + 1)
        }
    }
}

extension SeededRandom {
    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
