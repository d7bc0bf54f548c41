public import TillCore

/// The strictness of the sandbox, and its replay window.
public struct SandboxRules: Hashable, Sendable {
    /// The period in which the same key gets the same response. After that the operation is performed AGAIN, as at real
    /// providers.
    public var replayWindow: Span
    /// The duration of a hold.
    public var holdFor: Span
    /// `true` to allow refunds beyond the captured amount, as some providers do; the engine must not rely on the
    /// provider's limit.
    public var allowsOverRefund: Bool
    /// The prefix of references: `sb_`, or `pi_` in Stripe's format.
    public var prefix: String
    /// The amount, in minor units, of a refund that stays pending until ``SandboxLedger/settleRefunds(of:succeed:)``.
    public var pendingRefundAmount: Int64
    /// `true` if the authorization has to be requested once more after the customer's action, as with PayPal.
    public var waitsAfterAction: Bool
    /// The honor period of a hold, after which it can be renewed; `nil` disables renewals.
    public var honorPeriod: Span?
    /// `true` to allow captures beyond the authorized amount, as some providers do; the engine must not rely on the
    /// provider's limit.
    public var allowsOverCapture: Bool

    /// Creates rules; the defaults are those of a modern card provider.
    public init(
        replayWindow: Span = .hours(24), holdFor: Span = .days(7), allowsOverRefund: Bool = false,
        prefix: String = "sb_", pendingRefundAmount: Int64 = 90_028,
        waitsAfterAction: Bool = false, honorPeriod: Span? = nil, allowsOverCapture: Bool = false
    ) {
        self.replayWindow = replayWindow
        self.holdFor = holdFor
        self.allowsOverRefund = allowsOverRefund
        self.prefix = prefix
        self.pendingRefundAmount = pendingRefundAmount
        self.waitsAfterAction = waitsAfterAction
        self.honorPeriod = honorPeriod
        self.allowsOverCapture = allowsOverCapture
    }
}

extension SandboxCharge {
    /// Returns `true` if the hold has ended and can no longer be captured.
    package func isExpired(at now: Timestamp) -> Bool {
        guard let holdEndsAt, captures.isEmpty else { return false }
        return now.milliseconds >= holdEndsAt
    }

    /// Decides the authorization as the issuer. Only here is money held, or, for a single-message card, captured.
    package mutating func authorize(with card: SandboxCard, rules: SandboxRules, at now: Timestamp) -> SandboxOutcome {
        guard state != .voided else { return .declined(code: "voided", message: "The charge was voided.") }
        self.card = Card(
            brand: card.brand, lastFour: card.lastFour, entryMode: card.entryMode,
            isSingleMessage: card.isSingleMessage)
        if let only = card.onlyCurrency, only != currency {
            return decline("currency_not_supported", "The card pays in \(only) only.")
        }
        switch card.behavior {
        case .decline(let code):
            return decline(code, "Your card was declined (\(code)).")
        case .requiresAction:
            state = .requiresAction
            return .requiresAction
        case .approve:
            return approve(rules: rules, at: now)
        }
    }

    /// Completes or fails the customer's action.
    package mutating func completeAction(succeeds: Bool, rules: SandboxRules, at now: Timestamp) -> SandboxOutcome {
        guard state == .requiresAction else {
            return .declined(code: "unexpected_state", message: "The charge does not wait for the customer.")
        }
        guard succeeds else { return decline("authentication_required", "The customer was not authenticated.") }
        guard !rules.waitsAfterAction else {
            state = .actionDone
            return .pending(reference: reference)
        }
        return approve(rules: rules, at: now)
    }

    /// Requests the authorization after the customer's action.
    mutating func continueAfterAction(rules: SandboxRules, at now: Timestamp) -> SandboxOutcome {
        guard state == .actionDone else {
            return .declined(code: "unexpected_state", message: "The charge does not wait to be asked for.")
        }
        return approve(rules: rules, at: now)
    }

    private mutating func approve(rules: SandboxRules, at now: Timestamp) -> SandboxOutcome {
        state = .authorized
        authorized = amount
        authorizedAt = now.milliseconds
        declineCode = nil
        if card?.isSingleMessage == true || capturesAtOnce {
            captures.append(
                Capture(
                    reference: "\(reference)_c1", key: key ?? "", amount: amount, at: now.milliseconds))
            isClosed = true
        } else {
            holdEndsAt = now.adding(rules.holdFor).milliseconds
            honoredUntil = rules.honorPeriod.map { min(now.adding($0), now.adding(rules.holdFor)).milliseconds }
        }
        return .approved(reference: reference)
    }

    private mutating func decline(_ code: String, _ message: String) -> SandboxOutcome {
        state = .declined
        declineCode = code
        declines = min(declines ?? 0, 1 << 20) + 1
        return .declined(code: code, message: message)
    }

    /// Captures a hold: never more than the authorized amount unless the rules allow it, nothing after the final
    /// capture or the end of the hold.
    package mutating func capture(
        _ amount: Int64, isFinal: Bool, key: String, rules: SandboxRules, at now: Timestamp
    ) -> SandboxOutcome {
        guard state == .authorized else {
            return .declined(code: "unexpected_state", message: "There is no money to capture.")
        }
        guard !isExpired(at: now) else {
            return .declined(code: "authorization_expired", message: "The hold has ended.")
        }
        guard !isClosed else {
            return .declined(code: "already_captured", message: "The charge is captured and closed.")
        }
        let room = authorized - captured
        guard amount > 0, amount <= room || rules.allowsOverCapture else {
            return .declined(code: "amount_too_large", message: "At most \(room) can be captured.")
        }
        let name = "\(reference)_c\(captures.count + 1)"
        captures.append(Capture(reference: name, key: key, amount: amount, at: now.milliseconds))
        isClosed = isFinal || amount >= room
        return .approved(reference: name)
    }

    /// Voids a hold, after which nothing can be captured. After a partial capture, the rest is released.
    package mutating func void() -> SandboxOutcome {
        if released != nil { return .approved(reference: reference) }
        if !captures.isEmpty, !isClosed {
            released = authorized - captured
            isClosed = true
            return .approved(reference: reference)
        }
        guard captures.isEmpty else {
            return .declined(code: "already_captured", message: "Captured money is refunded, not voided.")
        }
        state = .voided
        return .approved(reference: reference)
    }

    /// Refunds: never more than the captured amount, unless the rules allow it.
    package mutating func refund(
        _ amount: Int64, name: String?, key: String, reason: String?, metadata: [String: String],
        rules: SandboxRules, at now: Timestamp
    ) -> SandboxOutcome {
        guard !captures.isEmpty else {
            return .declined(code: "unexpected_state", message: "There is no captured money to refund.")
        }
        let room = captured - refunded
        guard amount > 0, amount <= room || rules.allowsOverRefund else {
            return .declined(code: "amount_too_large", message: "At most \(max(0, room)) can be refunded.")
        }
        let isPending = amount == rules.pendingRefundAmount
        let id = "re_\(reference.dropFirst(rules.prefix.count))_\(refunds.count + 1)"
        refunds.append(
            Refund(
                reference: id, key: key, refund: name, amount: amount, status: isPending ? .pending : .succeeded,
                createdAt: now.milliseconds, reason: reason, metadata: metadata,
                paidAt: isPending ? nil : now.milliseconds))
        return isPending ? .pending(reference: id) : .approved(reference: id)
    }
}
