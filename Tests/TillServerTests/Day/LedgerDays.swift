import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// Some days of a shop with a seed, in two currencies, with three drawers and by several people: sales by every tender,
/// what becomes of their money on the same day or on a later one, cash in and out, counts with differences, and
/// processes that die before and after their writes. What people did is kept beside the journal; ``judge()`` holds the
/// reports of each drawer against it and against the ledger.
final class LedgerDays {
    /// One session of a drawer, as the people know it.
    struct Day {
        let currency: Currency
        var state = DrawerSession.State.open
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
        /// The drawer that its cash was put into by name.
        var drawer: DrawerName?
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
    static let drawers: [DrawerName] = [.main, DrawerName(rawValue: "bar"), DrawerName(rawValue: "terrace")]
    static let maximumTries = 200
    private static let limit: Int64 = 100
    static let firstFloat: Int64 = 50_000
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
    /// The cash in each drawer, by currency.
    var cash: [DrawerName: [Currency: Int64]] = [:]
    /// The drawer of each event that moved cash, or led to it, by its position in the journal.
    var places: [Int64: DrawerName] = [:]
    /// The sessions of each drawer that was ever opened, oldest first.
    var sessions: [DrawerName: [Day]] = [:]
    /// The names of the ledger's entries.
    var met: Set<String> = []
    /// The drawers with cash in a report of the account that has several.
    var drawers: Set<DrawerName> = []
    /// The kinds of rows of the reports' tables.
    var tables: Set<String> = []
    /// What does not hold.
    var problems: [String] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        deaths = DayDeaths(seed: seed &+ 7_000_003, perMille: 80)
        resident = world.book(deaths, limit: LedgerDays.limit)
    }

    /// Lives some days of the first drawer; the others are opened, counted and closed at any time. The first sales may
    /// come before the first opening, and nothing comes after the last count of the first drawer.
    func live() async throws {
        try await trade(random.below(4))
        let number = 3 + random.below(4)
        for day in 1...number {
            try await open(.main)
            try await trade(5 + random.below(15))
            try await count(.main)
            if random.chance(300) {
                try await resume(.main)
                try await trade(random.below(5))
                try await count(.main)
            }
            if day < number { try await trade(random.below(4)) }
            try await close(.main)
            world.clock.advance(by: .hours(random.number(1...14)))
            if day < number { try await trade(random.below(4)) }
        }
        for name in LedgerDays.drawers {
            if state(of: name) == .open { try await count(name) }
            if state(of: name) == .ended { try await close(name) }
        }
    }

    private func trade(_ steps: Int) async throws {
        for _ in 0..<steps {
            world.clock.advance(by: .seconds(random.number(1...1_200)))
            if random.chance(250) {
                try await step(LedgerDays.drawers[1 + random.below(LedgerDays.drawers.count - 1)])
            }
            let open = LedgerDays.drawers.filter { state(of: $0) == .open }
            if !open.isEmpty, random.chance(200) {
                try await move(open[random.below(open.count)])
            } else {
                try await Attribution.$current.withValue(somebody()) { try await sellOrFollow() }
            }
            // A report in between, from which a process reads on.
            if !open.isEmpty, random.chance(200) {
                _ = try? await resident.at(open[random.below(open.count)]).current(of: .main)
            }
        }
    }

    // MARK: Processes

    /// Has a process take a step of a drawer for somebody.
    /// - Returns: `false` if the process has died.
    func act(
        _ who: Attribution, at name: DrawerName, _ step: (DayBook) async throws -> Void
    ) async throws -> Bool {
        let book = random.chance(500) ? resident : world.book(deaths, limit: LedgerDays.limit)
        do {
            try await Attribution.$current.withValue(who) { try await step(book.at(name)) }
            return true
        } catch is DayError {
            resident = world.book(deaths, limit: LedgerDays.limit)
            return false
        }
    }

    func somebody() -> Attribution { LedgerDays.staff[random.below(LedgerDays.staff.count)] }

    /// Repeats a step until the drawer's session is where the step leads.
    /// - Returns: who took it.
    @discardableResult
    func again(
        at name: DrawerName, _ step: (DayBook) async throws -> Void, until isDone: (DrawerSession.State?) -> Bool
    ) async throws -> String {
        let who = somebody()
        for _ in 0..<LedgerDays.maximumTries {
            _ = try await act(who, at: name, step)
            if isDone(try await world.book().at(name).day(of: .main).session?.session.state) { break }
        }
        if !isDone(try await world.book().at(name).day(of: .main).session?.session.state) {
            problems.append("a step does not come to its end")
        }
        return who.description
    }
}
