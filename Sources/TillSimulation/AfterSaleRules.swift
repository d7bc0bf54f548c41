import TillCore
import TillSandbox

/// What must be so of a charge whose money came to nothing later, was moved by others, or is disputed.
enum AfterSaleRules {
    /// What is not as it must be.
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
    /// All that was captured, also what came to nothing later, in minor units.
    var everCaptured: Int64 { captures.map(\.amount).reduce(0, +) }

    /// A capture or a refund came to nothing: a journal that was restored between may know of neither.
    var hasComeToNothing: Bool {
        captures.contains { !($0.moves ?? []).isEmpty }
            || refunds.contains { $0.status != .succeeded && $0.status != .pending }
    }

    /// What Till has refunded, in minor units; others may refund more.
    var refundedByTill: Int64 {
        refunds.filter { $0.refund != nil && ($0.status == .succeeded || $0.status == .pending) }.map(\.amount)
            .reduce(0, +)
    }
}

extension SandboxCharge.Dispute {
    /// How it was closed, in the journal's word; `nil`: it is open.
    fileprivate var outcome: String? { status == "won" || status == "lost" ? status : nil }
}

extension Payment {
    /// All that was captured, also what came to nothing later, in minor units.
    var everCaptured: Int64 {
        captures.filter { $0.state.isSucceeded || $0.state.isReversed }.map(\.amount.minorUnits).reduce(0, +)
    }

    /// All that was refunded, also what came to nothing later, in minor units.
    var everRefunded: Int64 {
        refunds.filter { $0.state.isSucceeded || $0.state.isReversed }.map(\.amount.minorUnits).reduce(0, +)
    }

    /// The money of its refund came back after its order was sold again.
    var isPaidAgain: Bool {
        attention.contains { if case .orderPaidAgain = $0 { true } else { false } }
    }
}
