import Testing

@testable import TillCore

@Suite("After the sale")
struct AfterSaleTests {
    private typealias Examples = PaymentExamples
    private static let now = Examples.now

    /// Takes in an answer, and says what was written.
    private func take(_ snapshot: ProviderSnapshot, _ payment: inout Payment, at now: Timestamp = now) -> [String] {
        let events = payment.observe(.snapshot(Examples.attempt, .approved(snapshot)), at: now)
        for event in events { payment.evolve(RecordedEvent(event, at: now)) }
        return events.map(\.name)
    }

    private func seen(
        captured: Int64 = 100, refunds: [ProviderSnapshot.Refund] = [], disputes: [ProviderSnapshot.Dispute] = []
    ) -> ProviderSnapshot {
        var snapshot = ProviderSnapshot(
            reference: Examples.reference, standing: .authorized(Examples.authorization),
            captured: Examples.eur(captured), refunds: refunds)
        snapshot.disputes = disputes
        return snapshot
    }

    private func refund(
        _ status: ProviderSnapshot.Refund.Status, _ name: RefundID? = Examples.refund, of units: Int64 = 100
    ) -> ProviderSnapshot.Refund {
        ProviderSnapshot.Refund(
            reference: name == nil ? Examples.other : ProviderReference(rawValue: "re_1"), refund: name,
            amount: Examples.eur(units), status: status)
    }

    private func resolution(_ kind: AttentionResolution.Kind, _ amount: Int64? = nil) -> AttentionResolution {
        AttentionResolution(kind: kind, amount: amount.map { Examples.eur($0) }, evidence: "slip 4711", actor: "Ada")
    }

    @Test("A capture refused because others captured, and one beside which more is captured, ask what was captured")
    func capturedElsewhere() throws {
        let asked = Examples.eur(40)
        func capturing() throws -> Payment {
            var payment = try Examples.payment(.manual, Examples.held)
            for event in try payment.decide(.capture(asked, isFinal: true), at: Self.now) {
                payment.evolve(RecordedEvent(event, at: Self.now))
            }
            return payment
        }
        var payment = try capturing()
        let id = try #require(payment.captures.last?.id)
        let refused = payment.observe(.captured(id, .declined(.capturedElsewhere(Examples.eur(60)))), at: Self.now)
        #expect(refused.last == .queryRequested(Examples.attempt, due: Self.now))
        for event in refused { payment.evolve(RecordedEvent(event, at: Self.now)) }
        _ = take(seen(captured: 60), &payment)
        #expect(payment.captured == Examples.eur(60) && payment.requestedQuery == nil)

        payment = try capturing()
        let names = take(seen(captured: 60), &payment)
        #expect(names.contains("query.requested") && payment.captured == asked)
        _ = take(seen(captured: 60), &payment)
        #expect(payment.captured == Examples.eur(60) && payment.requestedQuery == nil)
    }

    @Test("of an attempt whose end is not known only what was captured counts as captured, and the hold is the whole")
    func capturedInPart() throws {
        func seen(_ captured: Int64) -> PaymentAnswer {
            var authorization = PaymentExamples.authorization
            authorization.isCaptured = true
            return .snapshot(
                PaymentExamples.attempt,
                .approved(
                    ProviderSnapshot(
                        reference: PaymentExamples.reference, standing: .authorized(authorization),
                        captured: PaymentExamples.eur(captured))))
        }
        for mode in [CaptureMode.manual, .automatic] {
            var payment = try PaymentExamples.payment(mode, [PaymentExamples.started])
            for event in payment.observe(seen(30), at: PaymentExamples.now) {
                payment.evolve(RecordedEvent(event, at: PaymentExamples.now))
            }
            #expect(payment.captured == PaymentExamples.eur(30))
            #expect(payment.attempts.first?.authorization?.amount == PaymentExamples.eur(100))
            #expect(payment.status == .partiallyCaptured && payment.broken == nil)
            #expect(payment.observe(seen(30), at: PaymentExamples.now).isEmpty)
        }
        let whole = try PaymentExamples.payment(.manual, [PaymentExamples.started])
        #expect(whole.observe(seen(100), at: PaymentExamples.now).map(\.name) == ["attempt.authorized"])
        let unwanted = try PaymentExamples.payment(.manual, [PaymentExamples.started, .cancelRequested(reason: "x")])
        #expect(
            unwanted.observe(seen(30), at: PaymentExamples.now).map(\.name) == [
                "attempt.authorized", "capture.reported", "payment.attention_required",
            ])
    }

    @Test("a refund that fails later blocks its order again, is owed to the customer, and can be made again")
    func refundFailsLater() throws {
        var payment = try Examples.payment(.automatic, Examples.back(100) + [.refunded(Examples.refund, nil)])
        #expect(!payment.isLive && payment.status == .refunded)
        let failed = seen(refunds: [refund(.failed(Examples.decline))])
        #expect(take(failed, &payment) == ["refund.failed", "payment.attention_required"])
        #expect(payment.isLive && payment.status == .succeeded && payment.refunded.isZero)
        #expect(payment.refundDue == Examples.eur(100))
        #expect(payment.openAttention.map(\.attention) == [.refundReversed(Examples.eur(100))])
        #expect(take(failed, &payment).isEmpty, "the same twice is nothing")
        let again = try payment.decide(.refund(nil, reason: nil), at: Self.now)
        #expect(again.map(\.name) == ["refund.started"])
        for event in again + [.refunded(RefundID(rawValue: "pay_x-r2"), nil)] {
            payment.evolve(RecordedEvent(event, at: Self.now))
        }
        #expect(payment.status == .refunded && payment.refundDue.isZero && payment.openAttention.isEmpty)
        #expect(payment.broken == nil)
    }

    @Test("a limit of what is given back counts what is under way, so two refunds at once do not exceed it")
    func refundLimit() throws {
        let payment = try Examples.payment(.automatic, Examples.back(30))
        #expect(throws: PaymentRefusal.refundExceedsLimit(asked: Examples.eur(30), limit: Examples.eur(59))) {
            try payment.decide(.refund(Examples.eur(30), reason: nil, total: Examples.eur(59)), at: Self.now)
        }
        let allowed = try payment.decide(.refund(Examples.eur(30), reason: nil, total: Examples.eur(60)), at: Self.now)
        #expect(allowed.map(\.name) == ["refund.started"])
    }

    @Test("a refund by others is written once, whoever names it, and what Till may refund is less by it")
    func dashboardRefund() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        let other = seen(refunds: [refund(.succeeded, nil, of: 60)])
        #expect(take(other, &payment) == ["refund.reported"])
        #expect(take(other, &payment).isEmpty)
        #expect(payment.refunded == Examples.eur(60) && payment.refundable == Examples.eur(40))
        #expect(payment.status == .partiallyRefunded)
        #expect(throws: PaymentRefusal.refundExceedsCaptured(asked: Examples.eur(41), left: Examples.eur(40))) {
            try payment.decide(.refund(Examples.eur(41), reason: nil), at: Self.now)
        }
        let failed = seen(refunds: [refund(.failed(Examples.decline), nil, of: 60)])
        #expect(take(failed, &payment) == ["refund.failed", "payment.attention_required"])
        #expect(payment.refundable == Examples.eur(100))
    }

    @Test("a refund that others have begun is queried, never sent, and settled as the provider says")
    func dashboardRefundPending() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        #expect(take(seen(refunds: [refund(.pending, nil)]), &payment) == ["refund.reported", "operation.unknown"])
        #expect(payment.refunded.isZero && payment.refundable.isZero)
        let far = Self.now.adding(.days(400))
        let pending = payment.pendingEffects(capabilities: { _ in nil }, at: far)
        #expect(pending.map(\.effect) == [.query(Examples.attempt)])
        #expect(take(seen(refunds: [refund(.succeeded, nil)]), &payment, at: far) == ["refund.succeeded"])
        #expect(payment.status == .refunded && payment.nextDue == nil && payment.broken == nil)
    }

    @Test("one of Till's own refunds whose name the provider has not told yet is not taken for another's")
    func ownRefundWithoutName() throws {
        var payment = try Examples.payment(.automatic, Examples.back(100))
        #expect(take(seen(refunds: [refund(.succeeded, nil)]), &payment) == ["operation.deferred"])
        #expect(payment.refunds.count == 1)
    }

    @Test("money captured by others is captured; of a canceled payment a person is told, and the order is blocked")
    func dashboardCapture() throws {
        var held = try Examples.payment(.manual, Examples.held)
        #expect(take(seen(), &held) == ["capture.reported"])
        #expect(held.status == .succeeded && held.captured == Examples.eur(100) && held.held.isZero)
        #expect(take(seen(), &held).isEmpty)
        var canceled = try Examples.payment(
            .manual,
            Examples.held + [
                .cancelRequested(reason: "x"), .voidStarted(Examples.attempt, reason: .canceled("x")),
                .voided(Examples.attempt), .canceled,
            ])
        #expect(take(seen(), &canceled) == ["capture.reported", "payment.attention_required"])
        #expect(canceled.status == .succeeded && canceled.isLive && canceled.broken == nil)
        #expect(canceled.openAttention.map(\.attention) == [.unwantedCapture(Examples.eur(100))])
    }

    @Test("a capture that fails later is not money, is told to a person, and counts again when it is made good")
    func captureFailsLater() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        var failed = seen(captured: 0)
        failed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: nil, capture: Examples.capture, decline: Examples.decline)
        ]
        #expect(take(failed, &payment) == ["capture.failed", "payment.attention_required"])
        #expect(payment.captured.isZero && payment.isLive && payment.refundable.isZero)
        #expect(payment.status == .captureFailed && payment.held.isZero, "what failed is not held")
        #expect(take(failed, &payment).isEmpty)
        let end = Examples.start.adding(.days(8))
        #expect(payment.pendingEffects(capabilities: { _ in nil }, at: end).isEmpty, "the hold is not voided by itself")
        #expect(take(seen(), &payment) == ["capture.restored"])
        #expect(payment.captured == Examples.eur(100) && payment.openAttention.isEmpty && payment.broken == nil)
    }

    @Test("a capture that failed can be canceled, so that its order is free, also where the provider refuses a void")
    func captureFailedIsCanceled() throws {
        var failed = seen(captured: 0)
        failed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: nil, capture: Examples.capture, decline: Examples.decline)
        ]
        var payment = try Examples.payment(.automatic, Examples.taken)
        #expect(take(failed, &payment) == ["capture.failed", "payment.attention_required"])
        var voided = payment
        func follow(_ events: [PaymentEvent], _ payment: inout Payment) {
            for event in events { payment.evolve(RecordedEvent(event, at: Self.now)) }
        }
        follow(try voided.decide(.cancel(reason: "x"), at: Self.now), &voided)
        #expect(voided.isLive)
        let done = PaymentAnswer.voided(Examples.attempt, .approved(Confirmation(reference: nil)))
        follow(voided.observe(done, at: Self.now), &voided)
        #expect(voided.status == .canceled && !voided.isLive && voided.broken == nil)
        // Refused: it may be held, gone or collected again, so it is queried.
        follow(try payment.decide(.cancel(reason: "x"), at: Self.now), &payment)
        let refused = payment.observe(.voided(Examples.attempt, .declined(Examples.decline)), at: Self.now)
        #expect(refused.contains { if case .queryRequested = $0 { true } else { false } })
        follow(refused, &payment)
        var gone = seen(captured: 0)
        gone.standing = .declined(Examples.decline)
        #expect(take(gone, &payment).contains("attempt.expired"))
        #expect(payment.status == .canceled && !payment.isLive && payment.broken == nil)
    }

    @Test("what failed, was canceled and is collected again is told to the person who canceled it")
    func collectedAfterCancel() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        var failed = seen(captured: 0)
        failed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: nil, capture: Examples.capture, decline: Examples.decline)
        ]
        #expect(take(failed, &payment) == ["capture.failed", "payment.attention_required"])
        payment.evolve(RecordedEvent(.cancelRequested(reason: "x"), at: Self.now))
        #expect(take(seen(), &payment) == ["capture.restored", "payment.attention_required"])
        #expect(payment.openAttention.map(\.attention) == [.unwantedCapture(Examples.eur(100))])
        #expect(take(seen(), &payment).isEmpty)
    }

    @Test("a sale in one message has no name for its capture: what fails later is that one, once")
    func saleInOneMessageFailsLater() throws {
        var authorization = Examples.authorization
        authorization.isCaptured = true
        var payment = try Examples.payment(
            .automatic, [Examples.started, .authorized(Examples.attempt, authorization)])
        #expect(payment.captured == Examples.eur(100))
        var failed = seen(captured: 0)
        failed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: ProviderReference(rawValue: "cap_9"), decline: Examples.decline)
        ]
        failed.standing = .authorized(authorization)
        #expect(take(failed, &payment) == ["capture.failed", "payment.attention_required"])
        #expect(payment.captured.isZero && payment.broken == nil)
        #expect(payment.status == .captureFailed && payment.isLive, "the provider may collect again by itself")
        #expect(payment.openAttention.map(\.attention) == [.captureReversed(Examples.eur(100))])
        #expect(take(failed, &payment).isEmpty, "the same twice is nothing")
        var again = payment
        #expect(take(seen(), &again) == ["capture.restored"])
        #expect(again.status == .succeeded && again.openAttention.isEmpty)
        // Or the provider says that it is over: its order is free, and somebody still looks at it until it is canceled.
        var over = payment
        var declined = failed
        declined.standing = .declined(Examples.decline)
        #expect(take(declined, &over) == ["attempt.expired"])
        #expect(over.status == .captureFailed && !over.isLive && over.broken == nil)
        #expect(over.openAttention.map(\.attention) == [.captureReversed(Examples.eur(100))])
        for event in try over.decide(.cancel(reason: "x"), at: Self.now) {
            over.evolve(RecordedEvent(event, at: Self.now))
        }
        #expect(over.status == .canceled && over.openAttention.isEmpty)
        // Or a void was tried, and the provider still has nothing.
        for event in try payment.decide(.cancel(reason: "x"), at: Self.now) {
            payment.evolve(RecordedEvent(event, at: Self.now))
        }
        #expect(payment.isLive)
        for event in payment.observe(.voided(Examples.attempt, .declined(Examples.decline)), at: Self.now) {
            payment.evolve(RecordedEvent(event, at: Self.now))
        }
        #expect(take(failed, &payment).contains("attempt.expired"))
        #expect(payment.status == .canceled && !payment.isLive && payment.broken == nil)
        #expect(take(seen(), &payment) == ["capture.restored", "payment.attention_required"])
        #expect(payment.status == .succeeded && payment.isLive && payment.broken == nil)
    }

    @Test("what others captured and what failed afterwards is not held either")
    func capturedByOthersFails() throws {
        var held = try Examples.payment(.manual, Examples.held)
        #expect(take(seen(), &held) == ["capture.reported"])
        var failed = seen(captured: 0)
        failed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: seen().reference, decline: Examples.decline)
        ]
        #expect(take(failed, &held) == ["capture.failed", "payment.attention_required"])
        #expect(held.status == .captureFailed && held.held.isZero && held.broken == nil)
    }

    @Test("a capture with another name than the one that failed is left as it is")
    func otherCaptureFails() throws {
        var payment = try Examples.payment(
            .automatic,
            Examples.held + [
                .captureStarted(Examples.capture, Examples.attempt, Examples.eur(100), isFinal: true),
                .captured(Examples.capture, ProviderReference(rawValue: "cap_1")),
            ])
        var failed = seen()
        failed.failedCaptures = [
            ProviderSnapshot.FailedCapture(reference: ProviderReference(rawValue: "cap_9"), decline: Examples.decline)
        ]
        #expect(take(failed, &payment).isEmpty)
        #expect(payment.captured == Examples.eur(100))
    }

    @Test("of several captures without a name those fail whose amounts are missing at the provider")
    func namelessCapturesFail() throws {
        func parts(_ units: [Int64]) throws -> Payment {
            var events = Examples.held
            for (index, amount) in units.enumerated() {
                let id = CaptureID(rawValue: "pay_x-c\(index + 1)")
                let started = PaymentEvent.captureStarted(id, Examples.attempt, Examples.eur(amount), isFinal: false)
                events += [started, .captured(id, nil)]
            }
            return try Examples.payment(.manual, events)
        }
        func failed(_ names: [String], left: Int64) -> ProviderSnapshot {
            var snapshot = seen(captured: left)
            snapshot.failedCaptures = names.map {
                ProviderSnapshot.FailedCapture(
                    reference: ProviderReference(rawValue: $0), decline: Examples.decline)
            }
            return snapshot
        }
        let once = ["capture.failed", "payment.attention_required"]
        var two = try parts([60, 40])
        #expect(take(failed(["cap_8"], left: 100), &two).isEmpty, "all of it is there")
        #expect(take(failed(["cap_9"], left: 60), &two) == once)
        #expect(two.captured == Examples.eur(60) && two.captures.map(\.state.isSucceeded) == [true, false])
        #expect(take(failed(["cap_9"], left: 60), &two).isEmpty, "the same twice is nothing")
        #expect(take(failed(["cap_9", "cap_8"], left: 0), &two) == once)
        #expect(two.captured.isZero && two.broken == nil)
        var three = try parts([50, 30, 20])
        #expect(take(failed(["cap_7", "cap_9"], left: 30), &three) == once + once)
        #expect(three.captures.map(\.state.isSucceeded) == [false, true, false] && three.broken == nil)
        #expect(take(failed(["cap_7", "cap_9"], left: 29), &three).isEmpty, "no capture is as small as the rest")
        let sale = ProviderReference(rawValue: "sale")
        let first = ProviderReference(rawValue: "cap_1")
        let ids = [CaptureID(rawValue: "pay_x-c1"), CaptureID(rawValue: "pay_x-c2")]
        for second in [sale, ProviderReference(rawValue: "cap_2")] {
            var named = try Examples.payment(
                .manual,
                Examples.held + [
                    .captureStarted(ids[0], Examples.attempt, Examples.eur(50), isFinal: false),
                    .captured(ids[0], first),
                    .captureStarted(ids[1], Examples.attempt, Examples.eur(50), isFinal: false),
                    .captured(ids[1], second),
                ])
            var after = failed(["cap_9"], left: 50)
            after.reference = sale
            #expect(take(after, &named) == once)
            let last = named.captures[1]
            #expect(last.state.isSucceeded == (second != sale) && named.captured == Examples.eur(50))
        }
    }

    @Test("a dispute that the provider lists as a refund, too, is counted once, whichever was seen first")
    func disputeListedAsRefund() throws {
        let twice = ProviderSnapshot.Dispute(
            facts: Examples.dispute, withdrawn: Examples.eur(100), refunds: [Examples.other])
        let listed = refund(.succeeded, nil)
        var payment = try Examples.payment(.automatic, Examples.taken)
        var other = payment
        #expect(take(seen(refunds: [listed]), &payment) == ["refund.reported"])
        let names = take(seen(refunds: [listed], disputes: [twice]), &payment)
        #expect(names == ["refund.failed", "dispute.opened", "payment.attention_required", "dispute.funds_withdrawn"])
        #expect(take(seen(refunds: [listed], disputes: [twice]), &other).contains("dispute.funds_withdrawn"))
        for payment in [payment, other] {
            #expect(payment.refunded.isZero && payment.disputed == Examples.eur(100) && payment.net.isZero)
            #expect(payment.refundDue.isZero && payment.openAttention.count == 1 && payment.broken == nil)
        }
        #expect(take(seen(refunds: [listed], disputes: [twice]), &payment).isEmpty)
        #expect(take(seen(refunds: [listed], disputes: [twice]), &other).isEmpty)
        // It turns out to be money of its own after all.
        var apart = twice
        apart.refunds = []
        #expect(take(seen(refunds: [listed], disputes: [apart]), &payment).contains("refund.succeeded"))
        #expect(take(seen(refunds: [listed], disputes: [apart]), &other).contains("refund.reported"))
        for payment in [payment, other] {
            #expect(payment.refunded == Examples.eur(100) && payment.net == Examples.eur(-100) && payment.broken == nil)
        }
    }

    @Test("what a webhook told of a dispute takes nothing back of what was read, and opens nothing again")
    func told() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        func dispute(_ units: Int64, _ outcome: Dispute.Outcome?, isTold: Bool = true) -> ProviderSnapshot {
            seen(disputes: [
                ProviderSnapshot.Dispute(
                    facts: Examples.dispute, withdrawn: Examples.eur(units), outcome: outcome, isTold: isTold)
            ])
        }
        #expect(take(dispute(100, nil), &payment).contains("dispute.funds_withdrawn"), "nobody else tells")
        #expect(take(dispute(0, nil), &payment).isEmpty)
        #expect(take(dispute(100, .lost), &payment) == ["dispute.closed", "payment.attention_required"])
        #expect(take(dispute(0, nil), &payment).isEmpty && payment.net.isZero)
        #expect(take(dispute(0, .won), &payment) == ["dispute.funds_reinstated", "dispute.closed"])
        #expect(payment.net == Examples.eur(100))
        #expect(take(dispute(100, nil, isTold: false), &payment).contains("dispute.funds_withdrawn"))
    }

    @Test("a hold that is released while somebody's capture is not decided keeps its order")
    func releasedUnderPendingCapture() throws {
        var payment = try Examples.payment(.manual, Examples.held)
        var snapshot = seen(captured: 0)
        snapshot.standing = .voided
        snapshot.hasPendingCapture = true
        #expect(take(snapshot, &payment).isEmpty && payment.isLive)
        snapshot.hasPendingCapture = false
        #expect(take(snapshot, &payment) == ["attempt.expired"])
    }

    @Test("a capture that is not decided hides nothing of the others, and is neither sent again nor given up")
    func pendingCapture() throws {
        let second = CaptureID(rawValue: "\(Examples.attempt.rawValue)-c2")
        var payment = try Examples.payment(
            .manual,
            Examples.held + [
                .captureStarted(Examples.capture, Examples.attempt, Examples.eur(60), isFinal: false),
                .captured(Examples.capture, nil),
                .captureStarted(second, Examples.attempt, Examples.eur(40), isFinal: true),
            ])
        var snapshot = seen(captured: 60, refunds: [refund(.succeeded, nil, of: 10)])
        snapshot.hasPendingCapture = true
        let names = take(snapshot, &payment)
        #expect(names == ["operation.unknown", "refund.reported"])
        #expect(payment.refunded == Examples.eur(10) && payment.captures.last?.state.isOpen == true)
        snapshot.standing = .voided
        #expect(!take(snapshot, &payment).contains("operation.refused"), "it may be taken yet")
        // A void waits for it.
        var voiding = try Examples.payment(
            .manual, Examples.held + [.voidStarted(Examples.attempt, reason: .canceled("x"))])
        var undecided = seen(captured: 0)
        undecided.hasPendingCapture = true
        undecided.standing = .voided
        #expect(take(undecided, &voiding) == ["operation.unknown"])
        #expect(voiding.attempts.first?.void?.state.isOpen == true)
    }

    @Test("what the credentials may not read is told once, and a request for documents can be about nothing")
    func withheld() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        var snapshot = seen()
        snapshot.warning = "The key may not read disputes."
        #expect(take(snapshot, &payment) == ["payment.attention_required"])
        #expect(take(snapshot, &payment).isEmpty)
        #expect(payment.openAttention.map(\.attention) == [.note("The key may not read disputes.")])
        var facts = Examples.dispute
        facts.amount = .zero(.eur)
        let request = ProviderSnapshot.Dispute(facts: facts, withdrawn: .zero(.eur))
        #expect(take(seen(disputes: [request]), &payment) == ["dispute.opened", "payment.attention_required"])
        #expect(payment.broken == nil && payment.net == Examples.eur(100))
    }

    @Test("money that others moved and that does not fit is raised with its booking, and once")
    func objection() throws {
        var payment = try Examples.payment(.automatic, [Examples.started])
        var snapshot = seen()
        snapshot.objection = "The card may not be charged."
        #expect(take(snapshot, &payment).contains("payment.attention_required"))
        #expect(payment.captured == Examples.eur(100))
        #expect(!take(snapshot, &payment).contains("payment.attention_required"))
        #expect(payment.openAttention.map(\.attention) == [.note("The card may not be charged.")])
        // Not booked, and raised all the same.
        var open = try Examples.payment(.automatic, [Examples.started])
        snapshot.standing = .processing
        snapshot.captured = Examples.eur(0)
        #expect(take(snapshot, &open) == ["operation.unknown", "payment.attention_required"])
    }

    @Test("where the money of a dispute moved in another currency, the share of it that is gone is the amount's")
    func shares() {
        func part(_ amount: Int64, _ taken: Int64, _ returned: Int64) -> Int64 {
            ProviderSnapshot.Dispute.part(of: Examples.eur(amount), taken: taken, returned: returned).minorUnits
        }
        #expect(part(10_000, 9_210, 0) == 10_000)
        #expect(part(10_000, 9_210, 4_605) == 5_000)
        #expect(part(100, 3, 1) == 67)
        #expect(part(100, 8, 7) == 13, "12.5, half up")
        #expect(part(100, 50, 60) == 0 && part(100, 0, 0) == 0 && part(0, 50, 0) == 0)
        #expect(part(100, 50, -20) == 100)
        #expect(part(Payment.maximumReported, .max, .max - 1) == 0)
        #expect(part(Payment.maximumReported, .max, 1) == Payment.maximumReported)
    }

    @Test("a refund that was asked for before the capture failed still ends")
    func captureFailsUnderRefund() throws {
        var payment = try Examples.payment(
            .automatic, Examples.back(100) + [.captureReversed(Examples.capture, Examples.decline)])
        payment.evolve(RecordedEvent(.refunded(Examples.refund, nil), at: Self.now))
        #expect(payment.broken == nil && payment.net == Examples.eur(-100))
    }

    @Test("a dispute's money is neither the shop's nor refundable until it comes back; nothing about it is final")
    func dispute() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        func at(_ withdrawn: Int64, _ outcome: Dispute.Outcome?) -> ProviderSnapshot {
            seen(disputes: [
                ProviderSnapshot.Dispute(facts: Examples.dispute, withdrawn: Examples.eur(withdrawn), outcome: outcome)
            ])
        }
        #expect(take(at(0, nil), &payment) == ["dispute.opened", "payment.attention_required"])
        #expect(payment.net == Examples.eur(100) && payment.refundable == Examples.eur(100), "an inquiry moves nothing")
        #expect(take(at(100, nil), &payment) == ["dispute.funds_withdrawn"])
        #expect(take(at(100, nil), &payment).isEmpty)
        #expect(payment.disputed == Examples.eur(100) && payment.net.isZero)
        #expect(throws: PaymentRefusal.disputed(Examples.eur(100))) {
            try payment.decide(.refund(nil, reason: nil), at: Self.now)
        }
        #expect(take(at(0, .won), &payment) == ["dispute.funds_reinstated", "dispute.closed"])
        #expect(payment.net == Examples.eur(100) && payment.openAttention.isEmpty)
        let lost = ["dispute.funds_withdrawn", "dispute.closed", "payment.attention_required"]
        #expect(take(at(100, .lost), &payment) == lost, "won is not final")
        #expect(payment.openAttention.map(\.attention) == [.disputeLost(Examples.dispute.reference, Examples.eur(100))])
        #expect(
            take(at(0, nil), &payment) == [
                "dispute.updated", "payment.attention_required", "dispute.funds_reinstated",
            ])
        #expect(payment.disputes.count == 1 && payment.disputes.first?.outcome == nil && payment.broken == nil)
    }

    @Test("a report about a settled payment is queried until it is answered") func requestedQuery() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        #expect(payment.nextDue == nil)
        func write(_ events: [PaymentEvent], at now: Timestamp) {
            for event in events { payment.evolve(RecordedEvent(event, at: now)) }
        }
        write(payment.requestQuery(at: Self.now), at: Self.now)
        #expect(payment.nextDue == Self.now)
        write(payment.observe(.snapshot(Examples.attempt, .unknown(reason: "x")), at: Self.now), at: Self.now)
        #expect(payment.nextDue == Self.now.adding(.minutes(5)))
        write(payment.observe(.snapshot(Examples.attempt, .unknown(reason: "x")), at: Self.now), at: Self.now)
        #expect(payment.nextDue == Self.now.adding(.minutes(5)), "a look before its time uses up nothing")
        write(payment.observe(.snapshot(Examples.attempt, .approved(seen())), at: Self.now), at: Self.now)
        #expect(payment.nextDue == nil)
    }

    @Test("a report during a query is queried again: the answer may be older than the report") func overtaken() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        func write(_ events: [PaymentEvent]) {
            for event in events { payment.evolve(RecordedEvent(event, at: Self.now)) }
        }
        write(payment.requestQuery(at: Self.now))
        let sent = QueryBasis(payment)
        write(payment.requestQuery(at: Self.now))
        let old = PaymentAnswer.snapshot(Examples.attempt, .approved(seen()))
        write(payment.observe(old, at: Self.now, from: sent))
        #expect(payment.nextDue == Self.now, "an answer from before the report ends nothing")
        let other = seen(refunds: [refund(.succeeded, nil, of: 60)])
        let again = payment.observe(
            .snapshot(Examples.attempt, .approved(other)), at: Self.now, from: sent)
        #expect(again.map(\.name) == ["query.requested"], "what may be older than the journal is read again")
        write(payment.observe(.snapshot(Examples.attempt, .approved(other)), at: Self.now))
        #expect(payment.nextDue == nil && payment.refunded == Examples.eur(60))
    }

    @Test("a report while a call of ours is under way waits for its end, and is not lost") func inFlight() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        func write(_ events: [PaymentEvent]) {
            for event in events { payment.evolve(RecordedEvent(event, at: Self.now)) }
        }
        write(try payment.decide(.refund(Examples.eur(40), reason: nil), at: Self.now))
        write(payment.requestQuery(at: Self.now))
        #expect(payment.isInFlight && payment.nextDue == Self.now.adding(CheckSchedule.answerLease))
        let other = seen(refunds: [refund(.succeeded, nil, of: 40)])
        let basis = QueryBasis(payment)
        #expect(
            !payment.observe(.snapshot(Examples.attempt, .approved(other)), at: Self.now, from: basis)
                .map(\.name).contains("query.answered"), "whose refund it is was not known")
        write([.refunded(Examples.refund, ProviderReference(rawValue: "re_9"))])
        #expect(payment.nextDue == Self.now, "now it is asked")
        let both = seen(refunds: [
            ProviderSnapshot.Refund(
                reference: ProviderReference(rawValue: "re_9"), refund: Examples.refund, amount: Examples.eur(40),
                status: .succeeded), refund(.succeeded, nil, of: 40),
        ])
        write(payment.observe(.snapshot(Examples.attempt, .approved(both)), at: Self.now))
        #expect(payment.nextDue == nil && payment.refunded == Examples.eur(80))
    }

    @Test("a refund that begins during a query leaves the query asked for") func begunMeanwhile() throws {
        var payment = try Examples.payment(.automatic, Examples.taken)
        func write(_ events: [PaymentEvent]) {
            for event in events { payment.evolve(RecordedEvent(event, at: Self.now)) }
        }
        write(payment.requestQuery(at: Self.now))
        let sent = QueryBasis(payment)
        write(try payment.decide(.refund(Examples.eur(40), reason: nil), at: Self.now))
        let other = PaymentAnswer.snapshot(
            Examples.attempt, .approved(seen(refunds: [refund(.succeeded, nil, of: 40)])))
        write(payment.observe(other, at: Self.now, from: sent))
        #expect(payment.requestedQuery != nil, "whose refund it is could not be told")
    }

    @Test("a person closes what only a person can know, once, with evidence and a name") func resolve() throws {
        var payment = try Examples.payment(.automatic, Examples.back(100) + [.refunded(Examples.refund, nil)])
        _ = take(seen(refunds: [refund(.failed(Examples.decline))]), &payment)
        #expect(throws: PaymentRefusal.unknownAttention(2)) {
            try payment.decide(.resolve(attention: 2, resolution(.handled)), at: Self.now)
        }
        #expect(throws: PaymentRefusal.self) {
            try payment.decide(
                .resolve(attention: 1, AttentionResolution(kind: .handled, evidence: "", actor: "Ada")), at: Self.now)
        }
        let events = try payment.decide(.resolve(attention: 1, resolution(.refundedElsewhere)), at: Self.now)
        #expect(events.map(\.name) == ["refund.reported", "payment.attention_closed"])
        for event in events { payment.evolve(RecordedEvent(event, at: Self.now)) }
        #expect(payment.status == .refunded && payment.refundDue.isZero && payment.openAttention.isEmpty)
        #expect(payment.attentionItems.first?.closing?.resolution.actor == "Ada")
        #expect(throws: PaymentRefusal.attentionClosed(1)) {
            try payment.decide(.resolve(attention: 1, resolution(.writtenOff)), at: Self.now)
        }
        #expect(throws: PaymentRefusal.nothingToRefund, "or the customer is paid twice") {
            try payment.decide(.refund(nil, reason: nil), at: Self.now)
        }
    }

    @Test("what a person says ends a refund that nobody knows about") func notRefunded() throws {
        var payment = try Examples.payment(
            .automatic,
            Examples.back(100) + [
                Examples.lost(.refund(Examples.refund)),
                .attentionRequired(.refund(Examples.refund), .stillUnknown(checks: 4, .pending)),
            ])
        #expect(payment.openAttention.count == 1)
        for event in try payment.decide(.resolve(attention: 1, resolution(.notRefunded)), at: Self.now) {
            payment.evolve(RecordedEvent(event, at: Self.now))
        }
        #expect(payment.refundable == Examples.eur(100) && payment.nextDue == nil)
        // The provider knew better.
        #expect(take(seen(refunds: [refund(.succeeded)]), &payment) == ["refund.succeeded"])
        #expect(payment.status == .refunded && payment.broken == nil)
    }
}
