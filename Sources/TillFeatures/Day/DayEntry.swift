import Foundation
import TillCore
import TillJournal

/// A figure or a fact of a report: a row of its file, and what its paper shows of it. Both are made of one list, so
/// that no figure is chosen or added up twice.
enum DayEntry: Sendable {
    /// A fact about the report, by its name in the file.
    enum Fact: String, Sendable {
        case number, drawer, epoch, currency, zone, from, until
        case openedBy = "opened_by"
        case closedAt = "closed_at"
        case closedBy = "closed_by"
        case reason
        case firstSequence = "first_sequence"
        case lastSequence = "last_sequence"
        case journalHead = "journal_head"
        case hoursZone = "hours_zone"
        case previous
        case unreadable = "unreadable_payments"
    }

    /// What sums are of.
    enum Division: Hashable, Sendable {
        /// All money of a currency.
        case whole
        case tender(String)
        case provider(String)
        /// The cash of one of several drawers.
        case drawer(DrawerName)
        /// A row of a table.
        case row(DayBreakdown.Kind, DayRow)
        /// The money of a currency in this report and all before it.
        case allReports
    }

    /// An amount of the drawer, by its name in the file.
    enum Cash: String, Sendable {
        case float
        case openingDifference = "opening_difference"
        case sales = "cash_sales"
        case refunds = "cash_refunds"
        case paidIn = "paid_in"
        case paidOut = "paid_out"
        case bankDrops = "bank_drops"
        case refundsPaid = "refunds_paid"
        case expected, counted, difference, left
    }

    case fact(Fact, String)
    case moment(Fact, Timestamp)
    case sums(Division, Currency, DaySums)
    /// The report has no tables, since it is of before they were kept, or of another drawer than the account's first.
    case noTables(isMain: Bool)
    /// An amount in minor units.
    case cash(Cash, Currency, Int64)
    case openingReason(String)
    case movement(CashMovement, Currency)
}

extension DayBook.Standing {
    /// Returns all that the report says, in the order of its file.
    /// - Parameter zone: the shop's time zone.
    func entries(in zone: TimeZone) -> [DayEntry] { report.facts(in: zone) + report.money + cash }

    private var cash: [DayEntry] {
        let currency = session.currency
        let amounts: [(DayEntry.Cash, Int64?)] = [
            (.float, session.float.total), (.openingDifference, session.openingDifference),
            (.sales, report.cash.captured), (.refunds, report.cash.refunded), (.paidIn, session.paidIn),
            (.paidOut, session.paidOut), (.bankDrops, session.bankDrops), (.refundsPaid, session.refundsPaid),
            (.expected, report.expected), (.counted, report.counted), (.difference, report.difference),
            (.left, report.closing?.left),
        ]
        var all: [DayEntry] = []
        for case (let kind, let units?) in amounts { all.append(.cash(kind, currency, units)) }
        if let reason = session.openingReason { all.append(.openingReason(reason)) }
        for movement in movements { all.append(.movement(movement, currency)) }
        return all
    }
}

extension DayReport {
    fileprivate func facts(in zone: TimeZone) -> [DayEntry] {
        var all: [DayEntry] = []
        func fact(_ kind: DayEntry.Fact, _ value: String?) { if let value { all.append(.fact(kind, value)) } }
        func moment(_ kind: DayEntry.Fact, _ value: Timestamp?) { if let value { all.append(.moment(kind, value)) } }
        fact(.number, number.map { "\($0)" })
        fact(.drawer, session.drawer == .main ? nil : session.drawer.rawValue)
        fact(.epoch, "\(epoch)")
        fact(.currency, session.currency.code)
        fact(.zone, zone.identifier)
        moment(.from, session.openedAt)
        moment(.until, until)
        fact(.openedBy, session.openedBy)
        moment(.closedAt, closing?.at)
        fact(.closedBy, closing?.by)
        fact(.reason, closing?.reason)
        fact(.firstSequence, "\(session.firstSequence)")
        fact(.lastSequence, "\(lastSequence)")
        fact(.journalHead, head?.description)
        fact(.hoursZone, self.zone)
        fact(.previous, previous.map { "\($0)" })
        fact(.unreadable, "\(figures.unreadable.count)")
        return all
    }

    fileprivate var money: [DayEntry] {
        var all: [DayEntry] = []
        let own = session.currency
        for currency in [own] + figures.currencies.filter({ $0 != own }) {
            all.append(.sums(.whole, currency, figures.sum(of: currency)))
            for line in figures.sums(of: currency, by: { $0.tender }) {
                all.append(.sums(.tender(line.name), currency, line.sums))
            }
            for line in figures.sums(of: currency, by: { $0.provider }) {
                all.append(.sums(.provider(line.name), currency, line.sums))
            }
            for line in figures.drawers(in: currency) { all.append(.sums(.drawer(line.name), currency, line.sums)) }
        }
        if let breakdowns {
            for breakdown in breakdowns {
                for (row, sums) in breakdown.rows {
                    all.append(.sums(.row(breakdown.by, row), breakdown.currency, sums))
                }
            }
        } else {
            all.append(.noTables(isMain: session.drawer == .main))
        }
        for (currency, total) in totals.sorted(by: { $0.key.code < $1.key.code }) {
            let sums = DaySums(captured: total.gross, refunded: total.refunds, disputed: total.disputed)
            all.append(.sums(.allReports, currency, sums))
        }
        return all
    }
}
