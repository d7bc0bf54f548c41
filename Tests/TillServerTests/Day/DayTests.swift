import Testing
import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

@Suite("The day of a cash drawer")
struct DayTests {
    private let world = DayWorld()

    private func open(_ float: Int64, _ book: DayBook) async throws -> DayBook.Standing {
        try await book.open(.init(total: float), in: .eur, of: .main)
    }

    /// Opens, counts and closes a day without a sale.
    private func quietDay(_ cash: Int64, left: Int64? = nil, _ book: DayBook) async throws {
        _ = try await open(cash, book)
        _ = try await book.count(.init(total: cash), of: .main)
        _ = try await book.close(left: left, of: .main)
    }

    @Test("What is expected is the float, the cash of sales less refunds, and what was put in and taken out")
    func formula() async throws {
        let book = world.book()
        _ = try await open(15_000, book)
        let sold = try await world.sell(4_000)
        try await world.sell(9_900, .card)
        _ = try await world.refund(1_500, of: sold)
        _ = try await book.move(.init(.paidIn, amount: 700, reason: "coins"), key: "1", of: .main)
        _ = try await book.move(.init(.paidOut, amount: 1_250, reason: "milk"), key: "2", of: .main)
        let dropped = try await book.move(.init(.bankDrop, amount: 5_000, reason: "safe"), key: "3", of: .main)
        let expected: Int64 = 15_000 + 4_000 - 1_500 + 700 - 1_250 - 5_000
        #expect(dropped.report.expected == expected)
        #expect(dropped.movements.map(\.request.reason) == ["coins", "milk", "safe"])
        let counted = try await book.count(.init(total: expected - 40), of: .main)
        #expect(counted.report.difference == -40 && counted.session.state == .ended)
        let closed = try await book.close(left: 10_000, of: .main)
        #expect(closed.report.number == 1 && closed.report.closing?.left == 10_000)
        #expect(closed.report.difference == -40 && closed.report.previous == nil)
        let sum = closed.report.figures.sum(of: .eur)
        #expect(sum == DaySums(count: 2, captured: 13_900, refundCount: 1, refunded: 1_500))
        let tenders = closed.report.figures.sums(of: .eur) { $0.tender }
        #expect(tenders.map { $0.name } == ["card", "cash"])
        #expect(closed.report.total(in: .eur).net == 12_400)
        #expect(try await book.report(1, of: .main).report == closed.report)
    }

    @Test("Discounts are counted with the sale that was paid, beside what was captured, and kept in the report")
    func discounts() async throws {
        let book = world.book()
        _ = try await open(0, book)
        try await world.sell(1_100, discount: 150)
        let card = try await world.sell(900, .card, discount: 100)
        try await world.sell(500)
        _ = try await world.refund(900, of: card)
        let order = try Order(id: OrderID(rawValue: "o-9"), amount: Money(minorUnits: 700, currency: .eur))
        let unpaid = PaymentID.make(at: world.clock.now(), random: (9, 9))
        let saved = try Discount(Money(minorUnits: 70, currency: .eur), reason: "Scratched", beside: order.total)
        try await world.append(
            [
                .created(
                    .init(
                        payment: unpaid, account: .main, order: order, captureMode: .automatic, discount: saved))
            ], to: unpaid)
        _ = try await book.count(.init(total: 1_600), of: .main)
        let closed = try await book.close(of: .main)
        let sum = closed.report.figures.sum(of: .eur)
        #expect(sum.discountCount == 2 && sum.discounts == 250)
        #expect(sum.captured == 2_500 && closed.report.expected == 1_600)
        #expect(closed.report.figures.cash(in: .eur).discounts == 150)
        #expect(try await world.book().report(1, of: .main).report.figures == closed.report.figures)
        let written = String(decoding: DayJSON.report(closed, seesTotals: true), as: UTF8.self)
        #expect(written.contains(#""discounts":250,"discount_count":2"#), "\(written)")
    }

    @Test("A discount is counted once, also if an earlier capture turns out well after another one")
    func discountOfTwoCaptures() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let id = PaymentID.make(at: world.clock.now(), random: (9, 9))
        let attempt = DayWorld.attempt(of: id)
        let (first, second) = (CaptureID(rawValue: "\(id)-c1"), CaptureID(rawValue: "\(id)-c2"))
        let order = try Order(id: OrderID(rawValue: "o-9"), amount: Money(minorUnits: 1_000, currency: .eur))
        let half = Money(minorUnits: 500, currency: .eur)
        let saved = try Discount(Money(minorUnits: 100, currency: .eur), reason: "Scratched", beside: order.total)
        try await world.append(
            [
                .created(
                    .init(payment: id, account: .main, order: order, captureMode: .manual, discount: saved)),
                .attemptStarted(
                    .init(
                        attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card), amount: order.total)),
                .authorized(
                    attempt,
                    Authorization(reference: ProviderReference(rawValue: "ref-9"), amount: order.total)),
                .captureStarted(first, attempt, half, isFinal: false),
                .captureReported(second, attempt, half, .elsewhere),
            ], to: id)
        let expected = DaySums(count: 1, captured: 500, discountCount: 1, discounts: 100)
        #expect(try await book.current(of: .main).report.figures.sum(of: .eur) == expected)
        try await world.append([.captured(first, nil)], to: id)
        let both = DaySums(count: 2, captured: 1_000, discountCount: 1, discounts: 100)
        #expect(try await book.current(of: .main).report.figures.sum(of: .eur) == both)
        let whole = try await DayTotals(world.till, zone: world.zone).figures(of: .main, after: 0).figures
        #expect(whole.sum(of: .eur) == both)
    }

    @Test("A day without a discount is kept as it was before there were any")
    func withoutDiscounts() async throws {
        let book = world.book()
        _ = try await open(0, book)
        try await world.sell(1_100)
        _ = try await book.count(.init(total: 1_100), of: .main)
        let closed = try await book.close(of: .main)
        #expect(!String(decoding: closed.report.record.body, as: UTF8.self).contains("discount"))
    }

    @Test("A float that differs from the last close is a difference of the opening, once")
    func floats() async throws {
        let book = world.book()
        try await quietDay(15_000, left: 12_000, book)
        let opened = try await open(11_500, book)
        #expect(opened.session.openingDifference == -500)
        #expect(opened.report.expected == 11_500)
        let counted = try await book.count(.init(total: 11_500), of: .main)
        #expect(counted.report.difference == 0)
    }

    @Test("Cash that was sold for between two days is in the float, and in the second report")
    func between() async throws {
        let book = world.book()
        try await quietDay(10_000, book)
        try await world.sell(2_000)
        let opened = try await open(12_000, book)
        #expect(opened.session.openingDifference == 0 && opened.report.expected == 12_000)
        #expect(opened.report.cash == DaySums())
        _ = try await book.count(.init(total: 12_000), of: .main)
        let closed = try await book.close(of: .main)
        #expect(closed.report.difference == 0)
        #expect(closed.report.figures.sum(of: .eur).captured == 2_000)
    }

    @Test("A sale after the count belongs to the next day, also when it comes before the close")
    func afterTheCount() async throws {
        let book = world.book()
        _ = try await open(10_000, book)
        _ = try await book.count(.init(total: 10_000), of: .main)
        try await world.sell(3_000)
        #expect(try await book.day(of: .main).session?.report.difference == 0)
        let closed = try await book.close(of: .main)
        #expect(closed.report.difference == 0 && closed.report.figures.sum(of: .eur) == DaySums())
        let opened = try await open(13_000, book)
        #expect(opened.session.firstSequence == closed.report.lastSequence)
        #expect(opened.session.openingDifference == 0)
        #expect(opened.report.figures.sum(of: .eur).captured == 3_000)
    }

    @Test("The first day begins with its opening")
    func first() async throws {
        try await world.sell(9_999)
        let book = world.book()
        let opened = try await open(10_000, book)
        #expect(opened.report.expected == 10_000 && opened.session.openingDifference == 0)
        #expect(opened.report.figures.sum(of: .eur) == DaySums())
    }

    @Test("A day without cash and without a sale is closed at zero")
    func zero() async throws {
        let book = world.book()
        try await quietDay(0, book)
        let last = try #require(try await book.day(of: .main).last)
        #expect(last.report.difference == 0 && last.report.closing?.left == 0)
    }

    @Test("Steps out of turn are refused, and change nothing")
    func turns() async throws {
        let book = world.book()
        await #expect(throws: DayError.dayNotOpen) { try await book.count(.init(total: 0), of: .main) }
        await #expect(throws: DayError.dayNotOpen) { try await book.close(of: .main) }
        await #expect(throws: DayError.dayNotOpen) { try await book.resume(.main) }
        await #expect(throws: DayError.dayNotOpen) { try await book.current(of: .main) }
        _ = try await open(1_000, book)
        let opened = try #require(try await book.day(of: .main).session?.session)
        let since = DayClock(world.zone).text(opened.openedAt)
        let isOpen = DayError.dayOpen(since: since, by: opened.openedBy)
        await #expect(throws: isOpen) { try await self.open(1_000, book) }
        #expect(isOpen.what.contains("\(since), opened by \(opened.openedBy)"))
        await #expect(throws: DayError.notCounted) { try await book.close(of: .main) }
        await #expect(throws: DayError.dayNotEnded) { try await book.resume(.main) }
        await #expect(throws: DayError.drawerHasLess) {
            try await book.move(.init(.paidOut, amount: 1_001, reason: "x"), key: "a", of: .main)
        }
        _ = try await book.count(.init(total: 1_000), of: .main)
        await #expect(throws: DayError.dayEnded) {
            try await book.move(.init(.paidIn, amount: 1, reason: "x"), key: "a", of: .main)
        }
        await #expect(throws: DayError.leftExceedsCounted) { try await book.close(left: 1_001, of: .main) }
        _ = try await book.resume(.main)
        await #expect(throws: DayError.notCounted) { try await book.close(of: .main) }
        let again = try await book.count(.init(total: 1_000), of: .main)
        #expect(again.session.counts.count == 2)
        _ = try await book.close(of: .main)
        await #expect(throws: DayError.dayNotOpen) { try await book.close(of: .main) }
        await #expect(throws: DayError.unknownReport) { try await book.report(2, of: .main) }
        #expect(try await book.reports(of: .main, limit: 20).reports.compactMap(\.report.number) == [1])
    }

    @Test("A difference beyond the limit needs a reason, one at the limit none")
    func reasons() async throws {
        let book = world.book(limit: 500)
        let cases: [(Int64, Bool)] = [(9_500, false), (10_500, false), (9_499, true), (10_501, true)]
        for (counted, needsReason) in cases {
            _ = try await book.open(.init(total: 10_000), in: .eur, of: .main, reason: "the float of before")
            _ = try await book.count(.init(total: counted), of: .main)
            if needsReason { await #expect(throws: DayError.needsReason) { try await book.close(of: .main) } }
            let closed = try await book.close(reason: needsReason ? "miscount" : nil, of: .main)
            #expect(closed.report.difference == counted - 10_000)
        }
    }

    @Test("The same key moves cash once, and no other movement")
    func keys() async throws {
        let book = world.book()
        _ = try await open(1_000, book)
        let request = CashMovement.Request(.paidIn, amount: 200, reason: "coins")
        for _ in 0..<3 {
            let moved = try await book.move(request, key: "k", of: .main)
            #expect(moved.report.expected == 1_200 && moved.movements.count == 1)
        }
        await #expect(throws: DayError.otherMovement) {
            try await book.move(.init(.paidIn, amount: 201, reason: "coins"), key: "k", of: .main)
        }
        _ = try await book.count(.init(total: 1_200), of: .main)
        #expect(try await book.move(request, key: "k", of: .main).session.state == .ended)
    }

    @Test("A refund that fails later reduces the refunds of the day on which it fails")
    func failures() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let sold = try await world.sell(5_000, .card, tip: 500)
        let refund = try await world.refund(2_000, of: sold)
        _ = try await book.count(.init(total: 0), of: .main)
        let first = try await book.close(of: .main)
        #expect(first.report.figures.sum(of: .eur).refunded == 2_000)
        #expect(first.report.figures.sum(of: .eur).tips == 500)
        _ = try await open(0, book)
        try await world.fail(refund, of: sold)
        _ = try await book.count(.init(total: 0), of: .main)
        let second = try await book.close(of: .main)
        #expect(second.report.figures.sum(of: .eur).refunded == -2_000)
        #expect(second.report.total(in: .eur) == DayReport.Total(gross: 5_500, refunds: 0))
    }

    @Test("Money in another currency is beside the drawer's, and another account's is not there")
    func others() async throws {
        let book = world.book()
        _ = try await open(1_000, book)
        try await world.sell(700, .cash, in: .chf)
        try await world.sell(800, of: AccountID(rawValue: "other"))
        let report = try await book.current(of: .main).report
        #expect(report.expected == 1_000 && report.figures.currencies == [.chf])
        #expect(report.figures.sum(of: .chf).captured == 700 && report.figures.sum(of: .eur) == DaySums())
        #expect(try await book.day(of: AccountID(rawValue: "other")).session == nil)
    }

    @Test("Who counts blind is told nothing that says what is in the drawer")
    func blind() async throws {
        let book = world.book()
        _ = try await open(10_000, book)
        try await world.sell(4_321)
        let counted = try await book.count(.init(total: 14_000), of: .main)
        let shown = try JSONValue(parsing: DayJSON.session(counted, seesTotals: false))
        for name in ["expected", "difference", "cash_sales", "cash_refunds", "opening_difference"] {
            #expect(shown[name]?.isNull == true, "\(name)")
        }
        #expect(shown["counted"]?.int64Value == 14_000)
        let closed = try await book.close(of: .main)
        let report = try JSONValue(parsing: DayJSON.report(closed, seesTotals: false))
        #expect(report["number"]?.int64Value == 1 && report["totals"]?.isNull == true)
        #expect(!report.text.contains("4321") && !report.text.contains("14321") && !report.text.contains("-321"))
        let whole = try JSONValue(parsing: DayJSON.report(closed, seesTotals: true))
        #expect(whole["session"]?["expected"]?.int64Value == 14_321)
    }

    @Test("A report reads as it was written, and its record is never written again")
    func records() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 7_000, pieces: [5_000: 1, 1_000: 2]), in: .eur, of: .main)
        try await world.sell(1_000)
        _ = try await book.count(.init(total: 8_000, pieces: [1_000: 8]), of: .main)
        let closed = try await book.close(reason: "none", of: .main)
        let kept = try #require(try await world.till.record(DayReport.id(.main, 1)))
        #expect(try DayReport(kept) == closed.report && kept.version == 1)
        try await quietDay(8_000, book)
        #expect(try await world.till.record(DayReport.id(.main, 1)) == kept)
    }

    @Test("Reports are listed in pages, newest first")
    func pages() async throws {
        let book = world.book()
        for _ in 0..<5 { try await quietDay(100, book) }
        let newest = try await book.reports(of: .main, limit: 2)
        #expect(newest.reports.compactMap(\.report.number) == [5, 4] && newest.hasMore)
        let rest = try await book.reports(of: .main, before: 4, limit: 100)
        #expect(rest.reports.compactMap(\.report.number) == [3, 2, 1] && !rest.hasMore)
        #expect(try await book.reports(of: .main, before: 1, limit: 100).reports.isEmpty)
        #expect(try await book.reports(of: .main, before: .max, limit: 100).reports.count == 5)
    }

    @Test("Each step is in the audit log")
    func audit() async throws {
        let book = world.book()
        _ = try await open(1_000, book)
        _ = try await book.move(.init(.paidIn, amount: 100, reason: "coins"), key: "k", of: .main)
        _ = try await book.count(.init(total: 1_100), of: .main)
        _ = try await book.resume(.main)
        _ = try await book.count(.init(total: 1_100), of: .main)
        _ = try await book.close(of: .main)
        let actions = try await world.till.auditEntries(AuditQuery()).entries.map(\.note.action)
        #expect(actions == [.dayOpened, .dayCash, .dayCounted, .dayResumed, .dayCounted, .dayClosed])
    }
}
