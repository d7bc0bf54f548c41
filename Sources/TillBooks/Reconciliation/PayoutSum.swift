import TillCore
import TillJournal
import TillStatements

/// A check that a payout equals the sum of its rows, in each of its currencies; any remainder is reported.
struct PayoutSum {
    let journal: any Journal & RecordStore
    let clock: any TillClock

    /// Compares a payout with its imported rows. Reports nothing while either is missing.
    func check(
        _ payout: String, of provider: ProviderName, _ outcome: inout Reconciliation.Outcome
    ) async throws(JournalError) {
        var rows: [Currency: (number: Int, sum: Int128)] = [:]
        var totals: [Currency: KeptLine] = [:]
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
                case .payout: totals[kept.line.net.currency] = kept
                case .payoutFailure: break
                case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal, .fee, .transfer,
                    .exchange, .other:
                    let net = kept.line.net
                    rows[net.currency, default: (0, 0)].number += 1
                    rows[net.currency, default: (0, 0)].sum += Int128(net.minorUnits)
                }
            }
        }
        guard !rows.isEmpty else { return }
        // Rows in a currency without a payout are reported once.
        var strays = rows.filter { totals[$0.key] == nil }.mapValues(\.sum)
        for (currency, total) in totals.sorted(by: { $0.key.code < $1.key.code }) {
            let name = totals.count == 1 ? payout : "\(payout) in \(currency.code)"
            let (number, sum) = rows[currency] ?? (0, 0)
            let rest = sum + Int128(total.line.net.minorUnits)
            guard rest != 0 || !strays.isEmpty else {
                // The first of several was reported under the payout's own name.
                for found in Set([name, payout]) {
                    let resolved = try await StatementBreak.resolve(
                        StatementBreak.ofPayout(found), of: provider, in: journal)
                    if !resolved.isEmpty { try await journal.change(resolved) }
                }
                continue
            }
            outcome.remainders += 1
            let found = StatementBreak.remainder(
                name, total, rows: number, sum: sum, rest: rest, others: strays, at: clock.now())
            strays = [:]
            try await journal.change([.insertIfAbsent(found.record)])
        }
    }
}
