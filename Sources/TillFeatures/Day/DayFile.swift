import Foundation
import TillBooks
import TillCore
import TillJournal

/// A report as a file (RFC 4180): one figure a row, in long form, amounts with the decimals of their currency, times by
/// the shop's clock.
package enum DayFile {
    private static let columns = [
        "section", "key", "name", "currency", "count", "captured", "refund_count", "refunded", "disputed", "net",
        "tips", "discounts", "discount_count", "value",
    ]

    /// Returns the file's name.
    package static func name(of report: DayReport) -> String {
        let epoch = report.epoch > 1 ? "-epoch-\(report.epoch)" : ""
        let drawer = report.session.drawer == .main ? "" : "-\(report.session.drawer)"
        return report.number.map { "day-report\(drawer)-\($0)\(epoch).csv" } ?? "day-report\(drawer).csv"
    }

    /// Returns the file of a report.
    /// - Parameter clock: the shop's clock.
    package static func text(_ standing: DayBook.Standing, by clock: DayClock) -> String {
        var rows = Rows()
        rows.text = columns.joined(separator: ",") + "\r\n"
        head(of: standing.report, by: clock, into: &rows)
        money(of: standing.report, into: &rows)
        drawer(of: standing, by: clock, into: &rows)
        return rows.text
    }

    private static func head(of report: DayReport, by clock: DayClock, into rows: inout Rows) {
        func fact(_ key: String, _ value: String?) { if let value { rows.fact("report", key, value) } }
        let session = report.session
        fact("number", report.number.map { "\($0)" })
        fact("drawer", session.drawer == .main ? nil : session.drawer.rawValue)
        fact("epoch", "\(report.epoch)")
        fact("currency", session.currency.code)
        fact("zone", clock.zone.identifier)
        fact("from", clock.text(session.openedAt))
        fact("until", clock.text(report.until))
        fact("opened_by", session.openedBy)
        fact("closed_at", report.closing.map { clock.text($0.at) })
        fact("closed_by", report.closing?.by)
        fact("reason", report.closing?.reason)
        fact("first_sequence", "\(session.firstSequence)")
        fact("last_sequence", "\(report.lastSequence)")
        fact("journal_head", report.head?.description)
        fact("hours_zone", report.zone)
        fact("previous", report.previous.map { "\($0)" })
        fact("unreadable_payments", "\(report.figures.unreadable.count)")
    }

    private static func money(of report: DayReport, into rows: inout Rows) {
        let figures = report.figures
        let own = report.session.currency
        for currency in [own] + figures.currencies.filter({ $0 != own }) {
            rows.sums("total", "", "", currency, figures.sum(of: currency))
            for line in figures.sums(of: currency, by: { $0.tender }) {
                rows.sums("tender", "named", line.name, currency, line.sums)
            }
            for line in figures.sums(of: currency, by: { $0.provider }) {
                rows.sums("provider", "named", line.name, currency, line.sums)
            }
            for line in figures.drawers(in: currency) {
                rows.sums("cash_drawer", "named", line.name.rawValue, currency, line.sums)
            }
        }
        if let breakdowns = report.breakdowns {
            for breakdown in breakdowns {
                for (row, sums) in breakdown.rows {
                    rows.sums(
                        breakdown.by.rawValue, row.kind.rawValue, row.name, breakdown.currency, sums, id: row.id)
                }
            }
        } else {
            let isOwn = report.session.drawer == .main
            rows.fact(
                "tables", "not_kept", isOwn ? "This report has no tables." : "The account's reports have the tables.")
        }
        for (currency, total) in report.totals.sorted(by: { $0.key.code < $1.key.code }) {
            let sums = DaySums(captured: total.gross, refunded: total.refunds, disputed: total.disputed)
            rows.sums("all_reports", "", "", currency, sums, isCounted: false)
        }
    }

    private static func drawer(of standing: DayBook.Standing, by clock: DayClock, into rows: inout Rows) {
        let (report, session) = (standing.report, standing.session)
        let amounts: [(String, Int64?)] = [
            ("float", session.float.total), ("opening_difference", session.openingDifference),
            ("cash_sales", report.cash.captured), ("cash_refunds", report.cash.refunded), ("paid_in", session.paidIn),
            ("paid_out", session.paidOut), ("bank_drops", session.bankDrops), ("refunds_paid", session.refundsPaid),
            ("expected", report.expected), ("counted", report.counted), ("difference", report.difference),
            ("left", report.closing?.left),
        ]
        for case (let key, let units?) in amounts { rows.amount("drawer", key, "", session.currency, units) }
        if let reason = session.openingReason { rows.fact("drawer", "opening_reason", reason) }
        for movement in standing.movements {
            let name = "\(clock.text(movement.at)) \(movement.by): \(movement.request.reason)"
            rows.amount("movement", movement.request.kind.rawValue, name, session.currency, movement.request.amount)
        }
    }

    /// The rows of a file.
    private struct Rows {
        var text = ""

        private mutating func add(_ names: [String], _ cells: [String]) {
            text += (names.map { CSVText.cell($0) } + cells).joined(separator: ",") + "\r\n"
        }

        private func decimal(_ units: Int64, _ currency: Currency) -> String {
            Money(minorUnits: units, currency: currency).decimalString
        }

        mutating func fact(_ section: String, _ key: String, _ value: String) {
            add([section, key, ""], ["", "", "", "", "", "", "", "", "", "", CSVText.cell(value)])
        }

        mutating func amount(_ section: String, _ key: String, _ name: String, _ currency: Currency, _ units: Int64) {
            add([section, key, name], [currency.code, "", "", "", "", "", "", "", "", "", decimal(units, currency)])
        }

        /// Adds a row of sums; the identifier of a person stands as its value.
        mutating func sums(
            _ section: String, _ key: String, _ name: String, _ currency: Currency, _ sums: DaySums, id: String = "",
            isCounted: Bool = true
        ) {
            func counted(_ text: String) -> String { isCounted ? text : "" }
            add(
                [section, key, name],
                [
                    currency.code, counted("\(sums.count)"), decimal(sums.captured, currency),
                    counted("\(sums.refundCount)"), decimal(sums.refunded, currency),
                    decimal(sums.disputed, currency), decimal(sums.net, currency),
                    counted(decimal(sums.tips, currency)), counted(decimal(sums.discounts, currency)),
                    counted("\(sums.discountCount)"), CSVText.cell(id),
                ])
        }
    }
}
