import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// Two tills of a shop, each with a drawer: ``DrawerName/main`` and one at the bar.
@Suite("The drawers of an account")
struct DayDrawersTests {
    private let world = DayWorld()
    private let bar = DrawerName(rawValue: "bar")

    private func open(_ float: Int64, _ drawer: DrawerName) async throws {
        _ = try await world.book().at(drawer).open(.init(total: float), in: .eur, of: .main, reason: "counted")
    }

    private func current(_ drawer: DrawerName) async throws -> DayReport {
        try await world.book().at(drawer).current(of: .main).report
    }

    private func close(_ drawer: DrawerName, _ counted: Int64) async throws -> DayReport {
        let book = world.book().at(drawer)
        _ = try await book.count(.init(total: counted), of: .main)
        return try await book.close(reason: "counted", of: .main).report
    }

    private func sell(_ units: Int64, _ tender: TenderKind = .cash, at drawer: DrawerName?) async throws -> PaymentID {
        try await Attribution.at(drawer) { try await world.sell(units, tender) }
    }

    @Test("Cash is in the drawer that it was taken in, cards are in the account's report alone")
    func cash() async throws {
        try await open(1_000, .main)
        try await open(500, bar)
        _ = try await sell(300, at: nil)
        _ = try await sell(20, at: .main)
        _ = try await sell(700, at: bar)
        _ = try await sell(4_000, .card, at: bar)
        let (here, there) = (try await current(.main), try await current(bar))
        #expect(here.expected == 1_320 && there.expected == 1_200)
        #expect(here.figures.sum(of: .eur).captured == 5_020 && there.figures.sum(of: .eur).captured == 700)
        let split = here.figures.drawers(in: .eur)
        #expect(split.map { $0.name } == [.main, bar] && split.map { $0.sums.captured } == [320, 700])
        #expect(there.figures.drawers(in: .eur).isEmpty && there.breakdowns == nil && here.breakdowns != nil)
    }

    @Test("Refunded cash comes out of the drawer that hands it out, by default that of the sale")
    func refunds() async throws {
        try await open(1_000, .main)
        try await open(500, bar)
        let sold = try await sell(700, at: bar)
        _ = try await world.refund(100, of: sold)
        #expect(try await current(bar).expected == 1_100)
        let handed = try await Attribution.at(.main) { try await world.refund(200, of: sold) }
        #expect(try await current(bar).expected == 1_100)
        #expect(try await current(.main).expected == 800)
        try await world.fail(handed, of: sold)
        #expect(try await current(.main).expected == 1_000)
    }

    @Test("Each drawer has its own numbers without a gap, and the first one's records are as they always were")
    func numbers() async throws {
        for number in 1...3 {
            try await open(500, bar)
            let report = try await close(bar, 500)
            #expect(report.number == Int64(number) && report.session.id == "day_bar_\(number)")
        }
        try await open(1_000, .main)
        let first = try await close(.main, 1_000)
        #expect(first.number == 1 && first.session.id == "day_1")
        let kept = try #require(try await world.till.record(RecordID("day_report", "main/1")))
        #expect(!String(decoding: kept.body, as: UTF8.self).contains("drawer"))
        let session = try #require(try await world.till.record(RecordID("drawer_session", "main")))
        #expect(!String(decoding: session.body, as: UTF8.self).contains("drawer"))
        let others = try await world.book().at(bar).reports(of: .main, limit: 10).reports
        #expect(others.compactMap(\.report.number) == [3, 2, 1])
        let states = try await world.book().drawers(of: .main)
        #expect(states.map(\.drawer) == [.main, bar] && states.map(\.number) == [1, 3])
        let other = AccountID(rawValue: "other")
        #expect(try await world.book().drawers(of: other).isEmpty)
        #expect(try await world.book().at(bar).day(of: other).last == nil)
    }

    @Test("Devices that close at once make one report of each drawer, and no number is left out")
    func closing() async throws {
        let (world, drawers) = (world, [DrawerName.main, bar])
        for number in Int64(1)...5 {
            for drawer in drawers {
                try await open(1_000, drawer)
                _ = try await world.book().at(drawer).count(.init(total: 1_000), of: .main)
            }
            let closed = await withTaskGroup(of: DayReport?.self) { group in
                for drawer in drawers + drawers {
                    group.addTask { try? await world.book().at(drawer).close(of: .main).report }
                }
                var made: [DayReport] = []
                for await report in group {
                    if let report { made.append(report) }
                }
                return made
            }
            #expect(closed.count == 2 && Set(closed.map(\.session.drawer)) == Set(drawers))
            #expect(closed.allSatisfy { $0.number == number && $0.difference == 0 })
        }
    }

    @Test("A report of a drawer reads as it was written")
    func records() async throws {
        try await open(500, bar)
        _ = try await sell(700, at: bar)
        let report = try await close(bar, 1_200)
        let kept = try #require(try await world.till.record(DayReport.id(.main, 1, of: bar)))
        #expect(try DayReport(kept) == report)
        try await open(1_000, .main)
        _ = try await sell(300, at: bar)
        let whole = try await close(.main, 1_000)
        let account = try #require(try await world.till.record(DayReport.id(.main, 1)))
        #expect(try DayReport(account) == whole)
        #expect(whole.figures.drawers(in: .eur).map { $0.sums.captured } == [0, 300])
    }

    @Test("A key moves cash once, in one drawer")
    func keys() async throws {
        try await open(1_000, .main)
        try await open(500, bar)
        let request = CashMovement.Request(.paidIn, amount: 200, reason: "coins")
        let moved = try await world.book().at(bar).move(request, key: "k", of: .main)
        #expect(moved.report.expected == 700 && moved.movements.count == 1)
        await #expect(throws: DayError.otherMovement) {
            try await world.book().move(request, key: "k", of: .main)
        }
        #expect(try await world.book().current(of: .main).movements.isEmpty)
    }

    @Test("A step is of the drawer's own session, and one drawer is closed while another is open")
    func sessions() async throws {
        try await open(1_000, .main)
        try await open(500, bar)
        await #expect(throws: DayError.drawerChanged) {
            try await world.book().at(bar).count(.init(total: 500), of: .main, seen: .init(session: "day_1"))
        }
        _ = try await close(bar, 500)
        #expect(try await world.book().day(of: .main).session?.session.state == .open)
        #expect(try await world.book().at(bar).day(of: .main).session == nil)
    }

    @Test("A drawer that was never opened takes no cash, nor does another account's")
    func unknown() async throws {
        let drawers = KnownDrawers(world.till)
        try await drawers.check(.main, of: .main)
        await #expect(throws: UnknownDrawer(drawer: bar)) { try await drawers.check(bar, of: .main) }
        try await open(500, bar)
        try await drawers.check(bar, of: .main)
        let other = AccountID(rawValue: "other")
        await #expect(throws: UnknownDrawer(drawer: bar)) { try await drawers.check(bar, of: other) }
    }

    @Test("An account has a limit of drawers, which keeps none from being opened again")
    func limit() async throws {
        for number in 0..<DayLimits.maximumDrawers { try await open(100, DrawerName(rawValue: "bar-\(number)")) }
        await #expect(throws: DayError.tooManyDrawers) { try await self.open(100, self.bar) }
        try await open(100, .main)
        let again = DrawerName(rawValue: "bar-3")
        _ = try await close(again, 100)
        try await open(100, again)
        #expect(try await world.book().drawers(of: .main).count == DayLimits.maximumDrawers + 1)
    }

    @Test(
        "The cash of the account's reports is the sum of the drawers', whenever each is closed",
        arguments: UInt64(1)...20)
    func sums(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let drawers = [DrawerName.main, bar, DrawerName(rawValue: "terrace")]
        var cash: [DrawerName: Int64] = [:]
        var reports: [DrawerName: [DayReport]] = [:]
        var (sales, cards): ([PaymentID], Int64) = ([], 0)
        for drawer in drawers {
            cash[drawer] = 50_000
            try await open(50_000, drawer)
        }
        for _ in 0..<60 {
            let drawer = drawers[random.below(drawers.count)]
            switch random.below(6) {
            case 0, 1, 2:
                let amount = random.number(100...999)
                sales.append(try await sell(amount, at: drawer))
                cash[drawer, default: 0] += amount
            case 3:
                let amount = random.number(100...999)
                _ = try await sell(amount, .card, at: drawer)
                cards += amount
            case 4:
                guard let sold = sales.popLast() else { continue }
                _ = try await Attribution.at(drawer) { try await world.refund(50, of: sold) }
                cash[drawer, default: 0] -= 50
            default:
                let report = try await close(drawer, cash[drawer] ?? 0)
                #expect(report.difference == 0)
                reports[drawer, default: []].append(report)
                try await open(cash[drawer] ?? 0, drawer)
            }
        }
        for drawer in drawers {
            let report = try await close(drawer, cash[drawer] ?? 0)
            #expect(report.difference == 0)
            reports[drawer, default: []].append(report)
        }
        for (drawer, made) in reports {
            #expect(made.compactMap(\.number) == Array(1...Int64(made.count)), "\(drawer)")
            #expect(made.dropFirst().allSatisfy { $0.session.openingDifference == 0 }, "\(drawer)")
        }
        // All of the account's money is in the reports of the first drawer, up to its last one.
        var whole = DayFigures()
        for report in reports[.main] ?? [] { whole.add(report.figures) }
        let named = whole.drawers(in: .eur).filter { $0.name != .main }
        for drawer in drawers.dropFirst() {
            var own = DayFigures(of: drawer)
            for report in reports[drawer] ?? [] { own.add(report.figures) }
            #expect((named.first { $0.name == drawer }?.sums ?? DaySums()) == own.sum(of: .eur), "\(drawer)")
        }
        let split = whole.drawers(in: .eur)
        let ofCash = whole.sum { $0.tender == TenderKind.cash.rawValue }
        #expect(split.isEmpty || split.reduce(DaySums()) { $0 + $1.sums } == ofCash)
        #expect(whole.sum { $0.tender == TenderKind.card.rawValue }.captured == cards)
    }
}
