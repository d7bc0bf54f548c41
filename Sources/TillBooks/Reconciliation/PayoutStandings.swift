package import TillCore
package import TillJournal
import TillStatements

/// The payouts of a span of time, as the imported statements have them.
package struct PayoutStandings: Hashable, Sendable {
    /// A payout with the sum of its rows.
    package struct Payout: Hashable, Sendable {
        package enum State: String, Hashable, Sendable {
            /// Its rows sum to it, and each has its movement in the journal.
            case matched
            /// A part is not explained.
            case open
            /// None of its rows was imported.
            case withoutRows = "no_rows"
            /// It came back.
            case returned
            /// It has more rows than are read at once.
            case unread
        }

        package var provider: ProviderName
        package var id: String
        package var at: Timestamp
        /// The amount paid out; positive.
        package var amount: Money
        /// The number of rows in its currency, and of those that no movement of the journal accounts for.
        package var rows = 0
        package var openRows = 0
        /// The provider's fees in its rows; positive for a cost, in minor units.
        package var fees: Int64 = 0
        /// The part of the rows' sum that is not in the payout, in minor units.
        package var remainder: Int64 = 0
        package var state = State.withoutRows
    }

    /// Newest first.
    package var payouts: [Payout] = []
    /// `false` if lines or payouts were left out.
    package var isComplete = true
}

extension Reconciliation {
    /// Returns the payouts that the statements date within a span of time, newest first.
    /// - Parameters:
    ///   - most: The maximum number of payouts.
    ///   - limit: The maximum number of lines that are read to find them, and again for their rows; the newest imports
    ///     come first.
    package static func payouts(
        _ records: any RecordStore, from: Timestamp, until: Timestamp, atMost most: Int, lines limit: Int
    ) async throws(JournalError) -> PayoutStandings {
        var standings = PayoutStandings()
        var (found, returned): ([KeptLine], Set<String>) = ([], [])
        var (before, left): (Int64?, Int) = (nil, limit)
        while true {
            let page = try await records.records(
                RecordQuery(KeptLine.collection, .newestFirst(before: before), limit: RecordLimits.maximumPage))
            guard let last = page.last else { break }
            guard left > 0 else {
                standings.isComplete = false
                break
            }
            for record in page.prefix(left) {
                let kept = try KeptLine(record)
                switch kept.line.kind {
                case .payout where from <= kept.line.createdAt && kept.line.createdAt < until: found.append(kept)
                case .payoutFailure: if let payout = kept.line.payout { returned.insert("\(kept.provider) \(payout)") }
                case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal, .fee, .payout,
                    .transfer, .exchange, .other:
                    break
                }
            }
            if page.count > left { standings.isComplete = false }
            (before, left) = (last.position, left - page.count)
        }
        found.sort { ($1.line.createdAt, $1.id) < ($0.line.createdAt, $0.id) }
        if found.count > most { standings.isComplete = false }
        var rows = limit
        for kept in found.prefix(most) {
            var payout = try await standing(of: kept, in: records, &rows)
            if returned.contains("\(kept.provider) \(payout.id)") { payout.state = .returned }
            standings.payouts.append(payout)
        }
        return standings
    }

    /// Sums the rows of a payout in its own currency.
    /// - Parameter left: the number of rows that may still be read.
    private static func standing(
        of kept: KeptLine, in records: any RecordStore, _ left: inout Int
    ) async throws(JournalError) -> PayoutStandings.Payout {
        let (name, net) = (kept.line.payout ?? kept.line.id, kept.line.net)
        var payout = PayoutStandings.Payout(
            provider: kept.provider, id: name, at: kept.line.createdAt,
            amount: Money(minorUnits: Int64(clamping: 0 - Int128(net.minorUnits)), currency: net.currency))
        guard kept.line.payout != nil else { return payout }
        var (sum, fees): (Int128, Int128) = (0, 0)
        var after: Int64?
        while true {
            let page = try await records.records(
                RecordQuery(
                    KeptLine.collection, matching: KeptLine.of(payout: name, kept.provider),
                    .oldestFirst(after: after)))
            guard let last = page.last else { break }
            guard left >= page.count else {
                payout.state = .unread
                return payout
            }
            (after, left) = (last.position, left - page.count)
            for record in page {
                let row = try KeptLine(record)
                guard row.line.net.currency == net.currency else { continue }
                switch row.line.kind {
                case .payout, .payoutFailure: continue
                case .fee: fees += Int128(row.line.fee.minorUnits) - Int128(row.line.gross.minorUnits)
                case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal, .transfer,
                    .exchange, .other:
                    fees += Int128(row.line.fee.minorUnits)
                }
                payout.rows += 1
                if row.state == .unknown || row.state == .differs { payout.openRows += 1 }
                sum += Int128(row.line.net.minorUnits)
            }
        }
        guard payout.rows > 0 else { return payout }
        payout.fees = Int64(clamping: fees)
        payout.remainder = Int64(clamping: sum + Int128(net.minorUnits))
        payout.state = payout.remainder == 0 && payout.openRows == 0 ? .matched : .open
        return payout
    }
}
