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
                    snapshot(
                        of: payment, &dice, standing: standing,
                        captured: Examples.eur(dice.pick([0, 0, 40, 100, 1000, -3])),
                        refunds: payment.refunds.map { refund in
                            ProviderSnapshot.Refund(
                                reference: ProviderReference(rawValue: "re_\(refund.id)"),
                                refund: refund.origin == .till ? refund.id : nil, amount: refund.amount,
                                status: dice.pick([.pending, .succeeded, .failed(Examples.decline)]))
                        })))
        }
    }

    /// With what others have done at the provider, and what came to nothing later.
    private func snapshot(
        of payment: Payment, _ dice: inout SeededRandom, standing: ProviderSnapshot.Standing, captured: Money,
        refunds: [ProviderSnapshot.Refund]
    ) -> ProviderSnapshot {
        var snapshot = ProviderSnapshot(
            reference: Examples.reference, standing: standing, captured: captured, refunds: refunds)
        if dice.pick([true, false, false]) {
            snapshot.refunds.append(
                ProviderSnapshot.Refund(
                    reference: ProviderReference(rawValue: "re_other_\(dice.pick([1, 2, 3]))"), refund: nil,
                    amount: Examples.eur(dice.pick([1, 40, 100, 1000, 0, -1])),
                    status: dice.pick([.pending, .succeeded, .failed(Examples.decline)])))
        }
        if let capture = payment.captures.last, dice.pick([true, false, false]) {
            snapshot.failedCaptures = [
                ProviderSnapshot.FailedCapture(reference: nil, capture: capture.id, decline: Examples.decline)
            ]
        }
        if dice.pick([true, false, false]) {
            var facts = Examples.dispute
            facts.reference = ProviderReference(rawValue: "dp_\(dice.pick([1, 2]))")
            facts.stage = dice.pick(["needs_response", "under_review"])
            snapshot.disputes = [
                ProviderSnapshot.Dispute(
                    facts: facts, withdrawn: Examples.eur(dice.pick([0, 40, 100, -1])),
                    outcome: dice.pick([nil, .won, .lost, .closed]))
            ]
        }
        return snapshot
    }

    private func command(_ dice: inout SeededRandom) -> PaymentCommand {
        let amount = dice.pick([nil, 1, 40, 60, 100, 101, 0, -1, .max, .min] as [Int64?]).map { Examples.eur($0) }
        return dice.pick([
            .attempt(provider: .sandbox, tender: Examples.tender),
            .attempt(provider: .sandbox, tender: Examples.tender),
            .capture(amount, isFinal: Bool.random(using: &dice)), .refund(amount, reason: nil), .cancel(reason: "x"),
            .renew(honorPeriod: .seconds(60)), .abandon(Examples.attempt),
            .resolve(
                attention: dice.pick([1, 2, 3]),
                AttentionResolution(
                    kind: dice.pick(AttentionResolution.Kind.allCases), amount: amount, evidence: "slip 4711",
                    actor: "Ada")),
        ])
    }

    private func check(_ payment: Payment) -> String? {
        if let broken = payment.broken { return broken.description }
        for attempt in payment.attempts {
            let taken = payment.captures.filter {
                $0.origin == .till && $0.attempt == attempt.id && ($0.state.isSucceeded || $0.state.isOpen)
            }
            .map(\.amount.minorUnits).reduce(Int64(0), +)
            if taken > attempt.amount.minorUnits { return "captured \(taken) of \(attempt.amount)" }
            if let authorization = attempt.authorization, taken > authorization.amount.minorUnits {
                return "captured \(taken) of an authorized \(authorization.amount)"
            }
        }
        // What others do, and what comes to nothing later, is as it is; what Till asks for keeps to its limits.
        func units(_ amounts: [Money]) -> Int64 { amounts.map(\.minorUnits).reduce(0, +) }
        let own = units(payment.captures.filter { $0.origin == .till && $0.state.isSucceeded }.map(\.amount))
        if own > payment.amount.minorUnits { return "captured more than the order" }
        let ever = units(payment.captures.filter { $0.state.isSucceeded || $0.state.isReversed }.map(\.amount))
        let back = units(
            payment.refunds.filter { $0.origin == .till && ($0.state.isSucceeded || $0.state.isOpen) }.map(\.amount))
        if back > ever { return "refunded more than captured" }
        if payment.disputes.contains(where: { $0.withdrawn.isNegative }) { return "more returned than withdrawn" }
        if Set(payment.disputes.map(\.facts.reference)).count != payment.disputes.count { return "a dispute twice" }
        if payment.refundDue.isNegative { return "less than nothing is owed" }
        let live = payment.attempts.filter { $0.isUndecided || $0.authorization != nil }
        if live.count > 1 { return "\(live.count) attempts are undecided or hold money" }
        // A provider may restore a capture that had failed, also after the payment was canceled: a person is notified.
        let restored = payment.captures.filter { capture in
            capture.state.isSucceeded
                && payment.attentionItems.contains {
                    $0.operation == .capture(capture.id) && $0.attention == .unwantedCapture(capture.amount)
                }
        }
        if payment.isCanceled, own > payment.refunded.minorUnits + units(restored.map(\.amount)) {
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
