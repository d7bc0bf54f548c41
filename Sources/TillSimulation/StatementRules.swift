import TillBooks
import TillCore
import TillJournal
import TillStatements
import TillSandbox

/// The provider's own ledger as its statement: it must reconcile with the journal without a discrepancy, and the ledger
/// derived from both must match the provider's.
struct StatementRules {
    let journal: any Journal & RecordStore
    let clock: any TillClock
    /// The charges explained by incidents after a restore.
    var explained = RestoreRules()
    /// `true` if the journal was restored from a backup: later movements are on the statement, and the journal knows
    /// them only from reports.
    var isRestored = false

    /// Returns the violations.
    /// - Parameter charges: all charges of the provider, each with its payment.
    func problems(_ charges: [(charge: SandboxCharge, payment: Payment?)]) async -> [String] {
        do { return try await judge(charges) } catch { return ["statement: \(error)"] }
    }

    private func judge(_ charges: [(charge: SandboxCharge, payment: Payment?)]) async throws -> [String] {
        var statements: [ProviderName: [StatementLine]] = [:]
        var turned: Set<PaymentID> = []
        var held = LedgerSums()
        var kept = LedgerSums()
        var foreign = Foreign()
        for (charge, payment) in charges {
            let lines = try lines(of: charge)
            guard !lines.isEmpty else { continue }
            if let payment, charge.hasTurnedBack || (isRestored && charge.mayBeSummedUp) { turned.insert(payment.id) }
            let attempt = payment?.attempts.last {
                $0.id.rawValue == charge.attempt || $0.reference?.rawValue == charge.reference
            }
            let provider: ProviderName
            if let attempt {
                provider = LedgerAccount.owner(of: attempt.provider)
            } else {
                guard isRestored, explained.contains(charge) else { continue }
                provider = charge.reference.hasPrefix("pi_") ? WorldReaders.provider : .sandbox
                if let payment { turned.insert(payment.id) }
                for line in lines { foreign.add(line) }
            }
            for line in lines {
                held.add(line.net)
                kept.add(line.fee)
            }
            statements[provider, default: []] += lines
        }
        var problems: [String] = []
        for (provider, lines) in statements.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            problems += try await reconcile(lines, of: provider, except: turned, foreign)
        }
        return try await problems + compare(held, kept, foreign.sums)
    }

    /// Lines of charges that no payment accounts for: each must be a discrepancy, with its money in suspense.
    private struct Foreign {
        var lines: Set<String> = []
        var sums = LedgerSums()

        mutating func add(_ line: StatementLine) {
            lines.insert(line.id)
            sums.add(line.gross)
        }

        /// `true` if a discrepancy is about one of them.
        func contains(_ incident: Incident) -> Bool {
            lines.contains(String(incident.event.split(separator: " ").last ?? ""))
        }
    }

    /// Imports a part first, then all of it: an overlapping report must not duplicate anything.
    private func reconcile(
        _ lines: [StatementLine], of provider: ProviderName, except turned: Set<PaymentID>, _ foreign: Foreign
    ) async throws -> [String] {
        let reconciliation = Reconciliation(journal, clock: clock, account: .main, mode: .test)
        var outcome = Reconciliation.Outcome()
        for part in [Array(lines.prefix(lines.count / 8)), lines] {
            outcome = try await reconciliation.add(
                Reconciliation.Statement(provider: provider, providerAccount: nil, lines: part, lag: .days(1)))
        }
        var problems: [String] = []
        let left = outcome.expected + outcome.missing
        if left > 0 { problems.append("statement of \(provider): \(left) movements of the journal are not in it") }
        // A reversal that was undone between two queries appears on the statement only.
        for incident in try await Reconciliation.open(journal, provider)
        where !turned.contains(incident.payment) && !foreign.contains(incident) {
            problems.append("statement of \(provider): \(incident)")
        }
        return problems
    }

    private func compare(_ held: LedgerSums, _ kept: LedgerSums, _ foreign: LedgerSums) async throws -> [String] {
        let (balances, _, _) = try await Ledger(journal, account: nil).balances()
        var problems: [String] = []
        for currency in Set(balances.all.map(\.currency)).union(held.units.keys) {
            let wanted: [(LedgerAccount.Kind, Int128)] = [
                (.receivable, held.units[currency] ?? 0), (.fees, kept.units[currency] ?? 0),
                (.suspense, -(foreign.units[currency] ?? 0)),
            ]
            for (kind, sum) in wanted {
                let posted = balances.sum(of: [kind], in: currency)
                guard posted != sum else { continue }
                problems.append("ledger: \(kind) is \(posted) \(currency), the provider has \(sum)")
            }
        }
        return problems
    }

    private func lines(of charge: SandboxCharge) throws -> [StatementLine] {
        let currency = try Currency(code: charge.currency)
        var lines: [StatementLine] = []
        func add(_ name: String, _ kind: StatementLine.Kind, _ units: Int64, fee: Int64 = 0, at: Int64?) throws {
            lines.append(
                try StatementLine(
                    id: "\(charge.reference)/\(lines.count)", kind: kind, type: kind.rawValue,
                    references: [name, charge.reference], payment: charge.payment.map { PaymentID(rawValue: $0) },
                    gross: Money(minorUnits: units, currency: currency),
                    fee: Money(minorUnits: fee, currency: currency),
                    net: Money(minorUnits: units - fee, currency: currency), customerFacing: nil,
                    createdAt: Timestamp(milliseconds: at ?? charge.createdAt), payout: nil, raw: ""))
        }
        for capture in charge.captures {
            try add(capture.reference, .charge, capture.amount, fee: capture.amount / 100 + 1, at: capture.at)
            for move in capture.moves ?? [] {
                try add(capture.reference, move.amount < 0 ? .chargeFailure : .charge, move.amount, at: move.at)
            }
        }
        for refund in charge.refunds where refund.paidAt != nil {
            try add(refund.reference, .refund, -refund.amount, at: refund.paidAt)
            if let back = refund.returnedAt { try add(refund.reference, .refundFailure, refund.amount, at: back) }
        }
        for dispute in charge.disputes ?? [] {
            for move in dispute.moves ?? [] {
                try add(dispute.reference, move.amount < 0 ? .dispute : .disputeReversal, move.amount, at: move.at)
            }
        }
        return lines
    }
}

extension SandboxCharge {
    /// `true` if money was reversed and returned: the journal need not have seen both.
    fileprivate var hasTurnedBack: Bool {
        captures.contains { ($0.moves ?? []).count > 1 } || (disputes ?? []).contains { ($0.moves ?? []).count > 1 }
            || refunds.contains { $0.returnedAt != nil }
    }

    /// `true` if a restored journal may have recorded its movements as one sum, or not at all.
    fileprivate var mayBeSummedUp: Bool { captures.count > 1 || refunds.count > 1 || hasComeToNothing }
}
