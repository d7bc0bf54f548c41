import Foundation
import TillBooks
import TillCore
@testable import TillFeatureDay
import TillJournal

/// What the ledger's postings of a span of the journal are of one currency, in minor units.
struct BookedMoney {
    var captured: Int64 = 0
    var refunded: Int64 = 0
    var disputed: Int64 = 0
    var tips: Int64 = 0
    /// The change of the cash account, and of all accounts with money that the shop has or is owed.
    var cash: Int64 = 0
    var held: Int64 = 0

    /// Adds a posting. What it is of, the name of its entry's event says.
    mutating func add(_ posting: LedgerPosting, of event: String) {
        let units = posting.amount.minorUnits
        switch posting.account.kind {
        case .receivable, .cash, .elsewhere:
            held += units
            if posting.account.kind == .cash { cash += units }
            if event.hasPrefix("refund.") {
                refunded -= units
            } else if !event.hasPrefix("dispute.") {
                captured += units
            }
        case .disputed, .disputeLosses: disputed += units
        case .tips: tips -= units
        case .inTransit, .suspense, .refundsDue, .sales, .returns, .fees, .writeOffs, .exchange: break
        }
    }
}

/// The ledger's entries and the account's events, by their positions in the journal.
private struct Books {
    private var entries: [(sequence: Int64, entry: LedgerEntry)] = []
    /// The positions of all events of the account.
    private var positions: [Int64] = []
    private(set) var isWhole = true

    init(_ journal: any Journal & RecordStore) async throws {
        var read: [(sequence: Int64, entry: LedgerEntry)] = []
        let (position, _) = try await Ledger(journal, account: .main).read { entry in
            if case .event(let sequence) = entry.source { read.append((sequence: sequence, entry: entry)) }
            return true
        }
        entries = read
        isWhole = position.unreadable.isEmpty && read.allSatisfy { $0.entry.isBalanced }
        while true {
            let page = try await journal.events(
                after: positions.last ?? 0, account: .main, limit: JournalLimits.maximumPage)
            guard !page.isEmpty else { return }
            positions += page.map(\.sequence)
        }
    }

    var names: Set<String> { Set(entries.map { $0.entry.what }) }

    /// Returns the positions of the events after a position, up to another.
    func events(after start: Int64, through end: Int64) -> [Int64] { positions.filter { start < $0 && $0 <= end } }

    /// Returns the money of those events.
    /// - Parameters:
    ///   - hour: only those of this hour of the day; `nil` for all.
    ///   - zone: the time zone of the hour.
    func money(
        after start: Int64, through end: Int64, at hour: Int? = nil, in zone: TimeZone = .gmt
    ) -> [Currency: BookedMoney] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var money: [Currency: BookedMoney] = [:]
        for (sequence, entry) in entries where start < sequence && sequence <= end {
            let at = Date(timeIntervalSince1970: Double(entry.at.milliseconds) / 1_000)
            if let hour, calendar.component(.hour, from: at) != hour { continue }
            for posting in entry.postings {
                money[posting.amount.currency, default: BookedMoney()].add(posting, of: entry.what)
            }
        }
        return money
    }

    /// Returns what the cash account of one currency changed by.
    func cash(_ currency: Currency, after start: Int64, through end: Int64) -> Int64 {
        money(after: start, through: end)[currency]?.cash ?? 0
    }
}

extension LedgerDays {
    /// Holds each report against the ledger's postings between its first and its last event, and against what people
    /// counted, moved and left.
    func judge() async throws {
        let books = try await Books(world.till)
        let page = try await world.book().reports(of: .main, limit: DayLimits.maximumPage)
        let reports = page.reports.reversed().map(\.report)
        met = books.names
        check("the ledger is whole", books.isWhole)
        check("as many reports as days", reports.count == days.count && !page.hasMore)
        guard reports.count == days.count, let begun = days.first?.opened else { return }
        var totals: [Currency: BookedMoney] = [:]
        var (reached, reported) = (begun, 0)
        for (index, report) in reports.enumerated() {
            let (day, number, session) = (days[index], Int64(index) + 1, report.session)
            let last = report.lastSequence
            check("number of \(number)", report.number == number && report.previous == (index > 0 ? number - 1 : nil))
            check("people of \(number)", report.closing?.by == day.closer && report.closing?.left == day.left)
            check("readable \(number)", report.figures.unreadable.isEmpty)

            // No event is in two reports, or in none.
            let mine = books.events(after: session.firstSequence, through: last)
            let known = index > 0 ? days[index - 1].end : begun
            check("span of \(number)", session.firstSequence == reached && reached <= last)
            check("events of \(number)", mine == books.events(after: known, through: day.end))
            reached = last
            reported += mine.count

            let booked = books.money(after: session.firstSequence, through: last)
            for currency in Set(booked.keys).union(report.figures.currencies) {
                let (sum, money) = (report.figures.sum(of: currency), booked[currency] ?? BookedMoney())
                let place = "\(currency) of \(number)"
                check("captured in \(place)", sum.captured, money.captured)
                check("refunded in \(place)", sum.refunded, money.refunded)
                check("disputed in \(place)", sum.disputed, money.disputed)
                check("tips in \(place)", sum.tips, money.tips)
                check("net in \(place)", sum.net, money.held)
                check("cash in \(place)", report.figures.cash(in: currency).net, money.cash)
                totals[currency, default: BookedMoney()].captured += money.captured
                totals[currency, default: BookedMoney()].refunded += money.refunded
                totals[currency, default: BookedMoney()].disputed += money.disputed
            }
            for currency in Set(totals.keys).union(report.totals.keys) {
                let (total, money) = (report.total(in: currency), totals[currency] ?? BookedMoney())
                check("gross of all up to \(number)", total.gross, money.captured)
                check("refunds of all up to \(number)", total.refunds, money.refunded)
                check("disputes of all up to \(number)", total.disputed, money.disputed)
            }
            judgeTables(report, books)
            judgeDrawer(report, day, index, reports, books)
        }
        check("events in reports", reported == books.events(after: begun, through: .max).count)
    }

    /// Holds the tables of a report against the ledger: the rows of each sum to its postings, and each hour has those
    /// of that hour.
    private func judgeTables(_ report: DayReport, _ books: Books) {
        let (first, last) = (report.session.firstSequence, report.lastSequence)
        let booked = books.money(after: first, through: last)
        guard let parts = report.figures.parts, let breakdowns = report.breakdowns else {
            return problems.append("no tables of \(report.session.number)")
        }
        for currency in Set(booked.keys).union(report.figures.currencies) {
            let money = booked[currency] ?? BookedMoney()
            for table in DayTable.allCases {
                // As they are kept: what is shown has a row for the rest.
                let rows = parts.tables[currency]?[table] ?? [:]
                let sum = rows.values.reduce(DaySums()) { $0 + $1 }
                let place = "\(table) in \(currency) of \(report.session.number)"
                check("refunded by \(place)", sum.refunded, money.refunded)
                guard table != .refund else { continue }
                check("captured by \(place)", sum.captured, money.captured)
                check("disputed by \(place)", sum.disputed, money.disputed)
                check("tips by \(place)", sum.tips, money.tips)
                check("net by \(place)", sum.net, money.held)
                tables.formUnion(rows.keys.map { "\(table) \($0.kind)" })
            }
            for breakdown in breakdowns where breakdown.currency == currency {
                let whole =
                    switch breakdown.by {
                    case .tip: money.tips
                    case .refund: money.refunded
                    case .network, .tax, .staff, .shop, .hour: money.held
                    }
                let shown = breakdown.rows.reduce(0) { $0 + breakdown.share(of: $1.sums) }
                check("shown by \(breakdown.by) in \(currency) of \(report.session.number)", shown, whole)
            }
        }
        for hour in 0..<24 {
            let booked = books.money(after: first, through: last, at: hour, in: world.zone)
            for currency in Set(booked.keys).union(report.figures.currencies) {
                let name = hour < 10 ? "0\(hour)" : "\(hour)"
                let found = parts.tables[currency]?[.hour]?[.named(name)] ?? DaySums()
                let money = booked[currency] ?? BookedMoney()
                let place = "\(currency) of \(report.session.number) at \(name)"
                check("captured in \(place)", found.captured, money.captured)
                check("refunded in \(place)", found.refunded, money.refunded)
                check("net in \(place)", found.net, money.held)
            }
        }
    }

    private func judgeDrawer(
        _ report: DayReport, _ day: Day, _ index: Int, _ reports: [DayReport], _ books: Books
    ) {
        let (session, number) = (report.session, Int64(index) + 1)
        func moved(_ kind: CashMovement.Kind) -> Int64 { day.moved[kind] ?? 0 }
        check("float of \(number)", session.float.total, day.float)
        check("paid in of \(number)", session.paidIn, moved(.paidIn))
        check("paid out of \(number)", session.paidOut, moved(.paidOut))
        check("bank drops of \(number)", session.bankDrops, moved(.bankDrop))
        check("cash refunds of \(number)", session.refundsPaid, moved(.refund))
        let sold = books.cash(day.currency, after: session.openedSequence, through: report.lastSequence)
        let expected =
            day.float + sold + moved(.paidIn) - moved(.paidOut) - moved(.bankDrop) - moved(.refund)
        check("expected of \(number)", report.expected, expected)
        check("counted of \(number)", report.counted ?? .max, day.counted)
        check("difference of \(number)", report.difference ?? .max, day.counted - expected)
        check("missing or too much of \(number)", report.difference ?? .max, day.apart)

        // What was left at the last close in the currency, and the cash since, should have been there at the opening.
        guard let before = days[..<index].lastIndex(where: { $0.currency == day.currency }) else {
            return check("first opening of \(number)", session.openingDifference, 0)
        }
        let since = books.cash(
            day.currency, after: reports[before].lastSequence, through: session.openedSequence)
        check("opening of \(number)", session.openingDifference, day.float - days[before].left - since)
        check("found at the opening of \(number)", session.openingDifference, day.found)
    }

    private func check(_ what: String, _ holds: Bool) { if !holds { problems.append(what) } }

    private func check(_ what: String, _ found: Int64, _ wanted: Int64) {
        if found != wanted { problems.append("\(what) is \(found), not \(wanted)") }
    }
}
