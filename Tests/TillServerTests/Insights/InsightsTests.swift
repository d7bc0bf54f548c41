import Foundation
import Testing
import TillBooks
import TillCore
@testable import TillFeatureInsights
import TillJournal
import TillTestSupport
import TillWeb

@Suite("Figures of a span of days")
struct InsightsTests {
    private static func berlin() throws -> ShopCalendar {
        ShopCalendar(try #require(TimeZone(identifier: "Europe/Berlin")))
    }

    private static func span(_ first: String, _ last: String) throws -> InsightsSpan {
        InsightsSpan(
            try berlin(), first: try #require(ShopCalendar.day(first)), last: try #require(ShopCalendar.day(last)))
    }

    private static func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(internetTime: text)) }

    /// Adds sums to others.
    private static func sum(_ all: some Sequence<InsightsSums>) -> InsightsSums {
        all.reduce(into: InsightsSums()) { $0.add($1) }
    }

    @Test("Each day's sum is the ledger's, with failures, voids, parts and two currencies", arguments: 1...100)
    func equalTheLedger(seed: Int) async throws {
        let life = InsightsWorld(seed: UInt64(seed))
        try await life.live()
        let ledger = try await life.ledger()
        let span = try Self.span("2026-10-25", "2026-10-28")
        let reading = try await InsightsReader(life.world.till).read(.main, in: span)
        #expect(reading.stop == nil && reading.unreadable == 0 && reading.omission == nil)
        for currency in Set(ledger.keys).union(reading.currencies.keys) {
            let money = reading.currencies[currency] ?? CurrencyInsights()
            for day in span.first...span.last {
                let (pair, booked) = (money.days[day] ?? InsightsPair(), ledger[currency] ?? [:])
                #expect(pair.now.net == booked[day] ?? 0, "\(currency) on \(ShopCalendar.text(day))")
                #expect(pair.before.net == booked[day - span.count] ?? 0, "\(currency) before")
            }
            // The same money, cut in other ways.
            #expect(Self.sum(money.days.values.map(\.now)) == money.total.now)
            #expect(Self.sum(money.days.values.map(\.before)) == money.total.before)
            #expect(Self.sum(money.tenders.values.map(\.now)) == money.total.now)
            #expect(Self.sum(money.hours.values) == money.total.now)
            #expect(Self.sum(money.weeks.map(\.sums)) == money.total.now)
            let reasons = Self.sum(money.reasons.values)
            #expect(reasons.refunds == money.total.now.refunds && reasons.refunded == money.total.now.refunded)
        }
        let declined = reading.declines.values.reduce(0, +)
        #expect(declined == reading.attempts.declined)
    }

    @Test("A day of the shop has 23, 24 or 25 hours")
    func daylightSaving() async throws {
        let calendar = try Self.berlin()
        let minutes = try ["2026-03-29", "2026-10-24", "2026-10-25"].map { text in
            let day = try #require(ShopCalendar.day(text))
            return calendar.start(of: day + 1).since(calendar.start(of: day)).milliseconds / 60_000
        }
        #expect(minutes == [1_380, 1_440, 1_500])
        // Both hours from two to three are of the same day.
        for text in ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"] {
            let (day, hour) = calendar.local(try Self.moment(text))
            #expect(ShopCalendar.text(day) == "2026-10-25" && hour == 2)
        }
        let last = calendar.local(try Self.moment("2026-10-25T22:59:59Z"))
        #expect(ShopCalendar.text(last.day) == "2026-10-25" && last.hour == 23)
        let next = calendar.local(try Self.moment("2026-10-25T23:00:00Z"))
        #expect(next.day == last.day + 1 && next.hour == 0)
        #expect(ShopCalendar.weekday(of: last.day) == 7 && ShopCalendar.monday(of: last.day) == last.day - 6)
    }

    @Test("A clock that skips midnight begins its day after the gap")
    func skippedMidnight() throws {
        let beirut = ShopCalendar(try #require(TimeZone(identifier: "Asia/Beirut")))
        let day = try #require(ShopCalendar.day("2024-03-31"))
        let start = try Self.moment("2024-03-30T22:00:00Z")
        #expect(beirut.start(of: day) == start)
        #expect(beirut.start(of: day + 1).since(beirut.start(of: day)) == .hours(23))
    }

    @Test("A refund counts on its own day, however old its payment is")
    func oldPayment() async throws {
        let world = DayWorld()
        world.clock.advance(by: try Self.moment("2026-01-05T10:00:00Z").since(world.clock.now()))
        let old = try await world.sell(5_000)
        world.clock.advance(by: try Self.moment("2026-11-10T10:00:00Z").since(world.clock.now()))
        let refund = try await world.refund(2_000, of: old)
        let span = try Self.span("2026-11-09", "2026-11-12")
        let found = try await InsightsReader(world.till).read(.main, in: span).currencies[.eur]
        #expect(found?.total.now.refunded == 2_000 && found?.total.now.captured == 0 && found?.payments == 0)
        #expect(found?.reasons[""]?.refunds == 1)
        // It fails two days later: that day has less refunded, and the number stays.
        world.clock.advance(by: .days(2))
        try await world.fail(refund, of: old)
        let later = try await InsightsReader(world.till).read(.main, in: span).currencies[.eur]
        #expect(later?.total.now.refunded == 0 && later?.total.now.refunds == 1)
        #expect(later?.days[span.last]?.now.refunded == -2_000)
    }

    @Test("Where a limit ends the reading, the answer says so", arguments: ["rows", "payments", "events"])
    func limits(_ name: String) async throws {
        let world = DayWorld()
        world.clock.advance(by: try Self.moment("2026-11-10T08:00:00Z").since(world.clock.now()))
        var created: [Timestamp] = []
        for _ in 0..<6 {
            world.clock.advance(by: .minutes(30))
            created.append(world.clock.now())
            try await world.sell(100)
        }
        let span = try Self.span("2026-11-10", "2026-11-10")
        var limits = InsightsLimits.Reading()
        switch name {
        case "rows": limits.rows = 4
        case "payments": limits.payments = 4
        // Each sale has three events.
        default: limits.events = 12
        }
        let cut = try await InsightsReader(world.till, limits: limits).read(.main, in: span)
        #expect(cut.stop?.rawValue == name && cut.backTo == created[2])
        #expect(cut.omission?.contains("\(created[2])") == true)
        #expect(cut.currencies[.eur]?.total.now.captured == 400)
        // What fits exactly is whole.
        switch name {
        case "rows": limits.rows = 6
        case "payments": limits.payments = 6
        default: limits.events = 18
        }
        let whole = try await InsightsReader(world.till, limits: limits).read(.main, in: span)
        #expect(whole.stop == nil && whole.backTo == nil && whole.omission == nil)
        #expect(whole.currencies[.eur]?.total.now == Self.sums(captures: 6, captured: 600))
    }

    private static func sums(captures: Int64, captured: Int64) -> InsightsSums {
        var sums = InsightsSums()
        (sums.captures, sums.captured) = (captures, captured)
        return sums
    }

    @Test("Days and zones are read exactly, and at most 400 days are asked for")
    func requests() throws {
        let (zone, now) = (try Self.berlin().zone, try Self.moment("2026-11-20T23:30:00Z"))
        func span(_ from: String?, _ until: String?, _ name: String? = nil) throws -> InsightsSpan {
            try InsightsRequest.span(from: from, until: until, zone: name, in: zone, at: now)
        }
        let usual = try span(nil, nil)
        #expect(ShopCalendar.text(usual.last) == "2026-11-21" && usual.count == InsightsLimits.usualDays)
        let inNewYork = try span(nil, nil, "America/New_York")
        #expect(ShopCalendar.text(inNewYork.last) == "2026-11-20")
        #expect(try span("2025-10-18", "2026-11-21").count == InsightsLimits.maximumDays)
        for (from, until, name) in [
            ("2025-10-17", "2026-11-21", nil), ("2026-11-22", "2026-11-21", nil), ("2026-02-29", nil, nil),
            ("2026-2-03", nil, nil), ("+026-02-03", nil, nil), ("99999-1-01", nil, nil), (nil, nil, ""),
            (nil, nil, "Moon/Base"), (nil, nil, String(repeating: "x", count: 65)),
        ] as [(String?, String?, String?)] {
            #expect(throws: Problem.self) { try span(from, until, name) }
        }
    }

    @Test("An answer and its file have the same sums, one currency each")
    func forms() async throws {
        let world = DayWorld()
        world.clock.advance(by: try Self.moment("2026-11-10T08:00:00Z").since(world.clock.now()))
        let sold = try await world.sell(1_250)
        try await world.sell(700, .card, in: .jpy)
        _ = try await world.refund(250, of: sold)
        let book = InsightsBook(world.till, clock: world.clock, own: .main)
        let insights = try await book.insights(of: .main, in: try Self.span("2026-11-10", "2026-11-10"))
        let json = try JSONValue(parsing: InsightsJSON.write(insights))
        let currencies = try #require(json["currencies"]?.arrayValue)
        #expect(currencies.map { $0["currency"]?.stringValue } == ["EUR", "JPY"])
        #expect(currencies.map { $0["now"]?["net"]?.int64Value } == [1_000, 700])
        #expect(json["read"]?["complete"]?.boolValue == true && json["days"]?.arrayValue?.count == 1)
        let lines = InsightsFile.text(insights).split(separator: "\r\n")
        #expect(lines.contains("total,2026-11-10,2026-11-10,,,EUR,1,12.50,1,2.50,10.00,1"))
        #expect(lines.contains("total,2026-11-10,2026-11-10,,,JPY,1,700,0,0,700,1"))
        #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 12 })
        // Whoever may not review sees neither payouts nor the queue.
        let part = try await book.insights(
            of: .main, in: insights.span, seeing: InsightsSight(review: false, offline: false))
        #expect(part.payouts == nil && part.attention == nil)
        #expect(insights.payouts?.payouts.isEmpty == true && insights.attention?.open == 0)
        // Another account has nothing of it, and no statements.
        let other = AccountID(rawValue: "other")
        let none = try await book.insights(of: other, in: insights.span)
        #expect(none.reading.currencies.isEmpty && none.payouts == nil)
    }
}
