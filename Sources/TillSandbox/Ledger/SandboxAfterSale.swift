public import TillCore

/// What happens to a charge long after the sale, and without Till having asked for it.
public enum SandboxAfterSale: Hashable, Sendable {
    /// A refund that had succeeded fails later; the last one if none is named.
    case failRefund(String?, isCanceled: Bool)
    /// The last capture fails.
    case failCapture
    /// That capture is made good.
    case restoreCapture
    /// Somebody refunds in the dashboard; all that is left if no amount is given, in minor units.
    case refund(Int64?)
    /// Somebody captures in the dashboard; all that is held if no amount is given, in minor units.
    case capture(Int64?)
    /// A dispute is opened; about all that was captured if no amount is given, in minor units. An inquiry moves no
    /// money.
    case dispute(Int64?, reason: String, isInquiry: Bool, respondBy: Timestamp?)
    /// The last dispute's money is taken back.
    case withdrawFunds
    /// The last dispute's money is returned; all of it if no amount is given, in minor units.
    case reinstateFunds(Int64?)
    /// The last dispute is decided.
    case closeDispute(isWon: Bool)
}

extension SandboxLedger {
    /// Plays what happens to a charge after the sale.
    /// - Returns: the charge after it; `nil` if there is none, or if it cannot happen to it.
    public func play(_ event: SandboxAfterSale, on reference: ProviderReference) async throws -> SandboxCharge? {
        let (rules, now) = (rules, clock.now())
        return try await store.transaction { shelf in
            guard var charge = try shelf.charge(SandboxCharge.reference(ofHold: reference.rawValue)),
                charge.play(event, rules: rules, at: now)
            else { return nil }
            try shelf.put(charge, keys: [])
            return charge
        }
    }
}

extension SandboxCharge {
    /// `false` if it cannot happen.
    package mutating func play(_ event: SandboxAfterSale, rules: SandboxRules, at now: Timestamp) -> Bool {
        switch event {
        case .failRefund(let name, let isCanceled):
            guard
                let index = refunds.lastIndex(where: {
                    (name == nil || $0.reference == name) && ($0.status == .succeeded || $0.status == .pending)
                })
            else { return false }
            refunds[index].status = isCanceled ? .canceled : .failed
            if refunds[index].paidAt != nil { refunds[index].returnedAt = now.milliseconds }
        case .failCapture:
            guard let index = captures.lastIndex(where: { $0.hasFailed != true }) else { return false }
            captures[index].hasFailed = true
            captures[index].move(-captures[index].amount, at: now)
        case .restoreCapture:
            guard let index = captures.lastIndex(where: { $0.hasFailed == true }) else { return false }
            captures[index].hasFailed = nil
            captures[index].move(captures[index].amount, at: now)
        case .refund(let amount):
            let key = "dashboard-\(refunds.count + 1)"
            let outcome = refund(
                amount ?? (captured - refunded), name: nil, key: key, reason: nil, metadata: [:], rules: rules, at: now)
            return outcome.isDone
        case .capture(let amount):
            guard state == .authorized, captures.isEmpty else { return false }
            return capture(amount ?? authorized, isFinal: true, key: "dashboard", rules: rules, at: now).isDone
        case .dispute(let amount, let reason, let isInquiry, let respondBy):
            guard captured > 0 else { return false }
            let amount = amount ?? captured
            let number = (disputes?.count ?? 0) + 1
            disputes =
                (disputes ?? []) + [
                    Dispute(
                        reference: "du_\(reference.dropFirst(rules.prefix.count))_\(number)", amount: amount,
                        reason: reason, status: isInquiry ? "warning_needs_response" : "needs_response",
                        withdrawn: isInquiry ? 0 : amount, respondBy: respondBy?.milliseconds,
                        moves: isInquiry ? [] : [Move(amount: -amount, at: now.milliseconds)])
                ]
        case .withdrawFunds: return changeDispute(at: now) { $0.withdrawn = $0.amount }
        case .reinstateFunds(let part):
            return changeDispute(at: now) { $0.withdrawn -= min(part ?? .max, $0.withdrawn) }
        case .closeDispute(let isWon):
            return changeDispute(at: now) {
                $0.status = isWon ? "won" : "lost"
                if isWon {
                    $0.withdrawn = 0
                } else if $0.moves?.isEmpty ?? true {
                    // What was taken at the opening is lost, less what came back of it since.
                    $0.withdrawn = $0.amount
                }
            }
        }
        return true
    }

    private mutating func changeDispute(at now: Timestamp, _ body: (inout Dispute) -> Void) -> Bool {
        guard var all = disputes, var last = all.popLast() else { return false }
        let before = last.withdrawn
        body(&last)
        if last.withdrawn != before {
            last.moves = (last.moves ?? []) + [Move(amount: before - last.withdrawn, at: now.milliseconds)]
        }
        disputes = all + [last]
        return true
    }
}

extension SandboxOutcome {
    fileprivate var isDone: Bool {
        switch self {
        case .approved, .pending: true
        case .declined, .requiresAction: false
        }
    }
}

extension SandboxCharge.Capture {
    fileprivate mutating func move(_ amount: Int64, at now: Timestamp) {
        moves = (moves ?? []) + [SandboxCharge.Move(amount: amount, at: now.milliseconds)]
    }
}
