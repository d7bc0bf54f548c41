import TillBooks
import TillCore
import TillCounter

/// The same numbers as a file (RFC 4180): one figure a row, in long form, amounts with the decimals of their currency.
enum InsightsFile {
    private static let columns = [
        "section", "from", "until", "key", "detail", "currency", "captures", "captured", "refunds", "refunded", "net",
        "count",
    ]

    static func text(_ insights: Insights) -> String {
        var file = Rows(insights.span)
        file.text = columns.joined(separator: ",") + "\r\n"
        if let omission = insights.reading.omission { file.count("incomplete", omission) }
        if insights.reading.unreadable > 0 { file.count("unreadable_payments", "", Int64(insights.reading.unreadable)) }
        for (currency, money) in insights.reading.currencies.sorted(by: { $0.key.code < $1.key.code }) {
            file.money(money, currency)
        }
        for (side, counts) in [("now", insights.reading.attempts), ("before", insights.reading.attemptsBefore)] {
            let outcomes: [(String, Int64)] = [
                ("approved", counts.approved), ("declined", counts.declined), ("open", counts.open),
                ("not_sent", counts.notSent), ("canceled", counts.canceled),
            ]
            for (outcome, count) in outcomes { file.count("attempts", outcome, count, side == "before") }
        }
        for (decline, count) in insights.reading.declines.sorted(by: { $0.key < $1.key }) {
            file.row(["decline"] + file.range + [decline.reason, "\(decline.provider) \(decline.code)"], count: count)
        }
        for dispute in insights.disputes {
            file.row(
                [
                    "dispute", dispute.openedAt.description, dispute.respondBy?.description ?? "", dispute.orderNumber,
                    "\(dispute.state) \(dispute.reason)",
                ], dispute.amount.currency, net: dispute.amount.minorUnits)
        }
        if insights.furtherDisputes > 0 { file.count("further_disputes", "", Int64(insights.furtherDisputes)) }
        if let standings = insights.payouts {
            if !standings.isComplete { file.count("payouts_incomplete", "Not all lines of statements were read.") }
            for payout in standings.payouts {
                let at = payout.at.description
                file.row(
                    ["payout", at, at, payout.id, "\(payout.provider) \(payout.state.rawValue)"],
                    payout.amount.currency, net: payout.amount.minorUnits, count: Int64(payout.rows))
            }
            file.count("open_breaks", "", Int64(insights.openBreaks))
        }
        file.offline(insights.offline)
        if let attention = insights.attention {
            file.count("attention", attention.hasMore ? "at least" : "", Int64(attention.open))
            file.count("incidents", "", Int64(attention.incidents))
        }
        return file.text
    }

    /// The rows of a file.
    private struct Rows {
        let span: InsightsSpan
        var text = ""

        init(_ span: InsightsSpan) { self.span = span }

        var range: [String] { [ShopCalendar.text(span.first), ShopCalendar.text(span.last)] }
        private var before: [String] {
            [ShopCalendar.text(span.first - span.count), ShopCalendar.text(span.first - 1)]
        }

        /// Adds a row of five names with the cells after them.
        private mutating func add(_ names: [String], _ cells: [String]) {
            text += (names.map { CSVText.cell($0) } + cells).joined(separator: ",") + "\r\n"
        }

        mutating func count(_ section: String, _ key: String, _ count: Int64? = nil, _ isBefore: Bool = false) {
            row([section] + (isBefore ? before : range) + [key, ""], count: count)
        }

        mutating func row(_ names: [String], _ currency: Currency? = nil, net: Int64? = nil, count: Int64?) {
            let amount =
                if let currency, let net { Money(minorUnits: net, currency: currency).decimalString } else { "" }
            add(names, [currency?.code ?? "", "", "", "", "", amount, count.map { "\($0)" } ?? ""])
        }

        mutating func row(_ names: [String], _ currency: Currency, net: Int64) {
            row(names, currency, net: net, count: nil)
        }

        mutating func sums(_ names: [String], _ currency: Currency, _ sums: InsightsSums, _ count: Int64? = nil) {
            func decimal(_ units: Int64) -> String { Money(minorUnits: units, currency: currency).decimalString }
            add(
                names,
                [
                    currency.code, "\(sums.captures)", decimal(sums.captured), "\(sums.refunds)",
                    decimal(sums.refunded), decimal(sums.net), count.map { "\($0)" } ?? "",
                ])
        }

        mutating func money(_ money: CurrencyInsights, _ currency: Currency) {
            sums(["total"] + range + ["", ""], currency, money.total.now, money.payments)
            sums(["total"] + before + ["", ""], currency, money.total.before, money.paymentsBefore)
            for (day, pair) in money.days.sorted(by: { $0.key < $1.key }) {
                let (now, was) = (ShopCalendar.text(day), ShopCalendar.text(day - span.count))
                sums(["day", now, now, now, ""], currency, pair.now)
                sums(["day", was, was, now, "before"], currency, pair.before)
            }
            for week in money.weeks {
                let ends = [max(week.monday, span.first), min(week.monday + 6, span.last)]
                let names = ["week"] + ends.map { ShopCalendar.text($0) } + [ShopCalendar.text(week.monday), ""]
                sums(names, currency, week.sums)
            }
            for (tender, pair) in money.tenders.sorted(by: { $0.key < $1.key }) {
                sums(["tender"] + range + [tender, ""], currency, pair.now)
                sums(["tender"] + before + [tender, "before"], currency, pair.before)
            }
            for (hour, found) in money.hours.sorted(by: { $0.key < $1.key }) {
                sums(["hour"] + range + ["\(hour.weekday)", "\(hour.hour)"], currency, found)
            }
            for (reason, found) in money.reasons.sorted(by: { $0.key < $1.key }) {
                sums(["refund_reason"] + range + [reason, ""], currency, found)
            }
        }

        mutating func offline(_ offline: Insights.Offline) {
            switch offline {
            case .none: break
            case .unreadable(let reason): count("offline_unreadable", reason)
            case .stored(let metrics):
                count("offline", "", Int64(metrics.count))
                for (code, units) in metrics.sums.sorted(by: { $0.key < $1.key }) {
                    guard let currency = Currency(ifValid: code) else { continue }
                    row(["offline"] + range + ["", ""], currency, net: units)
                }
            }
        }
    }
}
