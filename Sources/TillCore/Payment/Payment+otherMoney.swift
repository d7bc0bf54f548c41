// What follows when a provider has authorized something else than was asked for, or has made a refund twice.

extension Payment {
    /// Another currency, or more than was asked for.
    func isOtherMoney(_ authorization: Authorization, for attempt: Attempt) -> Bool {
        guard authorization.amount.currency == currency, authorization.amount.isPositive,
            let base = authorization.base
        else { return true }
        return base.minorUnits > attempt.amount.minorUnits
    }

    /// What is known of an attempt is only that the provider has authorized something else.
    func hasOtherMoney(_ attempt: Attempt) -> Bool {
        attempt.isUndecided && unknown(asking(attempt))?.reason.isOtherMoney == true
    }

    /// Nothing of it is captured and a person is notified. It is voided if the shop no longer wants the money.
    func observeOtherMoney(_ attempt: Attempt, _ authorized: Money, at now: Timestamp) -> [PaymentEvent] {
        let asked = attempt.amount
        let (reason, alarm): (UnknownReason, Attention) =
            authorized.currency == asked.currency
            ? (.wrongAmount(authorized: authorized, asked: asked), .wrongAmount(authorized: authorized, asked: asked))
            : (
                .wrongCurrency(authorized: authorized, asked: asked),
                .wrongCurrency(authorized: authorized, asked: asked)
            )
        let step = asking(attempt)
        // Each query is an event for ever, so they become rarer while it stays as it is.
        var checks = 1
        if let before = unknown(step), before.reason == reason {
            guard CheckSchedule.isReached(before.nextCheck, at: now) else { return [] }
            checks = before.checks + 1
        }
        var events: [PaymentEvent] = [
            .outcomeUnknown(step, nextCheck: now.adding(CheckSchedule.wait(checks: checks)), reason: reason)
        ]
        if !attention.contains(alarm) { events.append(.attentionRequired(.attempt(attempt.id), alarm)) }
        if let word = cancelReason, attempt.void == nil {
            events.append(.voidStarted(attempt.id, reason: .canceled(word)))
        }
        return events
    }

    /// A refund of ours that the provider shows more than once is reported; a late first request may have made it.
    func observeRepeatedRefunds(of id: AttemptID, in snapshot: ProviderSnapshot) -> [PaymentEvent] {
        refunds.filter { $0.attempt == id }.compactMap { refund in
            let found = snapshot.refunds.filter { $0.refund == refund.id && $0.mayHaveMoved }
            guard found.count > 1 else { return nil }
            let alarm = Attention.refundedMoreThanOnce(refund.id, sum(found.dropFirst().lazy.map(\.amount)))
            return attention.contains(alarm) ? nil : .attentionRequired(.refund(refund.id), alarm)
        }
    }
}

extension ProviderSnapshot.Refund {
    /// It has refunded money, or is about to.
    var mayHaveMoved: Bool { if case .failed = status { false } else { true } }
}
