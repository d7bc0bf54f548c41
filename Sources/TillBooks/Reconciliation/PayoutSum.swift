import TillCore
import TillJournal
import TillProvider

/// A payout is the sum of its rows; what is left is named.
struct PayoutSum {
    let journal: any Journal & RecordStore
    let clock: any TillClock

    /// Holds a payout against the rows of it that were imported. Nothing is said while either is not there.
    func check(
        _ payout: String, of provider: ProviderName, _ outcome: inout Reconciliation.Outcome
    ) async throws(JournalError) {
        var rows: [Currency: (number: Int, sum: Int128)] = [:]
        var total: KeptLine?
        var after: Int64?
        while true {
            let page = try await journal.records(
                RecordQuery(
                    KeptLine.collection, matching: KeptLine.of(payout: payout, provider), .oldestFirst(after: after)))
            guard let last = page.last else { break }
            after = last.position
            for record in page {
                let kept = try KeptLine(record)
                switch kept.line.kind {
                case .payout: total = kept
                case .payoutFailure: break
                case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal, .fee, .transfer,
                    .exchange, .other:
                    let net = kept.line.net
                    rows[net.currency, default: (0, 0)].number += 1
                    rows[net.currency, default: (0, 0)].sum += Int128(net.minorUnits)
                }
            }
        }
        guard let total, !rows.isEmpty else { return }
        let currency = total.line.net.currency
        let (number, sum) = rows.removeValue(forKey: currency) ?? (0, 0)
        let rest = sum + Int128(total.line.net.minorUnits)
        if rest == 0, rows.isEmpty {
            let resolved = try await StatementBreak.resolve(
                StatementBreak.ofPayout(payout), of: provider, in: journal)
            if !resolved.isEmpty { try await journal.change(resolved) }
            return
        }
        outcome.remainders += 1
        let found = StatementBreak.remainder(
            payout, total, rows: number, sum: sum, rest: rest, others: rows.mapValues(\.sum), at: clock.now())
        try await journal.change([.insertIfAbsent(found.record)])
    }
}
