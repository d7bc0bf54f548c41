import Foundation
import TillCore
import TillFeatureDay
import TillJournal

/// The day in command output.
enum DayLine {
    /// Writes a session as JSON.
    static func json(_ standing: DayBook.Standing) {
        Output.line(String(decoding: DayJSON.session(standing, seesTotals: true), as: UTF8.self))
    }

    /// Writes a report as JSON.
    static func jsonReport(_ standing: DayBook.Standing) {
        Output.line(String(decoding: DayJSON.report(standing, seesTotals: true), as: UTF8.self))
    }

    static func money(_ units: Int64, _ currency: Currency) -> String {
        Money(minorUnits: units, currency: currency).description
    }

    static func words(_ kind: CashMovement.Kind) -> String {
        switch kind {
        case .paidIn: "Paid in"
        case .paidOut: "Paid out"
        case .bankDrop: "Taken to the bank"
        case .refund: "Paid for a refund"
        }
    }

    /// Returns the lines about the last count.
    static func count(_ report: DayReport) -> [String] {
        let currency = report.session.currency
        guard let counted = report.counted, let difference = report.difference else { return [] }
        return table(
            [
                ("expected", report.expected), ("counted", counted), ("difference", difference),
            ], currency)
    }

    /// Returns the lines of the tables of a report, of each with money.
    private static func breakdowns(_ report: DayReport) -> [String] {
        guard let breakdowns = report.breakdowns else {
            return ["by card network, tax, staff, shop and hour: not kept for this report"]
        }
        var lines: [String] = []
        for breakdown in breakdowns where !breakdown.rows.isEmpty {
            lines.append("by \(breakdown.by.words)")
            for (row, sums) in breakdown.rows {
                let name = "  " + row.words(of: breakdown.by)
                lines += table([(name, breakdown.share(of: sums))], breakdown.currency)
            }
        }
        return lines
    }

    /// Returns everything about a report.
    /// - Parameter clock: the shop's clock.
    static func report(_ standing: DayBook.Standing, by clock: DayClock) -> [String] {
        let (report, session) = (standing.report, standing.session)
        let currency = session.currency
        let sum = report.figures.sum(of: currency)
        let epoch = report.epoch > 1 ? "/\(report.epoch)" : ""
        let drawer = session.drawer == .main ? "" : ", drawer \(session.drawer)"
        var lines = [(report.number.map { "Z \($0)\(epoch)" } ?? "X, \(session.state.rawValue)") + drawer]
        lines.append("from \(clock.text(session.openedAt)), by \(session.openedBy)")
        lines.append("until \(clock.text(report.until))" + (report.closing.map { ", closed by \($0.by)" } ?? ""))
        lines.append("times in \(clock.zone.identifier)")
        let disputed: [(String, Int64)] = sum.disputed == 0 ? [] : [("disputed", sum.disputed)]
        lines += table(
            [("gross sales", sum.captured), ("refunds", sum.refunded)] + disputed + [("net sales", sum.net)], currency)
        if sum.tips > 0 { lines += table([("tips", sum.tips)], currency) }
        if sum.discountCount > 0 {
            lines += table([("discounts (\(sum.discountCount))", sum.discounts)], currency)
        }
        for line in report.figures.sums(of: currency, by: { $0.tender }) {
            lines += table([("  " + line.name, line.sums.net)], currency)
        }
        for line in report.figures.drawers(in: currency) {
            lines += table([("  cash in \(line.name)", line.sums.net)], currency)
        }
        for other in report.figures.currencies where other != currency {
            lines += table([("net sales", report.figures.sum(of: other).net)], other)
        }
        if session.drawer == .main { lines += breakdowns(report) }
        if session.openingDifference != 0 {
            lines += table([("opening diff.", session.openingDifference)], currency)
            if let reason = session.openingReason { lines.append("reason: \(reason)") }
        }
        lines += table(
            [
                ("float", session.float.total), ("cash sales", report.cash.captured),
                ("cash refunds", report.cash.refunded), ("paid in", session.paidIn), ("paid out", session.paidOut),
                ("bank drops", session.bankDrops), ("refunds paid", session.refundsPaid),
            ], currency)
        lines += report.counted == nil ? table([("expected", report.expected)], currency) : count(report)
        if let closing = report.closing {
            lines += table([("left", closing.left)], currency)
            if let reason = closing.reason { lines.append("reason: \(reason)") }
        }
        for (currency, total) in report.totals.sorted(by: { $0.key.code < $1.key.code }) {
            lines += table([("net of all days", total.net)], currency)
        }
        if !report.figures.unreadable.isEmpty {
            lines.append("payments that cannot be read: \(report.figures.unreadable.count), see till journal verify")
        }
        if let head = report.head {
            lines += ["the journal's head, for till journal verify --head:", head.description]
        }
        return lines
    }

    private static func table(_ rows: [(String, Int64)], _ currency: Currency) -> [String] {
        rows.map { name, units in
            let amount = money(units, currency)
            let gap = max(1, 18 - name.count) + max(0, 18 - amount.count)
            return name + String(repeating: " ", count: gap) + amount
        }
    }
}
