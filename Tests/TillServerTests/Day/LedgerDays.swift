import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// Some days of a shop with a seed, in two currencies and by several people: sales by every tender, what becomes of
/// their money on the same day or on a later one, cash in and out, counts with differences, and processes that die
/// before and after their writes. What people did is kept beside the journal; ``judge()`` holds the reports against it
/// and against the ledger.
final class LedgerDays {
    /// One session of the drawer, as the people know it.
    struct Day {
        let currency: Currency
        /// The journal's last position before the opening.
        let opened: Int64
        /// The cash at the opening, and how much more it is than the cash that was left.
        let float: Int64
        let found: Int64
        /// Cash put in and taken out beside sales.
        var moved: [CashMovement.Kind: Int64] = [:]
        /// Cash that appeared, or is missing if negative, while the day was open.
        var apart: Int64 = 0
        /// The last count, and the journal's last position before it.
        var counted: Int64 = 0
        var end: Int64 = 0
        var left: Int64 = 0
        var closer = ""
    }

    /// A payment that took money.
    struct Sale {
        var id: PaymentID
        var currency: Currency
        var tender: TenderKind
        var isRefunded = false
    }

    /// A dispute and what of it is still withdrawn.
    struct OpenDispute {
        var payment: PaymentID
        var facts: Dispute.Facts
        var withdrawn: Int64
    }

    static let other = AccountID(rawValue: "other")
    private static let staff = ["Ada", "Grace", "Joan"].map {
        Attribution(.staff(StaffID(rawValue: "staff_\($0)"), name: $0))
    }
    private static let maximumTries = 200
    private static let limit: Int64 = 100
    private static let firstFloat: Int64 = 50_000
    /// The cash that always stays: more than all differences of a day together.
    static let reserve: Int64 = 3_000

    let world = DayWorld()
    private let deaths: DayDeaths
    /// A process that lives until a death.
    private var resident: DayBook
    var random: SeededRandom
    /// The number of what was made so far, for names.
    var made: UInt64 = 1_000_000
    var sales: [Sale] = []
    /// Holds of which a part is neither captured nor released.
    var holds: [(payment: PaymentID, attempt: AttemptID, left: Int64)] = []
    /// Events that come later.
    var waiting: [(payment: PaymentID, event: PaymentEvent)] = []
    var reversed: [(payment: PaymentID, capture: CaptureID)] = []
    var disputes: [OpenDispute] = []
    /// The cash in the drawer, by currency.
    var drawer: [Currency: Int64] = [:]
    private(set) var days: [Day] = []
    /// The names of the ledger's entries.
    var met: Set<String> = []
    /// The kinds of rows of the reports' tables.
    var tables: Set<String> = []
    /// What does not hold.
    var problems: [String] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        deaths = DayDeaths(seed: seed &+ 7_000_003, perMille: 80)
        resident = world.book(deaths, limit: LedgerDays.limit)
    }

    /// Lives some days. The first sales may come before the first opening, and nothing comes after the last count.
    func live() async throws {
        try await trade(random.below(4), withMovements: false)
        let number = 3 + random.below(4)
        for day in 1...number {
            try await open()
            try await trade(5 + random.below(15))
            try await count()
            if random.chance(300) {
                try await again {
                    _ = try await $0.resume(.main)
                } until: {
                    $0 == .open
                }
                try await trade(random.below(5))
                try await count()
            }
            if day < number { try await trade(random.below(4), withMovements: false) }
            try await close()
            world.clock.advance(by: .hours(random.number(1...14)))
            if day < number { try await trade(random.below(4), withMovements: false) }
        }
    }

    private func trade(_ steps: Int, withMovements: Bool = true) async throws {
        for _ in 0..<steps {
            world.clock.advance(by: .seconds(random.number(1...1_200)))
            if withMovements, random.chance(200) {
                try await move()
            } else {
                try await Attribution.$current.withValue(somebody()) { try await sellOrFollow() }
            }
            // A report in between, from which a process reads on.
            if withMovements, random.chance(200) { _ = try? await resident.current(of: .main) }
        }
    }

    // MARK: Steps of the drawer

    /// Has a process take a step for somebody.
    /// - Returns: `false` if the process has died.
    private func act(_ who: Attribution, _ step: (DayBook) async throws -> Void) async throws -> Bool {
        let book = random.chance(500) ? resident : world.book(deaths, limit: LedgerDays.limit)
        do {
            try await Attribution.$current.withValue(who) { try await step(book) }
            return true
        } catch is DayError {
            resident = world.book(deaths, limit: LedgerDays.limit)
            return false
        }
    }

    private func somebody() -> Attribution { LedgerDays.staff[random.below(LedgerDays.staff.count)] }

    /// Repeats a step until the session is where the step leads.
    /// - Returns: who took it.
    @discardableResult
    private func again(
        _ step: (DayBook) async throws -> Void, until isDone: (DrawerSession.State?) -> Bool
    ) async throws -> String {
        let who = somebody()
        for _ in 0..<LedgerDays.maximumTries {
            _ = try await act(who, step)
            if isDone(try await world.book().day(of: .main).session?.session.state) { break }
        }
        if !isDone(try await world.book().day(of: .main).session?.session.state) {
            problems.append("a step does not come to its end")
        }
        return who.description
    }

    private func open() async throws {
        let currency: Currency = random.chance(750) ? .eur : .chf
        let isFirst = !days.contains { $0.currency == currency }
        let found = isFirst ? LedgerDays.firstFloat : noise()
        drawer[currency, default: 0] += found
        let float = drawer[currency] ?? 0
        let opened = try await world.till.lastSequence()
        days.append(Day(currency: currency, opened: opened, float: float, found: found))
        try await again {
            _ = try await $0.open(.init(total: float), in: currency, of: .main, reason: "counted")
        } until: {
            $0 == .open
        }
    }

    /// Moves cash under one key, until an answer comes.
    private func move() async throws {
        guard let day = days.last else { return }
        made += 1
        let (key, amount) = ("key-\(made)", random.number(1...3_000))
        let kind = CashMovement.Kind.allCases[random.below(CashMovement.Kind.allCases.count)]
        guard kind == .paidIn || drawer[day.currency] ?? 0 > amount + LedgerDays.reserve else { return }
        let returned = sales.last { $0.currency == day.currency && $0.tender != .cash }?.id
        let request = CashMovement.Request(
            kind, amount: amount, reason: "for \(key)", payment: kind == .refund ? returned : nil)
        let who = somebody()
        for _ in 0..<LedgerDays.maximumTries {
            let isDone = try await act(who) { _ = try await $0.move(request, key: key, of: .main) }
            guard isDone else { continue }
            drawer[day.currency, default: 0] += kind == .paidIn ? amount : 0 - amount
            days[days.count - 1].moved[kind, default: 0] += amount
            return
        }
        problems.append("a movement does not come to its end")
    }

    private func count() async throws {
        guard let day = days.last else { return }
        let apart = noise()
        drawer[day.currency, default: 0] += apart
        let total = drawer[day.currency] ?? 0
        let end = try await world.till.lastSequence()
        try await again {
            _ = try await $0.count(.init(total: total), of: .main)
        } until: {
            $0 == .ended
        }
        days[days.count - 1].apart += apart
        days[days.count - 1].counted = total
        days[days.count - 1].end = end
    }

    private func close() async throws {
        guard let day = days.last else { return }
        // What does not stay goes to the bank.
        let staysAll = day.counted <= LedgerDays.reserve || random.chance(300)
        let left = staysAll ? day.counted : random.number(LedgerDays.reserve...day.counted)
        let closer = try await again {
            _ = try await $0.close(left: left, reason: "counted", of: .main)
        } until: {
            $0 == nil
        }
        drawer[day.currency, default: 0] -= day.counted - left
        days[days.count - 1].left = left
        days[days.count - 1].closer = closer
    }

    /// Cash that is missing or too much, at times.
    private func noise() -> Int64 { random.chance(400) ? random.number(-300...300) : 0 }
}
