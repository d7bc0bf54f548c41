// Consequences of an authorization of a wrong amount or currency, or of a refund made twice by the provider.

extension Payment {
    /// Returns `true` for an authorization in another currency, or of more than requested.
    func isOtherMoney(_ authorization: Authorization, for attempt: Attempt) -> Bool {
        guard authorization.amount.currency == currency, authorization.amount.isPositive,
            let base = authorization.base
        else { return true }
        return base.minorUnits > attempt.amount.minorUnits
    }

    /// Returns `true` if all that is known of an attempt is that the provider authorized a wrong amount or currency.
    func hasOtherMoney(_ attempt: Attempt) -> Bool {
        attempt.isUndecided && unknown(asking(attempt))?.reason.isOtherMoney == true
    }

    /// Records a wrong authorization: nothing of it is captured, and an operator is notified. It is voided if the
    /// payment was canceled.
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
        // Each query is a permanent event, so they become less frequent while nothing changes.
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

    /// Reports refunds of ours that the provider shows more than once; a late first request may have made the
    /// duplicate.
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
    /// `true` if the refund has moved money, or is about to.
    var mayHaveMoved: Bool { if case .failed = status { false } else { true } }
}
