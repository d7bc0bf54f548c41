public import TillCore
public import TillStatements

/// Stripe's report `payout_reconciliation.itemized.5` as CSV: the transactions of automatic payouts, in major units.
///
/// The report has no line for the payout itself, so a line with the sum of its rows is added for each payout. It has
/// the id of the payout that Stripe lists elsewhere, so that a difference between the two is detected.
public struct StripePayoutReport: StatementFormat {
    private static let needed = [
        "balance_transaction_id", "currency", "gross", "fee", "net", "reporting_category",
    ]

    public init() {}

    /// The name in settings, requests and the journal: `stripe-payout-reconciliation`.
    public var name: String { "stripe-payout-reconciliation" }
    /// A capture may be paid out a week later, and appears in no report before.
    public var lag: Span { .days(8) }

    public func recognizes(_ bytes: [UInt8]) -> Bool {
        StatementRow.isHeader(bytes, with: StripePayoutReport.needed)
    }

    public func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
        var lines: [StatementLine] = []
        var payouts: [String: [StatementLine]] = [:]
        for row in try StatementRow.all(of: bytes, needing: StripePayoutReport.needed) {
            lines.append(try line(row))
        }
        lines = try StripePartialCapture.joined(lines)
        for line in lines {
            if let payout = line.payout { payouts[payout, default: []].append(line) }
        }
        for (payout, rows) in payouts.sorted(by: { $0.key < $1.key }) { lines.append(try sum(payout, rows)) }
        return lines
    }

    private func line(_ row: StatementRow) throws(StatementError) -> StatementLine {
        let transaction = try row.need("balance_transaction_id")
        let currency = try row.currency("currency")
        let category = try row.need("reporting_category")
        let kind = StripeLineKind.kind(category: category, type: nil)
        let timeColumn = row["created_utc"] == nil ? "created" : "created_utc"
        guard let createdAt = Timestamp(internetTime: try row.need(timeColumn) + "Z") else {
            throw row.error(timeColumn, "is no time such as 2026-11-22 10:00:00")
        }
        let facing: Money? =
            if row["customer_facing_amount"] != nil, row["customer_facing_currency"] != nil {
                try row.money("customer_facing_amount", try row.currency("customer_facing_currency"))
            } else { nil }
        let gross = try row.money("gross", currency)
        let fee = try row.money("fee", currency)
        let net = try row.money("net", currency)
        return try row.located { () throws(StatementError) in
            try StatementLine(
                id: StripeLineKind.lineID(kind, transaction: transaction, source: row["source_id"]), kind: kind,
                type: StripeError.line(category, limit: 64),
                references: [row["source_id"], row["payment_intent_id"], row["charge_id"]].compactMap { $0 },
                payment: StripeLineKind.payment(row["payment_metadata[till_payment]"]), gross: gross, fee: fee,
                net: net, customerFacing: facing, createdAt: createdAt,
                payout: row["automatic_payout_id"] ?? row["payout_id"], raw: row.text)
        }
    }

    private func sum(_ payout: String, _ rows: [StatementLine]) throws(StatementError) -> StatementLine {
        guard let first = rows.first else { throw StatementError("the payout \(payout) has no rows") }
        var sum = Money.zero(first.net.currency)
        do throws(MoneyError) { for row in rows { sum = try sum.subtracting(row.net) } } catch {
            throw StatementError("the rows of payout \(payout) are in several currencies or cannot be counted")
        }
        return try StatementLine(
            id: StripeLineKind.lineID(.payout, transaction: payout, source: payout), kind: .payout, type: "payout",
            references: [payout], payment: nil, gross: sum, fee: .zero(sum.currency), net: sum, customerFacing: nil,
            createdAt: rows.map(\.createdAt).max() ?? first.createdAt, payout: payout,
            raw: "the sum of \(rows.count) rows")
    }
}
