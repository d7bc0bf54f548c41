import Foundation
import Testing
import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// The tables of X and Z. That their rows sum to the ledger is in the worlds of ``DayAgainstLedgerTests``.
@Suite("The tables of a report")
struct DayTablesTests {
    private let world = DayWorld()

    private static func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }

    private func staff(_ name: String) -> Attribution {
        Attribution(.staff(StaffID(rawValue: "staff_\(name)"), name: name))
    }

    /// An order of 11.00 with 1.00 of tax.
    private func taxed(_ id: String) throws -> Order {
        try Order(
            id: OrderID(rawValue: id), number: id,
            lines: [
                OrderLine(
                    name: "Tea", quantity: "1", subtotal: Self.eur(1_000), total: Self.eur(1_000), tax: Self.eur(100))
            ],
            taxes: [OrderTax(label: "VAT 10%", total: Self.eur(100))], total: Self.eur(1_100))
    }

    /// Sells an order by card in several captures, with what is more than the order as a tip.
    private func sell(_ order: Order, _ card: CardSummary?, parts: [Int64], tip: Int64 = 0) async throws -> PaymentID {
        let id = PaymentID.make(at: world.clock.now(), random: (77, UInt64(order.id.rawValue.utf8.count)))
        let attempt = DayWorld.attempt(of: id)
        var events: [PaymentEvent] = [
            .created(.init(payment: id, account: .main, order: order, captureMode: .manual)),
            .attemptStarted(
                .init(
                    attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card, card: card),
                    amount: order.total)),
            .authorized(
                attempt,
                Authorization(
                    reference: ProviderReference(rawValue: "ref"), amount: Self.eur(order.total.minorUnits + tip),
                    tip: tip > 0 ? Self.eur(tip) : nil)),
        ]
        for (index, units) in parts.enumerated() {
            let capture = CaptureID(rawValue: "\(id)-c\(index + 1)")
            events += [
                .captureStarted(capture, attempt, Self.eur(units), isFinal: index + 1 == parts.count),
                .captured(capture, nil),
            ]
        }
        try await world.append(events, to: id)
        return id
    }

    private func rows(_ report: DayReport, _ by: DayBreakdown.Kind) throws -> [String: Int64] {
        let found = try #require(report.breakdowns?.first { $0.by == by && $0.currency == .eur })
        return Dictionary(uniqueKeysWithValues: found.rows.map { ($0.row.words(of: by), found.share(of: $0.sums)) })
    }

    @Test("Money is divided by network, tax, tip, reason, person, shop and hour, and what nobody says is not known")
    func divided() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        let girocard = CardSummary(brand: "maestro", lastFour: "4242", network: "girocard")
        let sold = try await Attribution.$current.withValue(staff("Ada")) {
            try await sell(try taxed("north/1"), girocard, parts: [333, 333, 534], tip: 100)
        }
        try await world.sell(700)
        let returned = RefundID(rawValue: "\(sold)-r1")
        world.clock.advance(by: .hours(2))
        try await Attribution.$current.withValue(staff("Grace")) {
            try await world.append(
                [
                    .refundStarted(returned, DayWorld.attempt(of: sold), Self.eur(550), reason: "Broken"),
                    .refunded(returned, nil),
                ], to: sold)
        }
        let report = try await book.current(of: .main).report
        #expect(try rows(report, .network) == ["girocard": 650, "no card": 700])
        // Of each part of the price, a part of the tax: 100 less 50, of 1,000 less 500.
        #expect(try rows(report, .tax) == ["VAT 10%": 50, "price without tax": 500, "tips": 100, "not known": 700])
        #expect(try rows(report, .tip) == ["card": 100])
        #expect(try rows(report, .refund) == ["Broken": 550])
        #expect(try rows(report, .staff) == ["Ada": 1_200, "Grace": -550, "not known": 700])
        #expect(try rows(report, .shop) == ["north": 650, "not known": 700])
        let hours = try rows(report, .hour)
        let now = DayClock(world.zone).secondOfDay(world.clock.now()) / 3_600
        let then = (now + 22) % 24
        func name(_ hour: Int64) -> String { (hour < 10 ? "0" : "") + "\(hour):00" }
        #expect(hours == [name(then): 1_900, name(now): -550])
    }

    @Test("Parts of an order sum to its taxes, whatever the rounding, and more than the order is not known")
    func taxes() throws {
        let taxes = try #require(DayTaxes(try taxed("1")))
        for units in [0, 1, 5, 6, 333, 1_099, 1_100, 1_101, 5_000] as [Int64] {
            let found = taxes.divided(units)
            #expect(found.reduce(0) { $0 + $1.1 } == units)
            #expect(found.allSatisfy { $0.1 >= 0 })
        }
        #expect(taxes.divided(1_100).first?.1 == 100)
        #expect(taxes.divided(1_105).last?.1 == 5)
        #expect(DayTaxes(try Order(id: OrderID(rawValue: "1"), amount: Self.eur(1))) == nil)
    }

    @Test("A report of before tables reads without them and says so, and one with damaged tables does not read")
    func old() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        try await world.sell(1_000)
        _ = try await book.count(.init(total: 1_000), of: .main)
        let closed = try await book.close(of: .main)
        var record = try #require(try await world.till.record(DayReport.id(.main, 1)))
        #expect(try DayReport(record).breakdowns != nil && DayReport(record).zone == world.zone.identifier)
        let body = String(decoding: record.body, as: UTF8.self)
        record.body = Array(body.replacing("\"parts\":", with: "\"unknown\":").utf8)
        let old = try DayReport(record)
        #expect(old.breakdowns == nil && old.figures.lines == closed.report.figures.lines)
        let standing = DayBook.Standing(report: old, movements: [])
        let shown = try JSONValue(parsing: DayJSON.report(standing, seesTotals: true))
        #expect(shown["breakdowns"]?.isNull == true)
        #expect(DayFile.text(standing, by: DayClock(world.zone)).contains("\r\ntables,not_kept,"))
        record.body = Array(body.replacing("[\"named\",", with: "[\"strange\",").utf8)
        #expect(throws: JournalError.self) { try DayReport(record) }
    }

    @Test("Sums of a session that was opened before tables were kept are not known in each, and none is missing")
    func opened() throws {
        let line = DayFigures.Line(currency: .eur, tender: "card", provider: "stripe")
        var older = DayFigures()
        older.add(DaySums(count: 1, captured: 500, refundCount: 1, refunded: 200, tips: 20), to: line)
        var writer = JSONWriter()
        older.write(into: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let json = try JSONValue(parsing: Array(text.replacing("\"parts\":", with: "\"unknown\":").utf8))
        let before = try #require(DayFigures(json: json))
        #expect(before.parts == nil)
        var figures = before
        figures.add(DayFigures())
        let parts = try #require(figures.parts)
        for table in DayTable.allCases {
            let kept = parts.tables[.eur]?[table]
            #expect(kept == [.notKnown: table.whole(figures.sum(of: .eur))], "\(table)")
        }
    }

    @Test("Names beyond the limit count together, and a table is completed with what no row has")
    func limits() {
        var parts = DayParts()
        for number in 0..<100 { parts.add(DaySums(captured: 1), to: .named("reason \(number)"), of: .staff, in: .eur) }
        let rows = parts.tables[.eur]?[.staff] ?? [:]
        #expect(rows.count == DayLimits.maximumRows + 1)
        #expect(rows[.other] == DaySums(captured: Int64(100 - DayLimits.maximumRows)))
        let shown = parts.rows(of: .staff, in: .eur, of: DaySums(captured: 110))
        #expect(shown.last?.row == .notKnown && shown.last?.sums == DaySums(captured: 10))
        #expect(shown.reduce(0) { $0 + $1.sums.captured } == 110)
        #expect(DayRow.named(String(repeating: "ä", count: 100)).name == String(repeating: "ä", count: 30))
    }

    /// Figures with as many lines and rows as there can be of a currency.
    /// - Parameter padding: the number of characters by which the names of tenders are longer than they need be.
    private func full(padding: Int = 0) -> DayFigures {
        let much = DaySums(
            count: 1_000_000, captured: 1_000_000_000_000, refundCount: 1_000_000, refunded: 900_000_000_000,
            tips: 800_000_000_000, disputed: 700_000_000_000, discountCount: 1_000_000, discounts: 600_000_000_000)
        var figures = DayFigures()
        for number in 1...DayLimits.maximumLines {
            let tender = "tender \(number) " + String(repeating: "x", count: padding)
            figures.add(much, to: DayFigures.Line(currency: .eur, tender: tender, provider: "provider \(number)"))
        }
        for table in DayTable.allCases {
            for number in 1...(2 * DayLimits.maximumRows) {
                let name = "\(number) " + String(repeating: "x", count: DayLimits.maximumRowNameBytes)
                let row = DayRow.named(name, id: name)
                figures.add(DayParts.Change(currency: .eur, table: table, row: row, sums: much))
            }
        }
        return figures
    }

    /// Opens a day before which there was much, and closes it.
    private func closed(after before: DayFigures) async throws -> DayReport {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        let kept = try #require(try await world.till.record(DrawerSession.id(.main)))
        var session = try DrawerSession(kept)
        session.before = before
        try await world.till.change([.update(session.record, from: kept.version)], noting: [])
        _ = try await book.count(.init(total: 0), of: .main)
        return try await book.close(of: .main).report
    }

    @Test("A report with as many lines and rows as there can be of a currency is kept with its tables, once")
    func size() async throws {
        let before = full()
        let report = try await closed(after: before)
        #expect(report.figures == before)
        #expect(report.session.before.parts == nil && report.session.before.lines == before.lines)
        #expect(report.record.body.count < RecordLimits.maximumBodyBytes)
    }

    @Test("A day whose tables do not fit into a record is closed without them")
    func tooLarge() async throws {
        let before = full(padding: 350)
        let report = try await closed(after: before)
        #expect(report.figures.lines == before.lines && report.figures.parts == nil && report.breakdowns == nil)
        #expect(report.record.body.count <= RecordLimits.maximumBodyBytes)
    }

    @Test("A discount is in the row of the first capture in each table, and in that of no tax")
    func discounts() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        try await Attribution.$current.withValue(staff("Ada")) { try await world.sell(900, .cash, discount: 100) }
        try await world.sell(500)
        _ = try await book.count(.init(total: 1_400), of: .main)
        let report = try await book.close(of: .main).report
        let parts = try #require(report.figures.parts)
        for table in DayTable.allCases {
            let sum = parts.tables[.eur]?[table]?.values.reduce(DaySums()) { $0 + $1 } ?? DaySums()
            #expect(sum == table.whole(report.figures.sum(of: .eur)), "\(table)")
        }
        let mine = parts.tables[.eur]?[.staff]?.first { $0.key.name == "Ada" }?.value
        #expect(mine == DaySums(count: 1, captured: 900, discountCount: 1, discounts: 100))
        let taxes = parts.tables[.eur]?[.tax] ?? [:]
        #expect(taxes == [.notKnown: DaySums(captured: 1_400, discounts: 100)])
        #expect(parts.tables[.eur]?[.refund] == nil)
        #expect(try await book.report(1, of: .main).report.figures == report.figures)
    }

    @Test("A Z as a file has its sums and tables, one figure a row, with the shop's times")
    func file() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        try await world.sell(1_250)
        _ = try await book.count(.init(total: 1_250), of: .main)
        let closed = try await book.close(of: .main)
        let clock = DayClock(world.zone)
        let lines = DayFile.text(closed, by: clock).split(separator: "\r\n").map(String.init)
        let width = lines[0].split(separator: ",", omittingEmptySubsequences: false).count
        #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == width })
        #expect(lines.contains("report,number,,,,,,,,,,,,1"))
        let closedAt = try #require(closed.report.closing?.at)
        #expect(lines.contains("report,closed_at,,,,,,,,,,,,\(clock.text(closedAt))"))
        #expect(lines.contains("total,,,EUR,1,12.50,0,0.00,0.00,12.50,0.00,0.00,0,"))
        #expect(lines.contains("network,no_card,,EUR,1,12.50,0,0.00,0.00,12.50,0.00,0.00,0,"))
        #expect(lines.contains("drawer,expected,,EUR,,,,,,,,,,12.50"))
        #expect(DayFile.name(of: closed.report) == "day-report-1.csv")
    }

    @Test(
        "The shop's clock writes the offset of the moment",
        arguments: [
            (1_782_945_000_000, "2026-07-02T00:30:00+02:00"), (1_796_119_200_000, "2026-12-01T11:00:00+01:00"),
        ] as [(Int64, String)])
    func clock(milliseconds: Int64, text: String) throws {
        let clock = DayClock(try #require(TimeZone(identifier: "Europe/Berlin")))
        #expect(clock.text(Timestamp(milliseconds: milliseconds)) == text)
    }
}
