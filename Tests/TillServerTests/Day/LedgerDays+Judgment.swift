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
    /// The drawer of each entry that moved cash, by its position.
    private let places: [Int64: DrawerName]
    private(set) var isWhole = true

    init(_ journal: any Journal & RecordStore, places: [Int64: DrawerName]) async throws {
        self.places = places
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
    ///   - drawer: only the cash of this drawer; `nil` for all money.
    func money(
        after start: Int64, through end: Int64, at hour: Int? = nil, in zone: TimeZone = .gmt,
        of drawer: DrawerName? = nil
    ) -> [Currency: BookedMoney] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var money: [Currency: BookedMoney] = [:]
        for (sequence, entry) in entries where start < sequence && sequence <= end {
            if let drawer, places[sequence] != drawer { continue }
            let at = Date(timeIntervalSince1970: Double(entry.at.milliseconds) / 1_000)
            if let hour, calendar.component(.hour, from: at) != hour { continue }
            for posting in entry.postings {
                money[posting.amount.currency, default: BookedMoney()].add(posting, of: entry.what)
            }
        }
        return money
    }

    /// Returns what the cash of one currency in a drawer changed by.
    func cash(_ currency: Currency, in drawer: DrawerName, after start: Int64, through end: Int64) -> Int64 {
        money(after: start, through: end, of: drawer)[currency]?.cash ?? 0
    }
}

extension LedgerDays {
    /// Holds each report of each drawer against the ledger's postings between its first and its last event, and against
    /// what people counted, moved and left.
    func judge() async throws {
        let books = try await Books(world.till, places: places)
        met = books.names
        check("the ledger is whole", books.isWhole)
        for name in LedgerDays.drawers {
            guard let days = sessions[name] else { continue }
            try await judge(name, days, books)
        }
    }

    private func judge(_ name: DrawerName, _ days: [Day], _ books: Books) async throws {
        let page = try await world.book().at(name).reports(of: .main, limit: DayLimits.maximumPage)
        let reports = page.reports.reversed().map(\.report)
        check("as many reports as days of \(name)", reports.count == days.count && !page.hasMore)
        guard reports.count == days.count, let begun = days.first?.opened else { return }
        // The first drawer's reports have all money of the account, those of another have its cash.
        let drawer: DrawerName? = name == .main ? nil : name
        var totals: [Currency: BookedMoney] = [:]
        var (reached, reported) = (begun, 0)
        for (index, report) in reports.enumerated() {
            let (day, number, session) = (days[index], Int64(index) + 1, report.session)
            let (last, which) = (report.lastSequence, "\(name) \(number)")
            check("number of \(which)", report.number == number && report.previous == (index > 0 ? number - 1 : nil))
            check("drawer of \(which)", session.drawer == name)
            check("people of \(which)", report.closing?.by == day.closer && report.closing?.left == day.left)
            check("readable \(which)", report.figures.unreadable.isEmpty)

            // No event is in two reports, or in none.
            let mine = books.events(after: session.firstSequence, through: last)
            let known = index > 0 ? days[index - 1].end : begun
            check("span of \(which)", session.firstSequence == reached && reached <= last)
            check("events of \(which)", mine == books.events(after: known, through: day.end))
            reached = last
            reported += mine.count

            let booked = books.money(after: session.firstSequence, through: last, of: drawer)
            for currency in Set(booked.keys).union(report.figures.currencies) {
                let (sum, money) = (report.figures.sum(of: currency), booked[currency] ?? BookedMoney())
                let place = "\(currency) of \(which)"
                check("captured in \(place)", sum.captured, money.captured)
                check("refunded in \(place)", sum.refunded, money.refunded)
                check("disputed in \(place)", sum.disputed, money.disputed)
                check("tips in \(place)", sum.tips, money.tips)
                check("net in \(place)", sum.net, money.held)
                let own = books.cash(currency, in: name, after: session.firstSequence, through: last)
                check("cash in \(place)", report.figures.cash(in: currency).net, own)
                if drawer == nil { judgeSplit(report, currency, money.cash, books) }
                totals[currency, default: BookedMoney()].captured += money.captured
                totals[currency, default: BookedMoney()].refunded += money.refunded
                totals[currency, default: BookedMoney()].disputed += money.disputed
            }
            for currency in Set(totals.keys).union(report.totals.keys) {
                let (total, money) = (report.total(in: currency), totals[currency] ?? BookedMoney())
                check("gross of all up to \(which)", total.gross, money.captured)
                check("refunds of all up to \(which)", total.refunds, money.refunded)
                check("disputes of all up to \(which)", total.disputed, money.disputed)
            }
            if drawer == nil {
                judgeTables(report, books)
            } else {
                check("tables of \(which)", report.breakdowns == nil)
            }
            judgeDrawer(report, days, index, reports, books)
        }
        guard drawer == nil else { return }
        check("events in reports", reported == books.events(after: begun, through: .max).count)
    }

    /// Holds the cash of each drawer in a report of the account against the ledger's, and their sum against its cash.
    private func judgeSplit(_ report: DayReport, _ currency: Currency, _ cash: Int64, _ books: Books) {
        let (first, last) = (report.session.firstSequence, report.lastSequence)
        let split = report.figures.drawers(in: currency)
        let whole = split.isEmpty ? report.figures.cash(in: currency) : split.reduce(DaySums()) { $0 + $1.sums }
        check("cash of all drawers in \(currency) of \(report.session.number)", whole.net, cash)
        for name in LedgerDays.drawers {
            let rest = name == .main ? report.figures.cash(in: currency) : DaySums()
            let found = split.first { $0.name == name }?.sums ?? rest
            let money = books.money(after: first, through: last, of: name)[currency] ?? BookedMoney()
            let place = "the \(currency) of \(name) in \(report.session.number)"
            check("captured in \(place)", found.captured, money.captured)
            check("refunded in \(place)", found.refunded, money.refunded)
            check("net in \(place)", found.net, money.cash)
            if found.captured != 0, split.count > 1 { drawers.insert(name) }
        }
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
        _ report: DayReport, _ days: [Day], _ index: Int, _ reports: [DayReport], _ books: Books
    ) {
        let (day, session) = (days[index], report.session)
        let (name, which) = (session.drawer, "\(session.drawer) \(index + 1)")
        func moved(_ kind: CashMovement.Kind) -> Int64 { day.moved[kind] ?? 0 }
        check("float of \(which)", session.float.total, day.float)
        check("paid in of \(which)", session.paidIn, moved(.paidIn))
        check("paid out of \(which)", session.paidOut, moved(.paidOut))
        check("bank drops of \(which)", session.bankDrops, moved(.bankDrop))
        check("cash refunds of \(which)", session.refundsPaid, moved(.refund))
        let sold = books.cash(day.currency, in: name, after: session.openedSequence, through: report.lastSequence)
        let expected =
            day.float + sold + moved(.paidIn) - moved(.paidOut) - moved(.bankDrop) - moved(.refund)
        check("expected of \(which)", report.expected, expected)
        check("counted of \(which)", report.counted ?? .max, day.counted)
        check("difference of \(which)", report.difference ?? .max, day.counted - expected)
        check("missing or too much of \(which)", report.difference ?? .max, day.apart)

        // What was left at the last close in the currency, and the cash since, should have been there at the opening.
        guard let before = days[..<index].lastIndex(where: { $0.currency == day.currency }) else {
            return check("first opening of \(which)", session.openingDifference, 0)
        }
        let since = books.cash(
            day.currency, in: name, after: reports[before].lastSequence, through: session.openedSequence)
        check("opening of \(which)", session.openingDifference, day.float - days[before].left - since)
        check("found at the opening of \(which)", session.openingDifference, day.found)
    }

    private func check(_ what: String, _ holds: Bool) { if !holds { problems.append(what) } }

    private func check(_ what: String, _ found: Int64, _ wanted: Int64) {
        if found != wanted { problems.append("\(what) is \(found), not \(wanted)") }
    }
}
