// Changes to the money after the sale: refunds and captures that fail later, movements made in a provider's dashboard,
// disputes. All of it is read from query answers, in any order: each answer is compared with the payment's state, so
// that known facts lead to nothing.

extension Payment {
    /// The largest amount, in minor units, accepted for one external movement; a larger one is a provider's mistake,
    /// and its sums could overflow.
    static let maximumReported: Int64 = 1 << 50

    /// The amount that providers withdrew for disputes and have not reinstated, as far as it is in the payment's
    /// currency.
    public var disputed: Money {
        sum(disputes.lazy.map(\.withdrawn).filter { $0.currency == currency })
    }

    /// The shop's net amount: captured, less refunds and dispute withdrawals. Negative if a customer got back more than
    /// was captured.
    public var net: Money {
        Money(
            minorUnits: captured.minorUnits &- refunded.minorUnits &- disputed.minorUnits, currency: currency)
    }

    /// The amount that the shop owes the customer: refunds that failed after they had succeeded and that were made up
    /// for neither by another refund nor by an operator.
    public var refundDue: Money {
        let failed = openAttention.lazy.compactMap { item -> Money? in
            guard case .refundReversed(let amount) = item.attention else { return nil }
            return amount
        }
        return Money(
            minorUnits: max(0, min(sum(failed).minorUnits, captured.minorUnits - refunded.minorUnits)),
            currency: currency)
    }

    /// The amount captured at the provider, so that it can be refunded there.
    var capturedAtProvider: Money {
        sum(captures.lazy.filter { $0.state.isSucceeded && $0.origin != .elsewhere }.map(\.amount))
    }

    /// The amount that may still be refunded: captured at the provider, not refunded anywhere and not disputed.
    public var refundable: Money {
        let atProvider = sum(
            refunds.lazy.filter { ($0.state.isSucceeded || $0.state.isOpen) && $0.origin != .elsewhere }.map(\.amount))
        let left = min(
            captured.minorUnits - refundedOrPending.minorUnits, capturedAtProvider.minorUnits - atProvider.minorUnits)
        return Money(minorUnits: left - disputed.minorUnits, currency: currency)
    }

    /// The attempt queried at the provider of a settled payment.
    public var settledAttempt: Attempt? {
        let id = captures.last { $0.origin != .elsewhere }?.attempt
        return attempts.last { $0.id == id } ?? currentAttempt ?? attempts.last { $0.mostAuthorized > 0 }
    }

    /// Returns the events that a query's answer implies for money settled before.
    func observeAfterSale(
        _ snapshot: ProviderSnapshot, of attempt: Attempt, at now: Timestamp
    ) -> [PaymentEvent] {
        guard attempt.mostAuthorized > 0 else {
            return observeLateApproval(snapshot, of: attempt, at: now)
        }
        let captured = observeCaptures(snapshot, of: attempt)
        return captured + observeFailedHold(snapshot, of: attempt, after: captured, at: now)
            + observeRefunds(snapshot, of: attempt, at: now)
            + snapshot.disputes.flatMap { observeDispute($0, of: attempt) } + observeWarning(snapshot, of: attempt)
    }

    /// Raises a warning once: it applies to all payments of the provider until its configuration changes.
    func observeWarning(_ snapshot: ProviderSnapshot, of attempt: Attempt) -> [PaymentEvent] {
        guard let warning = snapshot.warning.map(Attention.note), !attention.contains(warning) else { return [] }
        return [.attentionRequired(.attempt(attempt.id), warning)]
    }

    /// Releases the order of a payment with failed captures that holds nothing: the order may be charged again. Until a
    /// void was tried, the provider may collect an immediate capture again by itself.
    private func observeFailedHold(
        _ snapshot: ProviderSnapshot, of attempt: Attempt, after events: [PaymentEvent], at now: Timestamp
    ) -> [PaymentEvent] {
        var known = self
        for event in events { known.evolve(RecordedEvent(event, at: now)) }
        guard let hold = attempt.authorization, snapshot.captured.isZero, !snapshot.hasPendingCapture,
            known.hasFailedCapture(attempt),
            attempt.void?.state.isOpen != true, isGone(hold, snapshot.standing, attempt)
        else { return [] }
        return known.settle(attempt.id, [.attemptExpired(attempt.id)])
    }

    private func isGone(
        _ hold: Authorization, _ standing: ProviderSnapshot.Standing, _ attempt: Attempt
    ) -> Bool {
        switch standing {
        case .authorized(let found): (hold.isCaptured || found.isCaptured) && attempt.isVoidRefused
        case .declined: true
        // A voided hold ends every attempt.
        case .voided, .requiresAction, .continuable, .stored, .processing, .notFound, .unconfirmed: false
        }
    }

    private func observeCaptures(_ snapshot: ProviderSnapshot, of attempt: Attempt) -> [PaymentEvent] {
        let mine = captures.filter { $0.attempt == attempt.id && $0.origin != .elsewhere }
        // First establish whether the captured amount is one of our own captures of unknown outcome.
        guard !mine.contains(where: { $0.state.isOpen }) else { return [] }
        var events: [PaymentEvent] = []
        var failed: Set<CaptureID> = []
        func reverse(_ capture: Capture, _ decline: Decline) {
            failed.insert(capture.id)
            events += [
                .captureReversed(capture.id, decline),
                .attentionRequired(.capture(capture.id), .captureReversed(capture.amount)),
            ]
        }
        var nameless: Decline?
        for failure in snapshot.failedCaptures {
            guard let capture = mine.first(where: { $0.isNamed(failure.reference, failure.capture) }) else {
                nameless = failure.decline
                continue
            }
            if capture.state.isSucceeded, !failed.contains(capture.id) { reverse(capture, failure.decline) }
        }
        let standing = mine.filter { $0.state.isSucceeded && !failed.contains($0.id) }
        let gap = sum(standing.lazy.map(\.amount)).minorUnits.subtractingReportingOverflow(snapshot.captured.minorUnits)
        if let nameless, !gap.overflow, gap.partialValue > 0 {
            // The provider's name is not known here: the missing amount identifies the capture.
            let unnamed = standing.withoutName(beside: attempt, snapshot).together(gap.partialValue)
            for capture in unnamed.isEmpty ? standing.together(gap.partialValue) : unnamed {
                reverse(capture, nameless)
            }
        }
        let known = sum(mine.lazy.filter { $0.state.isSucceeded && !failed.contains($0.id) }.map(\.amount))
        let more = snapshot.captured.minorUnits.subtractingReportingOverflow(known.minorUnits)
        guard !more.overflow, more.partialValue > 0, more.partialValue <= Payment.maximumReported else { return events }
        let amount = Money(minorUnits: more.partialValue, currency: currency)
        var isUnwanted = cancelReason != nil || !isLive || attempt.authorization == nil
        // A void was requested of what was captured externally.
        if attempt.isVoidRefused { isUnwanted = true }
        if let again = mine.first(where: { $0.state.isReversed && $0.amount == amount }) {
            events.append(.captureRestored(again.id))
            // The entry of its failure is superseded; an operator that canceled in the meantime must learn that the
            // money arrived, unless it is gone through a refund or a dispute.
            if isUnwanted, snapshot.captured.minorUnits > snapshot.gone(in: currency) {
                events.append(.attentionRequired(.capture(again.id), .unwantedCapture(amount)))
            }
            return events
        }
        let id = nextCaptureID
        let reference = snapshot.reference ?? attempt.reference ?? ProviderReference(rawValue: id.rawValue)
        events.append(.captureReported(id, attempt.id, amount, .provider(reference)))
        if isUnwanted {
            events.append(.attentionRequired(.capture(id), .unwantedCapture(amount)))
        }
        return events
    }

    private func observeRefunds(
        _ snapshot: ProviderSnapshot, of attempt: Attempt, at now: Timestamp
    ) -> [PaymentEvent] {
        let mine = refunds.filter { $0.attempt == attempt.id && $0.origin != .elsewhere }
        let ofDisputes = Set(snapshot.disputes.flatMap(\.refunds))
        var events: [PaymentEvent] = []
        var next = refunds.count
        var back = refunded.minorUnits
        for found in snapshot.refunds
        where found.amount.currency == currency && found.amount.isPositive
            && found.amount.minorUnits <= Payment.maximumReported
        {
            if let refund = mine.first(where: { $0.isNamed(found) }) {
                switch (refund.state, found.status) {
                case (.succeeded, .succeeded) where refund.isByOthers && ofDisputes.contains(found.reference):
                    // Seen before its dispute: the money left once, and belongs to the dispute.
                    back -= refund.amount.minorUnits
                    events.append(.refundReversed(refund.id, .countedAsDispute))
                case (.reversed(_, .countedAsDispute), .succeeded)
                where !snapshot.disputes.isEmpty && !ofDisputes.contains(found.reference):
                    // It turned out to be a separate refund.
                    back += refund.amount.minorUnits
                    events.append(.refunded(refund.id, found.reference))
                case (.succeeded(let own), .failed(let decline)) where own == nil || own == found.reference:
                    back -= refund.amount.minorUnits
                    events += [
                        .refundReversed(refund.id, decline),
                        .attentionRequired(.refund(refund.id), .refundReversed(refund.amount)),
                    ]
                case (.refused, .succeeded):
                    // It counted as refused, but was done anyway.
                    back += refund.amount.minorUnits
                    events.append(.refunded(refund.id, found.reference))
                default: continue
                }
                continue
            }
            // One of our refunds, with an identifier that the provider has not reported yet.
            let mayBeOurs = mine.contains { $0.state.isOpen && $0.amount == found.amount }
            if found.refund == nil, mayBeOurs { continue }
            if case .failed = found.status { continue }
            if ofDisputes.contains(found.reference) { continue }
            next += 1
            let id = RefundID(rawValue: "\(self.id)-r\(next)")
            events.append(.refundReported(id, attempt.id, found.amount, .provider(found.reference)))
            if found.status == .pending {
                events.append(
                    .outcomeUnknown(.refund(id), nextCheck: now.adding(CheckSchedule.wait(checks: 1)), reason: .pending)
                )
            } else {
                back += found.amount.minorUnits
            }
        }
        let isMore = back > refunded.minorUnits && back > max(captured.minorUnits, snapshot.captured.minorUnits)
        if isMore {
            let over = Money(minorUnits: back - captured.minorUnits, currency: currency)
            events.append(.attentionRequired(.attempt(attempt.id), .refundedTwice(over)))
        }
        return events
    }

    private func observeDispute(_ found: ProviderSnapshot.Dispute, of attempt: Attempt) -> [PaymentEvent] {
        let reference = found.facts.reference
        // A request for documents may concern a zero amount.
        guard !found.facts.amount.isNegative, !found.withdrawn.isNegative,
            found.facts.amount.minorUnits <= Payment.maximumReported,
            found.withdrawn.minorUnits <= Payment.maximumReported,
            found.withdrawn.currency == found.facts.amount.currency
        else { return [] }
        var events: [PaymentEvent] = []
        let known = disputes.first { $0.facts.reference == reference }
        // The money of a dispute stays in the currency in which it was opened.
        if let known, known.withdrawn.currency != found.withdrawn.currency { return [] }
        // Webhook data may be older than the known state: it does not reopen a decided dispute.
        if found.isTold, known?.outcome != nil, found.outcome == nil { return [] }
        if let known {
            let isReopened = known.outcome != nil && found.outcome == nil
            if known.facts != found.facts || isReopened { events.append(.disputeUpdated(found.facts)) }
            if isReopened { events.append(.attentionRequired(.attempt(attempt.id), asked(found.facts))) }
        } else {
            events.append(.disputeOpened(attempt.id, found.facts))
            if found.outcome == nil { events.append(.attentionRequired(.attempt(attempt.id), asked(found.facts))) }
        }
        let before = known?.withdrawn.minorUnits ?? 0
        let isReturned = !found.isTold || found.outcome == .won
        let change = max(found.withdrawn.minorUnits - before, isReturned ? .min : 0)
        let currency = found.withdrawn.currency
        if change > 0 {
            events.append(.disputeFundsWithdrawn(reference, Money(minorUnits: change, currency: currency)))
        } else if change < 0 {
            events.append(.disputeFundsReinstated(reference, Money(minorUnits: -change, currency: currency)))
        }
        if let outcome = found.outcome, known?.outcome != outcome {
            events.append(.disputeClosed(reference, outcome))
            if outcome == .lost {
                events.append(
                    .attentionRequired(.attempt(attempt.id), .disputeLost(reference, found.facts.amount)))
            }
        }
        return events
    }

    private func asked(_ facts: Dispute.Facts) -> Attention {
        .disputeOpened(facts.reference, facts.amount, respondBy: facts.respondBy)
    }
}

extension ProviderSnapshot {
    /// Returns the captured money that is gone through refunds and disputes, each counted once.
    fileprivate func gone(in currency: Currency) -> Int64 {
        let ofDisputes = Set(disputes.flatMap(\.refunds))
        let back = refunds.filter { $0.status == .succeeded && !ofDisputes.contains($0.reference) }.map(\.amount)
        return (back + disputes.map(\.withdrawn)).filter { $0.currency == currency }
            .reduce(0) { $0.addingReportingOverflow($1.minorUnits).partialValue }
    }
}

extension Refund {
    /// `true` if the refund was made externally: in the provider's dashboard or by the provider.
    fileprivate var isByOthers: Bool {
        if case .provider = origin { return true }
        return false
    }
}

extension Decline {
    /// The decline of a refund in a provider's list that is the same money as a dispute's.
    package static let countedAsDispute = Decline(
        reason: DeclineReason(rawValue: "disputed"), code: "counted_as_dispute",
        message: "The provider lists the money of a dispute as a refund, too; it is counted as the dispute's.")
}

extension Capture {
    /// Returns `true` if the capture has this reference of the provider, or this name of ours.
    fileprivate func isNamed(_ reference: ProviderReference?, _ name: CaptureID?) -> Bool {
        if let name { return name == id }
        return self.reference == reference
    }

    /// The provider's reference, once reported.
    fileprivate var reference: ProviderReference? {
        if case .provider(let reference) = origin { return reference }
        switch state {
        case .succeeded(let reference), .reversed(let reference, _): return reference
        case .inFlight, .deferred, .unknown, .refused: return nil
        }
    }
}

extension [Capture] {
    /// The most captures of one attempt for which combinations are tried.
    private static var maximumCombined: Int { 12 }

    /// Returns the smallest, earliest set of captures with amounts that add up to `units`; empty if there is none.
    fileprivate func together(_ units: Int64) -> [Capture] {
        func pick(_ count: Int, from start: Int, _ left: Int64) -> [Capture]? {
            if count == 0 { return left == 0 ? [] : nil }
            for index in indices.prefix(Self.maximumCombined).dropFirst(start) {
                let units = self[index].amount.minorUnits
                if units <= left, let rest = pick(count - 1, from: index + 1, left - units) {
                    return [self[index]] + rest
                }
            }
            return nil
        }
        for number in 1...Swift.max(1, Swift.min(count, Self.maximumCombined)) {
            if let found = pick(number, from: 0, units) { return found }
        }
        return []
    }

    /// Returns the captures that the provider has not named, or has named like the sale itself: in a single-message
    /// sale, or in a query before the hold was renewed.
    fileprivate func withoutName(beside attempt: Attempt, _ snapshot: ProviderSnapshot) -> [Capture] {
        let ofSale = [nil, attempt.reference, attempt.authorization?.reference, snapshot.reference]
        return filter { ofSale.contains($0.reference) }
    }
}

extension Refund {
    /// Returns `true` if the refund matches by the provider's reference or by our name.
    func isNamed(_ found: ProviderSnapshot.Refund) -> Bool {
        if found.refund == id { return true }
        return reference == found.reference
    }

    /// The provider's reference, once reported.
    public var reference: ProviderReference? {
        if case .provider(let reference) = origin { return reference }
        switch state {
        case .succeeded(let reference), .reversed(let reference, _): return reference
        case .inFlight, .deferred, .unknown, .refused: return nil
        }
    }
}

extension Payment {
    /// Decides the closing of an entry of the operators' queue, and its consequences for the payment.
    func decideResolution(
        _ number: Int, _ resolution: AttentionResolution
    ) throws(PaymentRefusal) -> [PaymentEvent] {
        guard let item = attentionItems.first(where: { $0.number == number }) else {
            throw .unknownAttention(number)
        }
        guard openAttention.contains(item) else { throw .attentionClosed(number) }
        try check(resolution)
        var said = resolution
        if case .approvedLate = item.attention, resolution.kind == .refundedElsewhere {
            throw .unsupported("What was approved late is no capture of this payment, so no refund of it is recorded.")
        }
        switch resolution.kind {
        case .handled:
            said.amount = nil
            return [.attentionClosed(number, said)]
        case .notRefunded, .writtenOff:
            if resolution.kind == .notRefunded {
                guard case .refund = item.operation else {
                    throw .unsupported("This entry is not about a refund, so “not refunded” says nothing about it.")
                }
            }
            said.amount = nil
            return givenUp(item.operation, resolution.kind) + [.attentionClosed(number, said)]
        case .refundedElsewhere:
            let open = openRefund(item.operation)
            let pending = refundedOrPending.minorUnits - (open?.amount.minorUnits ?? 0)
            let left = Money(minorUnits: captured.minorUnits - pending, currency: currency)
            guard left.isPositive, let attempt = settledAttempt else { throw .nothingToRefund }
            let asked = resolution.amount ?? amount(of: item) ?? left
            try checkElsewhere(asked)
            guard asked.minorUnits <= left.minorUnits else { throw .refundExceedsCaptured(asked: asked, left: left) }
            said.amount = asked
            return givenUp(item.operation, resolution.kind)
                + [.refundReported(nextRefundID, attempt.id, asked, .elsewhere), .attentionClosed(number, said)]
        case .capturedElsewhere:
            guard let attempt = attempts.last else { throw .nothingToCapture }
            // The attempt may still take the money: two payments for one order.
            if attempt.isUndecided { throw .outcomeOpen(status) }
            guard capturedOrPending.isZero || openCapture(item.operation) != nil else {
                throw .capturedAlready(capturedOrPending)
            }
            let asked = resolution.amount ?? amount(of: item) ?? self.amount
            try checkElsewhere(asked)
            guard asked.minorUnits <= self.amount.minorUnits else {
                throw .captureExceedsAuthorization(asked: asked, left: self.amount)
            }
            said.amount = asked
            return givenUp(item.operation, resolution.kind)
                + [.captureReported(nextCaptureID, attempt.id, asked, .elsewhere), .attentionClosed(number, said)]
        }
    }

    private func check(_ resolution: AttentionResolution) throws(PaymentRefusal) {
        let evidence = resolution.evidence.utf8.count
        guard evidence > 0, evidence <= AttentionResolution.maximumEvidenceBytes else {
            throw .invalidEvidence(
                "How it is known must be said in 1 to \(AttentionResolution.maximumEvidenceBytes) bytes.")
        }
        let actor = resolution.actor.utf8.count
        guard actor > 0, actor <= AttentionResolution.maximumActorBytes else {
            throw .invalidEvidence("Who says so must be 1 to \(AttentionResolution.maximumActorBytes) bytes.")
        }
    }

    private func checkElsewhere(_ asked: Money) throws(PaymentRefusal) {
        guard asked.currency == currency else {
            throw .invalidAmount("The amount is in \(asked.currency.code), the payment in \(currency.code).")
        }
        guard asked.isPositive else { throw .invalidAmount("The amount must be more than zero; it is \(asked).") }
    }

    /// Ends an operation of unknown outcome, because an operator has established it.
    private func givenUp(_ operation: OperationID, _ kind: AttentionResolution.Kind) -> [PaymentEvent] {
        guard openRefund(operation) != nil || openCapture(operation) != nil else { return [] }
        return [.refused(operation, Decline(reason: .generic, code: kind.rawValue))]
    }

    private func openRefund(_ operation: OperationID) -> Refund? {
        guard case .refund(let id) = operation else { return nil }
        return refunds.first { $0.id == id && $0.state.isOpen }
    }

    private func openCapture(_ operation: OperationID) -> Capture? {
        guard case .capture(let id) = operation else { return nil }
        return captures.first { $0.id == id && $0.state.isOpen }
    }

    /// Returns the amount of the capture or refund that an entry concerns; `nil` if it concerns neither.
    func amount(of item: AttentionItem) -> Money? {
        switch item.operation {
        case .refund(let id): refunds.first { $0.id == id }?.amount
        case .capture(let id): captures.first { $0.id == id }?.amount
        case .attempt, .continuation, .void, .renewal: nil
        }
    }
}
