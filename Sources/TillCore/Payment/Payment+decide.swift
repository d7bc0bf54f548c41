/// A shop's command to a payment.
public enum PaymentCommand: Hashable, Sendable {
    /// Attempt to authorize with this tender at this provider, in the given account.
    case attempt(provider: ProviderName, tender: TenderSummary, identity: ProviderIdentity? = nil)
    /// Capture held money (the full remaining amount by default).
    case capture(Money?, isFinal: Bool)
    /// Cancel the payment and void its hold. If a part of the hold was captured, only the rest is released, and the
    /// payment stays.
    case cancel(reason: String)
    /// End an attempt whose prepared order still awaits its card, so that it can never be charged. The payment stays,
    /// and another tender may pay it.
    case abandon(AttemptID)
    /// Renew the hold on the uncaptured amount. The honor period applies if the provider reported no end of it.
    case renew(honorPeriod: Span)
    /// Refund (the full remaining amount by default).
    /// - Parameter total: The most that may be refunded of the payment in all, earlier refunds included; `nil` for no
    ///   further limit.
    case refund(Money?, reason: String?, total: Money? = nil)
    /// Close an entry of the operators' queue with an operator's resolution.
    case resolve(attention: Int, AttentionResolution)
}

extension Payment {
    /// Decides a command and returns the resulting events. Pure: the same payment and command give the same events. The
    /// caller writes them with the version of this payment; if another write came first, it decides again on the new
    /// state.
    /// - Parameter standing: The reliability of `now`. A hold ends only by a trusted time; otherwise the provider is
    ///   queried.
    public func decide(
        _ command: PaymentCommand, at now: Timestamp, standing: ClockStanding = .trusted
    ) throws(PaymentRefusal) -> [PaymentEvent] {
        switch command {
        case .attempt(let provider, let tender, let identity):
            return try decideAttempt(provider: provider, tender: tender, identity: identity)
        case .capture(let amount, let isFinal):
            return try decideCapture(amount, isFinal: isFinal, at: now, standing)
        case .cancel(let reason):
            return try decideCancel(reason: reason)
        case .abandon(let id):
            return try decideAbandon(id)
        case .renew(let honorPeriod):
            return try decideRenewal(honorPeriod, at: now, standing)
        case .refund(let amount, let reason, let total):
            return try decideRefund(amount, reason: reason, total: total)
        case .resolve(let number, let resolution):
            return try decideResolution(number, resolution)
        }
    }

    private func decideAttempt(
        provider: ProviderName, tender: TenderSummary, identity: ProviderIdentity?
    ) throws(PaymentRefusal) -> [PaymentEvent] {
        switch status {
        case .requiresPaymentMethod, .declined: break
        case .succeeded, .partiallyRefunded, .partiallyCaptured, .requiresCapture:
            throw .alreadyPaid(order.id, id)
        case .processing, .stored, .unknown, .requiresAction: throw .outcomeOpen(status)
        case .refunded, .canceled, .expired, .captureFailed: throw .closed(status)
        }
        guard cancelReason == nil else { throw .closed(.canceled) }
        return [
            .attemptStarted(
                PaymentEvent.AttemptStart(
                    attempt: newAttemptID, provider: provider, tender: tender, amount: amount, identity: identity))
        ]
    }

    private func decideCapture(
        _ asked: Money?, isFinal: Bool, at now: Timestamp, _ standing: ClockStanding
    ) throws(PaymentRefusal) -> [PaymentEvent] {
        guard let attempt = currentAttempt else { throw .nothingToCapture }
        let authorization = try hold(of: attempt)
        let left = held
        guard left.isPositive else { throw .nothingToCapture }
        let amount = asked ?? left
        try check(amount)
        guard amount.minorUnits <= left.minorUnits else {
            throw .captureExceedsAuthorization(asked: amount, left: left)
        }
        if let end = authorization.captureBefore, end <= now, standing.isTrusted { throw .authorizationExpired(end) }
        return [.captureStarted(newCaptureID, attempt.id, amount, isFinal: isFinal || amount == left)]
    }

    private func decideCancel(reason: String) throws(PaymentRefusal) -> [PaymentEvent] {
        guard !isCanceled else { throw .closed(.canceled) }
        guard cancelReason == nil else { return try decideCancelAgain(reason: reason) }
        guard !captures.contains(where: { $0.state.isOpen }) else { throw .operationInProgress("capture") }
        guard !renewals.contains(where: { $0.state.isOpen }) else { throw .operationInProgress("renewal") }
        guard captured.isZero else { return try decideRelease(reason: reason) }
        var events: [PaymentEvent] = [.cancelRequested(reason: reason)]
        switch currentAttempt?.state {
        case nil: events.append(.canceled)
        case .authorized, .requiresAction, .stored:
            // An attempt that is already being voided is not voided again.
            if let attempt = currentAttempt, attempt.void?.state.isOpen != true {
                events.append(.voidStarted(attempt.id, reason: .canceled(reason)))
            }
        case .inFlight, .unknown:
            // Decided once the outcome is known: a late success is voided then. An authorization of a wrong amount or
            // currency is voided immediately.
            if let attempt = currentAttempt, hasOtherMoney(attempt), attempt.void?.state.isOpen != true {
                events.append(.voidStarted(attempt.id, reason: .canceled(reason)))
            }
        case .declined, .notSent, .voided, .expired: events.append(.canceled)
        }
        return events
    }

    /// Gives an attempt up while its order awaits the card. Refused once its money was requested: from then on only the
    /// provider's answer ends it.
    private func decideAbandon(_ id: AttemptID) throws(PaymentRefusal) -> [PaymentEvent] {
        guard let attempt = currentAttempt, attempt.id == id, attempt.awaitsCard, cancelReason == nil else {
            throw .outcomeOpen(status)
        }
        guard attempt.void?.state.isOpen != true else { throw .operationInProgress("void") }
        return [.voidStarted(id, reason: .abandoned)]
    }

    /// Cancels a canceled payment again, which is possible only if the provider refused the void.
    private func decideCancelAgain(reason: String) throws(PaymentRefusal) -> [PaymentEvent] {
        guard let attempt = currentAttempt, attempt.authorization != nil || hasOtherMoney(attempt), captured.isZero,
            case .refused? = attempt.void?.state
        else { throw .operationInProgress("cancellation") }
        return [.voidStarted(attempt.id, reason: .canceled(reason))]
    }

    /// Releases the rest of a partially captured hold. The captured part stays, and the payment is not canceled.
    private func decideRelease(reason: String) throws(PaymentRefusal) -> [PaymentEvent] {
        guard let attempt = currentAttempt, restOfHold(attempt.id) != nil else { throw .capturedAlready(captured) }
        if let void = attempt.void, void.state.isOpen { throw .operationInProgress("void") }
        return [.voidStarted(attempt.id, reason: .canceled(reason))]
    }

    /// Returns an attempt's hold if no operation on it is under way and the payment may still change.
    private func hold(of attempt: Attempt) throws(PaymentRefusal) -> Authorization {
        guard let authorization = attempt.authorization else { throw .outcomeOpen(status) }
        guard !captures.contains(where: { $0.state.isOpen }) else { throw .operationInProgress("capture") }
        guard !renewals.contains(where: { $0.state.isOpen }) else { throw .operationInProgress("renewal") }
        if let void = attempt.void, void.state.isOpen { throw .operationInProgress("void") }
        guard cancelReason == nil else { throw .closed(.canceled) }
        // A fully refunded payment has left its order: another payment may be paying it.
        guard isLive else { throw .closed(status) }
        return authorization
    }

    /// Decides a renewal: not while the issuer's guarantee lasts, not after the end of the hold, and only once, because
    /// only the original can be renewed.
    private func decideRenewal(
        _ honorPeriod: Span, at now: Timestamp, _ standing: ClockStanding
    ) throws(PaymentRefusal) -> [PaymentEvent] {
        guard let attempt = currentAttempt else { throw .nothingHeld }
        let authorization = try hold(of: attempt)
        let left = held
        guard left.isPositive else { throw .nothingHeld }
        if let end = authorization.captureBefore, end <= now, standing.isTrusted { throw .authorizationExpired(end) }
        guard !renewals.contains(where: { $0.attempt == attempt.id && $0.state.isSucceeded }) else {
            throw .renewedBefore
        }
        let honoredUntil =
            authorization.honoredUntil ?? (attempt.heldSince ?? attempt.startedAt).adding(honorPeriod)
        guard honoredUntil <= now else { throw .renewalTooEarly(honoredUntil) }
        return [.renewalStarted(newRenewalID, attempt.id, left)]
    }

    private func decideRefund(
        _ asked: Money?, reason: String?, total: Money?
    ) throws(PaymentRefusal) -> [PaymentEvent] {
        let left = refundable
        guard left.isPositive,
            let capture = captures.last(where: { $0.state.isSucceeded && $0.origin != .elsewhere })
        else {
            if disputed.isPositive { throw .disputed(disputed) }
            throw .nothingToRefund
        }
        let amount = asked ?? left
        try check(amount)
        guard amount.minorUnits <= left.minorUnits else { throw .refundExceedsCaptured(asked: amount, left: left) }
        if let total, !isWithin(total, refunding: amount) { throw .refundExceedsLimit(asked: amount, limit: total) }
        return [.refundStarted(newRefundID, capture.attempt, amount, reason: reason)]
    }

    /// Returns `true` if a refund keeps the payment's total refunds, earlier and pending ones included, within a limit
    /// of its currency.
    public func isWithin(_ limit: Money, refunding amount: Money) -> Bool {
        guard limit.currency == amount.currency else { return false }
        let before = refunds.filter { $0.state.isSucceeded || $0.state.isOpen }
        let sum = before.reduce(amount.minorUnits) { sum, refund in
            let (value, overflow) = sum.addingReportingOverflow(refund.amount.minorUnits)
            return overflow ? .max : value
        }
        return sum <= limit.minorUnits
    }

    private func check(_ amount: Money) throws(PaymentRefusal) {
        guard amount.currency == currency else {
            throw .invalidAmount("The amount is in \(amount.currency.code), the payment in \(currency.code).")
        }
        guard amount.isPositive else { throw .invalidAmount("The amount must be more than zero; it is \(amount).") }
    }
}
