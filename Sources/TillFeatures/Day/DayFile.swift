import Foundation
import TillBooks
import TillCore

/// A report as a file (RFC 4180): one figure a row, in long form, amounts with the decimals of their currency, times by
/// the shop's clock.
package enum DayFile {
    private static let columns = [
        "section", "key", "name", "currency", "count", "captured", "refund_count", "refunded", "disputed", "net",
        "tips", "discounts", "discount_count", "value",
    ]

    /// Returns the file's name.
    /// - Parameter kind: how it ends, without the dot.
    package static func name(of report: DayReport, as kind: String = "csv") -> String {
        let epoch = report.epoch > 1 ? "-epoch-\(report.epoch)" : ""
        let drawer = report.session.drawer == .main ? "" : "-\(report.session.drawer)"
        return report.number.map { "day-report\(drawer)-\($0)\(epoch).\(kind)" } ?? "day-report\(drawer).\(kind)"
    }

    /// Returns the file of a report.
    /// - Parameter clock: the shop's clock.
    package static func text(_ standing: DayBook.Standing, by clock: DayClock) -> String {
        var rows = Rows(clock: clock, text: columns.joined(separator: ",") + "\r\n")
        for entry in standing.entries(in: clock.zone) { rows.add(entry) }
        return rows.text
    }

    /// The rows of a file.
    private struct Rows {
        let clock: DayClock
        var text: String

        mutating func add(_ entry: DayEntry) {
            switch entry {
            case .fact(let kind, let value): fact("report", kind.rawValue, value)
            case .moment(let kind, let moment): fact("report", kind.rawValue, clock.text(moment))
            case .sums(let division, let currency, let sums): add(division, currency, sums)
            case .noTables(let isMain):
                fact(
                    "tables", "not_kept",
                    isMain ? "This report has no tables." : "The account's reports have the tables.")
            case .cash(let kind, let currency, let units): amount("drawer", kind.rawValue, "", currency, units)
            case .openingReason(let reason): fact("drawer", "opening_reason", reason)
            case .movement(let movement, let currency):
                let name = "\(clock.text(movement.at)) \(movement.by): \(movement.request.reason)"
                amount("movement", movement.request.kind.rawValue, name, currency, movement.request.amount)
            }
        }

        private mutating func add(_ division: DayEntry.Division, _ currency: Currency, _ sums: DaySums) {
            switch division {
            case .whole: self.sums("total", "", "", currency, sums)
            case .tender(let name): self.sums("tender", "named", name, currency, sums)
            case .provider(let name): self.sums("provider", "named", name, currency, sums)
            case .drawer(let name): self.sums("cash_drawer", "named", name.rawValue, currency, sums)
            case .row(let by, let row):
                self.sums(by.rawValue, row.kind.rawValue, row.name, currency, sums, id: row.id)
            case .allReports: self.sums("all_reports", "", "", currency, sums, isCounted: false)
            }
        }

        private mutating func add(_ names: [String], _ cells: [String]) {
            text += (names.map { CSVText.cell($0) } + cells).joined(separator: ",") + "\r\n"
        }

        private func decimal(_ units: Int64, _ currency: Currency) -> String {
            Money(minorUnits: units, currency: currency).decimalString
        }

        private mutating func fact(_ section: String, _ key: String, _ value: String) {
            add([section, key, ""], ["", "", "", "", "", "", "", "", "", "", CSVText.cell(value)])
        }

        private mutating func amount(
            _ section: String, _ key: String, _ name: String, _ currency: Currency, _ units: Int64
        ) {
            add([section, key, name], [currency.code, "", "", "", "", "", "", "", "", "", decimal(units, currency)])
        }

        /// Adds a row of sums; the identifier of a person stands as its value.
        private mutating func sums(
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
