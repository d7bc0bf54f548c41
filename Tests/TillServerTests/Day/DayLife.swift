import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// Some days of a shop with a seed: sales, refunds and their failures, cash in and out, and processes that close at
/// once and die. What is really in the drawer, and what was really sold, is kept beside it.
final class DayLife {
    private struct Sold {
        var id: PaymentID
        var tender: TenderKind
        var left: Int64
    }

    private let world = DayWorld()
    private let deaths: DayDeaths
    private var random: SeededRandom
    private var sales: [Sold] = []
    private var refunds: [(id: RefundID, sale: Int, amount: Int64)] = []
    /// The cash in the drawer.
    private var drawer: Int64 = 0
    /// What should be missing at the next opening and the next count, and was each time.
    private var openings: [Int64] = []
    private var differences: [Int64] = []
    private var captured: [TenderKind: Int64] = [:]
    private var refunded: [TenderKind: Int64] = [:]
    private var keys = 0
    /// What does not hold.
    private(set) var problems: [String] = []

    private static let conflictsAndDeaths = 200
    private static let limit: Int64 = 100
    private static let processesAtOnce = 3

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        deaths = DayDeaths(seed: seed &+ 1_000_003, perMille: 120)
    }

    /// Lives some days, the last of which nothing happens on after its count.
    func live() async throws {
        let days = 2 + random.below(3)
        for day in 1...days {
            try await open(isFirst: day == 1)
            try await trade(random.below(12))
            try await count()
            if random.chance(300) {
                try await again {
                    _ = try await $0.resume(.main)
                } until: {
                    $0 == .open
                }
                try await trade(random.below(4))
                // What was missing at the first count is missing still.
                let missing = differences.removeLast()
                try await count()
                differences[differences.count - 1] += missing
            }
            if day < days { try await trade(random.below(3), withMovements: false) }
            try await close()
            if day < days { try await trade(random.below(3), withMovements: false) }
        }
        try await judge()
    }

    // MARK: Steps

    /// Repeats a step with processes that may die, until the session is where the step leads.
    private func again(
        _ step: (DayBook) async throws -> Void, until isDone: (DrawerSession.State?) -> Bool
    ) async throws {
        for _ in 0..<DayLife.conflictsAndDeaths {
            do { try await step(world.book(deaths, limit: DayLife.limit)) } catch is DayError {}
            if isDone(try await world.book().day(of: .main).session?.session.state) { return }
        }
        problems.append("a step does not come to its end")
    }

    private func open(isFirst: Bool) async throws {
        let found = isFirst ? 20_000 : noise()
        drawer += found
        if !isFirst { openings.append(found) }
        let float = drawer
        try await again {
            _ = try await $0.open(.init(total: float), in: .eur, of: .main, reason: "counted")
        } until: {
            $0 == .open
        }
    }

    private func trade(_ steps: Int, withMovements: Bool = true) async throws {
        for _ in 0..<steps {
            world.clock.advance(by: .seconds(30))
            switch random.below(withMovements ? 8 : 6) {
            case 0, 1: try await sell(.cash)
            case 2, 3: try await sell(.card)
            case 4: try await refund()
            case 5: try await fail()
            default: try await move()
            }
        }
    }

    private func sell(_ tender: TenderKind) async throws {
        let amount = random.number(1...9_999)
        sales.append(Sold(id: try await world.sell(amount, tender), tender: tender, left: amount))
        captured[tender, default: 0] += amount
        if tender == .cash { drawer += amount }
    }

    private func refund() async throws {
        guard !sales.isEmpty else { return }
        let index = random.below(sales.count)
        let sale = sales[index]
        guard sale.left > 0 else { return }
        let amount = random.number(1...sale.left)
        guard sale.tender != .cash || drawer >= amount else { return }
        let id = try await world.refund(amount, of: sale.id)
        sales[index].left -= amount
        refunded[sale.tender, default: 0] += amount
        if sale.tender == .cash { drawer -= amount } else { refunds.append((id: id, sale: index, amount: amount)) }
    }

    private func fail() async throws {
        guard let refund = refunds.popLast() else { return }
        try await world.fail(refund.id, of: sales[refund.sale].id)
        sales[refund.sale].left += refund.amount
        refunded[sales[refund.sale].tender, default: 0] -= refund.amount
    }

    /// Moves cash under one key, until an answer comes.
    private func move() async throws {
        keys += 1
        let amount = random.number(1...3_000)
        let kind = CashMovement.Kind.allCases[random.below(CashMovement.Kind.allCases.count)]
        guard kind == .paidIn || drawer > amount + 1_000 else { return }
        for _ in 0..<DayLife.conflictsAndDeaths {
            do throws(DayError) {
                _ = try await world.book(deaths).move(
                    .init(kind, amount: amount, reason: "reason \(keys)"), key: "\(keys)", of: .main)
                drawer += kind == .paidIn ? amount : 0 - amount
                return
            } catch {
                guard case .journal(.unavailable) = error else {
                    problems.append("a movement was refused: \(error)")
                    return
                }
            }
        }
        problems.append("a movement does not come to its end")
    }

    private func count() async throws {
        let missing = noise()
        drawer += missing
        differences.append(missing)
        let total = drawer
        try await again {
            _ = try await $0.count(.init(total: total), of: .main)
        } until: {
            $0 == .ended
        }
    }

    /// Has several processes close at once, until it is closed.
    private func close() async throws {
        let counted = try await world.book().current(of: .main).report.counted ?? 0
        let left = random.number(counted / 2...counted)
        for _ in 0..<DayLife.conflictsAndDeaths {
            let books = (0..<DayLife.processesAtOnce).map { _ in world.book(deaths, limit: DayLife.limit) }
            let done = await withTaskGroup(of: Bool.self) { group -> Int in
                for book in books {
                    group.addTask {
                        do throws(DayError) {
                            _ = try await book.close(left: left, reason: "counted", of: .main)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            if done > 1 { problems.append("\(done) processes have closed one day") }
            if try await world.book().day(of: .main).session == nil {
                drawer -= counted - left
                return
            }
        }
        problems.append("a close does not come to its end")
    }

    /// Cash that is missing or too much, at times.
    private func noise() -> Int64 { random.chance(300) && drawer > 1_000 ? random.number(-300...300) : 0 }

    // MARK: Judgment

    private func judge() async throws {
        let reports = try await world.book().reports(of: .main, limit: DayLimits.maximumPage)
            .reports.reversed().map(\.report)
        check("numbers", reports.map { $0.number ?? 0 } == Array(1...Int64(max(1, reports.count))))
        check("differences", reports.map { $0.difference ?? .max } == differences)
        check("openings", reports.dropFirst().map(\.session.openingDifference) == openings)
        check("firstOpening", reports.first?.session.openingDifference == 0)
        var (sum, total) = (DayFigures(), DayReport.Total())
        for (number, report) in reports.enumerated() {
            let day = report.figures.sum(of: .eur)
            let before = total
            total.gross += day.captured
            total.refunds += day.refunded
            check("total \(number)", report.total(in: .eur) == total && total.gross >= before.gross)
            if number > 0 {
                let last = reports[number - 1]
                check("span \(number)", report.session.firstSequence == last.lastSequence)
                check("previous \(number)", report.previous == last.number)
            }
            sum.add(report.figures)
        }
        for tender in [TenderKind.cash, .card] {
            let found = sum.sum { $0.tender == tender.rawValue }
            check("captured \(tender)", found.captured == captured[tender] ?? 0)
            check("refunded \(tender)", found.refunded == refunded[tender] ?? 0)
        }
        let whole = try await DayTotals(world.till, zone: world.zone).figures(of: .main, after: 0).figures
        check("the journal's sums", whole.sum(of: .eur) == sum.sum(of: .eur))
        check("the drawer", reports.last?.closing.map { $0.left == drawer } ?? false)
    }

    private func check(_ what: String, _ holds: Bool) { if !holds { problems.append(what) } }
}
