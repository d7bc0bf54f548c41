package import TillCore
package import TillSandbox

/// Rules for the renewals of a hold, independent of the caller and of any fault.
package enum RenewalRules {
    /// Returns the violations of a charge and its payment; empty if there are none.
    /// - Parameter payment: `nil` if the journal does not contain it.
    package static func problems(_ charge: SandboxCharge, _ payment: Payment?, at now: Timestamp) -> [String] {
        let renewals = charge.renewals ?? []
        var found: [String] = []
        if renewals.count > 1 { found.append("renewed \(renewals.count) times") }
        for renewal in renewals {
            if renewal.at >= charge.holdEndsAt ?? .max { found.append("renewed after its end") }
            let taken = charge.captured - renewal.capturedBefore
            if taken > renewal.amount { found.append("captured \(taken) of a renewal of \(renewal.amount)") }
        }
        guard let payment, let attempt = payment.attempts.first(where: { $0.id.rawValue == charge.attempt }) else {
            return renewals.isEmpty ? found : found + ["the journal does not know who renewed it"]
        }
        let known = payment.renewals.filter { $0.attempt == attempt.id }
        for renewal in renewals {
            guard let mine = known.first(where: { $0.key.rawValue == renewal.key }) else {
                found.append("renewed, and the journal does not know it")
                continue
            }
            if let reason = mine.denial { found.append("renewed, and the journal says \(reason)") }
        }
        if known.contains(where: { $0.state.isSucceeded }) {
            if renewals.isEmpty { found.append("not renewed, and the journal says so") }
            if let name = attempt.reference?.rawValue, name != charge.holdName {
                found.append("held as \(charge.holdName), journal \(name)")
            }
        }
        return found + lost(attempt, of: payment, charge, at: now)
    }

    /// Reports a hold that the journal has and the provider does not.
    private static func lost(
        _ attempt: Attempt, of payment: Payment, _ charge: SandboxCharge, at now: Timestamp
    ) -> [String] {
        guard let held = attempt.authorization, attempt.void == nil, let end = held.captureBefore, now < end,
            !payment.captures.contains(where: { $0.attempt == attempt.id })
        else { return [] }
        guard charge.state == .authorized, let ends = charge.holdEndsAt, now.milliseconds < ends else {
            return ["the journal holds what the provider does not"]
        }
        return ends == end.milliseconds ? [] : ["the hold ends at \(ends), journal \(end.milliseconds)"]
    }
}

extension Renewal {
    /// The refusal recorded in the journal. A hold that had expired by the time of a query is not a refusal.
    fileprivate var denial: String? {
        guard case .refused(let decline) = state, decline.reason != .authorizationExpired else { return nil }
        return decline.reason.rawValue
    }
}

extension Payment {
    /// `true` if staff must review it for a reason other than an expiring hold or an event after the sale.
    package var isLeftToPeople: Bool {
        !attention.allSatisfy { attention in
            switch attention {
            case .holdEnds, .honorPeriodEnds, .refundReversed, .captureReversed, .disputeOpened, .disputeLost: true
            default: false
            }
        }
    }
}
