import Foundation
import Logging
import Testing
import TillCheckout
import TillCore
@testable import TillCounter
import TillJournal
import TillJournalSQLite
import TillTestSupport
@testable import TillServer

@Suite("What a counter remembers of its clock")
struct ClockProofTests {
    private let wall = ManualClock()
    private let path = FileManager.default.temporaryDirectory.path + "/till-proof-\(UUID().uuidString)/journal.sqlite"

    /// One start of the counter, with an entry of the journal if asked for.
    private func start(
        hasWitnesses: Bool = true, writes: Bool = false, _ body: (WitnessedClock, SQLiteJournal) async throws -> Void
    ) async throws {
        let wall = wall
        let clock = WitnessedClock(wall, monotonic: { Span(milliseconds: wall.now().milliseconds) })
        let journal = try SQLiteJournal.open(at: path, clock: clock)
        try await clock.compare(with: journal, hasWitnesses: hasWitnesses)
        if writes {
            let checkout = Checkout(journal: journal, providers: [], clock: clock)
            let order = try Order(
                id: OrderID(rawValue: "o-\(UUID().uuidString)"), amount: Money(minorUnits: 100, currency: .eur))
            _ = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic))
        }
        try await body(clock, journal)
        try await journal.close()
    }

    @Test("entries that were written by a clock in doubt confirm nothing at the next start") func wrongEntries()
        async throws
    {
        try await start(writes: true) { clock, journal in
            clock.witness(wall.now(), from: "provider")
            try await clock.prove(in: journal)
        }
        wall.advance(by: .days(35))
        for _ in 0..<2 {
            try await start(writes: true) { clock, journal in
                #expect(clock.standing == .doubted(.aheadOfProof(by: .days(35))))
                try await clock.prove(in: journal)
            }
        }
    }

    @Test("a journal that was written too far ahead is overruled once, for good") func overruled() async throws {
        wall.advance(by: .days(300))
        try await start(writes: true) { _, _ in }
        wall.advance(by: .days(-300))
        try await start { clock, journal in
            #expect(clock.standing == .doubted(.behindJournal(by: .days(300))))
            clock.witness(wall.now(), from: "provider")
            try await clock.prove(in: journal)
        }
        try await start { clock, _ in
            #expect(clock.standing == .unproved)
            #expect(clock.now() == wall.now())
        }
    }

    @Test("a person's word is kept; a proof is written once an hour") func kept() async throws {
        try await start(hasWitnesses: false, writes: true) { _, _ in }
        wall.advance(by: .days(31))
        try await start(hasWitnesses: false) { clock, journal in
            #expect(clock.standing.doubt != nil)
            try await clock.accept(in: journal)
            #expect(clock.standing == .trusted)
            let first = try await Records<ClockProof>(journal).document(ClockProof.key)
            #expect(first?.by == .person)
            wall.advance(by: .minutes(59))
            try await clock.prove(in: journal)
            #expect(try await Records<ClockProof>(journal).document(ClockProof.key) == first)
            wall.advance(by: .minutes(1))
            try await clock.prove(in: journal)
            #expect(try await Records<ClockProof>(journal).document(ClockProof.key)?.by == .clock)
        }
        try await start(hasWitnesses: false) { clock, _ in #expect(clock.standing == .trusted) }
    }

    @Test("a person's word ends the doubt that it was said of, and no later one") func oldWord() async throws {
        let ticks = ManualClock()
        let clock = WitnessedClock(wall, monotonic: { Span(milliseconds: ticks.now().milliseconds) })
        let journal = try SQLiteJournal.open(at: path, clock: clock)
        try await clock.compare(with: journal, hasWitnesses: false)
        let checkout = Checkout(journal: journal, providers: [], clock: clock)
        let keeper = ClockKeeper(
            clock: clock, journal: journal, checkout: checkout,
            logger: Logger(label: "clock") { _ in SwiftLogNoOpLogHandler() })
        /// As the command says it, in another process.
        func accept() async throws {
            try await Records<ClockProof>(journal).put(
                ClockProof(at: wall.now(), overrules: wall.now(), by: .person))
        }
        try await accept()
        var memory = try await keeper.check(ClockKeeper.Memory())
        #expect(clock.standing == .trusted)
        for _ in 0..<2 {
            wall.advance(by: .days(30))
            for _ in 0..<3 {
                memory = try await keeper.check(memory)
                #expect(!clock.standing.isTrusted, "what was said before the clock was set says nothing of it")
            }
            try await accept()
            memory = try await keeper.check(memory)
            #expect(clock.standing == .trusted)
            memory = try await keeper.check(memory)
        }
        // Said before the counter has looked again.
        wall.advance(by: .days(30))
        try await accept()
        memory = try await keeper.check(memory)
        #expect(clock.standing == .trusted)
        try await journal.close()
    }

    @Test("a counter that sells nothing keeps nothing") func empty() async throws {
        try await start { clock, journal in
            #expect(clock.standing == .trusted)
            try await clock.prove(in: journal)
            #expect(try await Records<ClockProof>(journal).document(ClockProof.key) == nil)
        }
    }
}
