import TillCore
import TillSandbox

/// Rules for charges that were reversed later, moved by others, or disputed.
enum AfterSaleRules {
    /// Returns the violations.
    static func problems(
        _ charge: SandboxCharge, _ payment: Payment, _ attempts: [AttemptID: Attempt], at now: Timestamp
    ) -> [String] {
        var problems: [String] = []
        if charge.currency != payment.currency.code {
            if charge.captured > 0 { problems.append("captured \(charge.captured) \(charge.currency)") }
            if payment.captures.contains(where: { attempts[$0.attempt] != nil }) {
                problems.append("authorized in \(charge.currency), and a capture in \(payment.currency.code) was tried")
            }
        }
        for dispute in charge.disputes ?? [] {
            guard let known = payment.disputes.first(where: { $0.facts.reference.rawValue == dispute.reference }) else {
                problems.append("the journal does not know the dispute \(dispute.reference)")
                continue
            }
            if known.withdrawn.minorUnits != dispute.withdrawn {
                problems.append("\(dispute.reference) took \(dispute.withdrawn), journal \(known.withdrawn.minorUnits)")
            }
            if known.outcome?.word != dispute.outcome {
                problems.append("\(dispute.reference) is \(dispute.status), journal \(known.outcome?.word ?? "open")")
            }
        }
        let wasVoided = !attempts.isEmpty && attempts.values.allSatisfy { $0.void?.state.isSucceeded == true }
        let isOver = (charge.holdEndsAt ?? .max) <= now.milliseconds
        if wasVoided, charge.state == .authorized, charge.captures.isEmpty, !isOver {
            problems.append("money is held, and the journal says that it was voided")
        }
        if isOver, charge.captures.isEmpty, payment.status == .requiresCapture,
            attempts[payment.currentAttempt?.id ?? AttemptID(rawValue: "")] != nil
        {
            problems.append("the hold has ended, and the journal still waits for a capture")
        }
        return problems
    }
}

extension SandboxCharge {
    /// The total ever captured, including captures that failed later, in minor units.
    var everCaptured: Int64 { captures.map(\.amount).reduce(0, +) }

    /// `true` if a capture or a refund failed: a journal restored in between may contain neither.
    var hasComeToNothing: Bool {
        captures.contains { !($0.moves ?? []).isEmpty }
            || refunds.contains { $0.status != .succeeded && $0.status != .pending }
    }

    /// The amount refunded by Till, in minor units; others may refund more.
    var refundedByTill: Int64 {
        refunds.filter { $0.refund != nil && ($0.status == .succeeded || $0.status == .pending) }.map(\.amount)
            .reduce(0, +)
    }
}

extension SandboxCharge.Dispute {
    /// The outcome of the dispute, in the journal's terms; `nil` if it is open.
    fileprivate var outcome: String? { status == "won" || status == "lost" ? status : nil }
}

extension Payment {
    /// The total ever captured, including captures that failed later, in minor units.
    var everCaptured: Int64 {
        captures.filter { $0.state.isSucceeded || $0.state.isReversed }.map(\.amount.minorUnits).reduce(0, +)
    }

    /// The total ever refunded, including refunds that failed later, in minor units.
    var everRefunded: Int64 {
        refunds.filter { $0.state.isSucceeded || $0.state.isReversed }.map(\.amount.minorUnits).reduce(0, +)
    }

    /// `true` if its refund failed after its order was sold again.
    var isPaidAgain: Bool {
        attention.contains { if case .orderPaidAgain = $0 { true } else { false } }
    }
}
