public import TillCore

/// A change to a charge after the sale that Till did not request.
public enum SandboxAfterSale: Hashable, Sendable {
    /// A succeeded refund fails later; the last one unless named.
    case failRefund(String?, isCanceled: Bool)
    /// The last capture fails.
    case failCapture
    /// The failed capture is restored.
    case restoreCapture
    /// A refund in the dashboard, in minor units; the full remaining amount by default.
    case refund(Int64?)
    /// A capture in the dashboard, in minor units; the full authorized amount by default.
    case capture(Int64?)
    /// A dispute is opened, in minor units; over the full captured amount by default. An inquiry moves no money.
    case dispute(Int64?, reason: String, isInquiry: Bool, respondBy: Timestamp?)
    /// The last dispute's amount is withdrawn.
    case withdrawFunds
    /// The last dispute's amount is reinstated, in minor units; in full by default.
    case reinstateFunds(Int64?)
    /// The last dispute is decided.
    case closeDispute(isWon: Bool)
}

extension SandboxLedger {
    /// Applies a change to a charge after the sale.
    ///
    /// ```swift
    /// let dispute = SandboxAfterSale.dispute(nil, reason: "fraudulent", isInquiry: false, respondBy: nil)
    /// let disputed = try await ledger.play(dispute, on: reference)
    /// let lost = try await ledger.play(.closeDispute(isWon: false), on: reference)
    /// ```
    ///
    /// - Returns: the changed charge; `nil` if there is none, or if the change is not possible.
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
    /// Applies a change; returns `false` if it is not possible.
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
                    // The amount withdrawn at the opening is lost, less any reinstated since.
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
