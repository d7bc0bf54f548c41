public import TillCore

/// How strict the sandbox is, and for how long it remembers.
public struct SandboxRules: Hashable, Sendable {
    /// For how long the same key gets the same answer. After that the thing is done AGAIN, as real providers do.
    public var replayWindow: Span
    /// How long money is held.
    public var holdFor: Span
    /// Gives back more than was taken, as some providers do; the engine must not rely on them.
    public var allowsOverRefund: Bool
    /// How references begin: `sb_`, or `pi_` in Stripe's format.
    public var prefix: String
    /// A refund of this many minor units stays pending until ``SandboxLedger/settleRefunds(of:succeed:)``.
    public var pendingRefundAmount: Int64
    /// After the customer's action the money has to be asked for once more, as with PayPal.
    public var waitsAfterAction: Bool
    /// For how long the bank answers for a hold; after that it can be renewed. `nil`: holds cannot be renewed.
    public var honorPeriod: Span?
    /// Takes more than it holds, as some providers do; the engine must not rely on them.
    public var allowsOverCapture: Bool

    /// Makes them; the defaults are those of a modern card provider.
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
    /// The hold reached its end and can no longer be captured.
    package func isExpired(at now: Timestamp) -> Bool {
        guard let holdEndsAt, captures.isEmpty else { return false }
        return now.milliseconds >= holdEndsAt
    }

    /// The issuer's decision. Money is held, or for a single-message card taken, only here.
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

    /// The customer has done, or failed, what was asked.
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

    /// The money is asked for after the customer's action.
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

    /// Takes held money: never more than was authorized, nothing after the last capture or the end of the hold.
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

    /// Voids a hold; nothing can be asked for after that. Of a hold of which a part was captured the rest is released.
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

    /// Gives captured money back: never more than was captured, unless the rules allow it.
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
