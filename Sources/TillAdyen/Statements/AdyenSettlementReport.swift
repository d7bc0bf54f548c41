public import TillCore
public import TillStatements

/// Adyen's settlement details report as CSV: one file per closed batch, in major units.
///
/// Each entry belongs to its batch, which is one payout. In the payment's currency the fee is gross minus net; in
/// another currency it is the sum of the report's fee columns. It is irrelevant which of the two gross columns is
/// filled: the filled one is used, and the sign follows from the type. The net columns have their own sign.
public struct AdyenSettlementReport: StatementFormat {
    private static let needed = [
        "Merchant Account", "Psp Reference", "Merchant Reference", "Creation Date", "TimeZone", "Type",
        "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)", "Net Currency",
        "Net Debit (NC)", "Net Credit (NC)", "Batch Number",
    ]
    private static let fees = [
        "Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)", "DCC Markup (NC)",
    ]

    public init() {}

    /// The name in settings, requests and the journal: `adyen-settlement-details`.
    public var name: String { "adyen-settlement-details" }
    /// A capture may be settled up to a week later, and is in no batch before.
    public var lag: Span { .days(8) }

    public func recognizes(_ bytes: [UInt8]) -> Bool {
        StatementRow.isHeader(bytes, with: AdyenSettlementReport.needed)
    }

    public func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
        var lines: [StatementLine] = []
        var met: [String: Int] = [:]
        for row in try StatementRow.all(of: bytes, needing: AdyenSettlementReport.needed) {
            lines.append(try line(row, &met))
        }
        return lines
    }

    /// Parses one entry.
    /// - Parameter met: the number of earlier occurrences of each id. A batch is in one report, so entries without
    ///   their own reference, such as fees, are distinguished by their order.
    private func line(_ row: StatementRow, _ met: inout [String: Int]) throws(StatementError) -> StatementLine {
        let (type, batch) = (try row.need("Type"), try row.need("Batch Number"))
        let kind = AdyenJournalType.kind(type)
        let payment = row["Psp Reference"]
        let change = row["Modification Reference"]
        // Distinguishes entries of a batch that concern no payment.
        let about = payment == nil && kind != .payout ? try row.need("Creation Date") : nil
        let parts = [batch, type, payment, change, about].compactMap { $0 }
        let name = parts.joined(separator: "/")
        met[name, default: 0] += 1
        let repeated = met[name].map { $0 > 1 ? "#\($0)" : "" } ?? ""
        let amounts = try amounts(row, kind)
        let createdAt = try time(row)
        return try row.located { () throws(StatementError) in
            try StatementLine(
                id: name + repeated, kind: kind, type: String(type.prefix(64)),
                references: references(payment: payment, change: change), payment: nil, gross: amounts.gross,
                fee: amounts.fee, net: amounts.net, customerFacing: amounts.facing, createdAt: createdAt,
                payout: "batch \(batch)", raw: row.text)
        }
    }

    /// Returns the references as stored in the journal: an immediately captured authorization has its own suffix.
    private func references(payment: String?, change: String?) -> [String] {
        var names = [change, payment].compactMap { $0 }
        if let payment { names.append(payment + AdyenProvider.takenAtOnce) }
        return names
    }

    private typealias Amounts = (gross: Money, fee: Money, net: Money, facing: Money?)

    private func amounts(_ row: StatementRow, _ kind: StatementLine.Kind) throws(StatementError) -> Amounts {
        let currency = try row.currency("Net Currency")
        let zero = Money.zero(currency)
        let credit = try row.amount("Net Credit (NC)", currency) ?? zero
        let debit = try row.amount("Net Debit (NC)", currency) ?? zero
        guard credit.isZero || debit.isZero else {
            throw row.error("Net Debit (NC)", "debit and credit are both filled")
        }
        let net = try row.located { () throws(StatementError) in try subtract(debit, from: credit) }
        var facing: Money?
        if row["Gross Currency"] != nil {
            let gross = try row.currency("Gross Currency")
            let columns = [
                try row.amount("Gross Credit (GC)", gross), try row.amount("Gross Debit (GC)", gross),
            ]
            let filled = columns.compactMap { $0 }.filter { !$0.isZero }
            guard filled.count <= 1 else { throw row.error("Gross Debit (GC)", "debit and credit are both filled") }
            if let amount = filled.first {
                facing = try row.located { () throws(StatementError) in
                    AdyenJournalType.isDebit(kind) ? try subtract(amount, from: .zero(gross)) : amount
                }
            }
        }
        guard let facing, AdyenJournalType.isOfPayment(kind) else { return (net, zero, net, nil) }
        if facing.currency == currency {
            let fee = try row.located { () throws(StatementError) in try subtract(net, from: facing) }
            return (facing, fee, net, facing)
        }
        var fee = zero
        for column in AdyenSettlementReport.fees {
            guard let part = try row.amount(column, currency) else { continue }
            fee = try row.located { () throws(StatementError) in try add(fee, part) }
        }
        return (try row.located { () throws(StatementError) in try add(net, fee) }, fee, net, facing)
    }

    private func subtract(_ part: Money, from whole: Money) throws(StatementError) -> Money {
        do throws(MoneyError) { return try whole.subtracting(part) } catch { throw StatementError("\(error)") }
    }

    private func add(_ left: Money, _ right: Money) throws(StatementError) -> Money {
        do throws(MoneyError) { return try left.adding(right) } catch { throw StatementError("\(error)") }
    }

    private func time(_ row: StatementRow) throws(StatementError) -> Timestamp {
        let zone = try row.need("TimeZone")
        guard let hours = AdyenJournalType.hours(ofZone: zone) else {
            throw row.error("TimeZone", "“\(zone.prefix(10))” is no time zone that is known here")
        }
        guard let local = Timestamp(internetTime: try row.need("Creation Date") + "Z") else {
            throw row.error("Creation Date", "is no time such as 2026-11-22 10:00:00")
        }
        return local.adding(Span(milliseconds: -hours * 3_600_000))
    }
}
