import Foundation
import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillTapToPay

/// 10,000 schedules: two clerks at one reader, an app that goes to the background and comes back, tokens that end, a
/// moody driver, and tasks that run in any order. Each is made from its number alone, so that a red one can be run
/// again.
@Suite struct RandomScheduleTests {
    static let batches = 20
    static let perBatch = 500

    @Test(arguments: 0..<batches)
    func everyCallerIsAnsweredAndNoCardIsLost(batch: Int) throws {
        for index in 0..<Self.perBatch {
            let seed = UInt64(batch * Self.perBatch + index + 1)
            let faults = try TapSchedule(seed: seed).run()
            #expect(faults.isEmpty, "schedule \(seed): \(faults.joined(separator: "; "))")
            if !faults.isEmpty { return }
        }
    }

    /// The schedules reach what they are for: reads that end well, are canceled, and end in the background.
    @Test func theSchedulesReachTheirSubject() throws {
        let tally = Mutex<[String: Int]>([:])
        for seed in UInt64(1)...300 {
            _ = try TapSchedule(seed: seed).run { name in tally.withLock { $0[name, default: 0] += 1 } }
        }
        let seen = tally.withLock { $0 }
        for name in ["result", "readCancelled", "readFromBackgroundError", "readerServiceError", "late"] {
            #expect(seen[name, default: 0] > 0, "\(name) of \(seen)")
        }
    }
}

struct TapSchedule: Sendable {
    let seed: UInt64

    /// Runs it and gives back what was wrong.
    func run(_ note: @escaping @Sendable (String) -> Void = { _ in }) throws -> [String] {
        var deadlines = TapToPayDeadlines()
        deadlines.tokenLifetime = .seconds(90)
        let world = TapWorld(seed: seed, deadlines: deadlines)
        let heard = Log<String>()
        let wrong = Log<String>()
        var random = SeededRandom(seed: seed &* 77)
        Self.script(world.driver, &random)
        let seeds = (random.next(), random.next(), random.next())
        try world.run { world in
            let clerks = [seeds.0, seeds.1].map { own in
                world.start { world in
                    var random = SeededRandom(seed: own)
                    for _ in 0..<6 { await Self.clerk(world, &random, heard, wrong, note) }
                }
            }
            let mood = world.start { world in
                var random = SeededRandom(seed: seeds.2)
                for _ in 0..<10 {
                    await world.pass(.milliseconds(Int64(random.next() % 30_000)))
                    await Self.mood(world, &random)
                }
            }
            for clerk in clerks { try await clerk.value }
            try await mood.value
            await world.reader.entersForeground()
            await world.reader.close()
            await world.pass(.hours(2))
        }
        let books = world.driver.books.withLock { $0 }
        let late = world.late.all.map(\.id)
        for _ in late { note("late") }
        var faults = wrong.all + books.faults
        let got = heard.all + late
        if Set(got).count != got.count { faults.append("a card was handed out twice: \(got)") }
        let lost = Set(books.given).subtracting(got)
        if !lost.isEmpty { faults.append("cards that nobody got: \(lost)") }
        if Set(books.begun) != Set(books.ended) { faults.append("sessions \(books.begun), ended \(books.ended)") }
        if world.reader.status.isBusy { faults.append("busy in the end: \(world.reader.status.phase)") }
        return faults
    }

    private static func script(_ driver: ScriptedTapDriver, _ random: inout SeededRandom) {
        for _ in 0..<16 {
            driver.script(prepare: [step(&random, .networkError)], read: [readStep(&random)])
        }
    }

    private static func step(_ random: inout SeededRandom, _ error: PaymentCardReaderError) -> ScriptedTapDriver.Step {
        switch random.next() % 8 {
        case 0: .fail(error, after: .milliseconds(Int64(random.next() % 5000)))
        case 1: .fail(.tokenExpired)
        case 2: .deaf(.seconds(Int64(random.next() % 300)))
        case 3: .waits
        default: .after(.milliseconds(Int64(random.next() % 20_000)))
        }
    }

    private static func readStep(_ random: inout SeededRandom) -> ScriptedTapDriver.Step {
        let span = Span.milliseconds(Int64(random.next() % 20_000))
        return switch random.next() % 8 {
        case 0: .failRead(.readerServiceError, after: span)
        case 1: .failRead(.readerTokenExpired, after: span)
        case 2: .deaf(.seconds(Int64(random.next() % 60)))
        case 3: .waits
        case 4: .outcome(.failure, after: span)
        default: .after(span)
        }
    }

    /// One step of a clerk; every call must come back within what it may take.
    private static func clerk(
        _ world: TapWorld, _ random: inout SeededRandom, _ heard: Log<String>, _ wrong: Log<String>,
        _ note: @Sendable (String) -> Void
    ) async {
        let begun = world.clock.now()
        let choice = random.next() % 8
        let token = PaymentCardReader.Token(rawValue: "token-\(begun.milliseconds / 60_000)")
        do {
            let session = try await world.reader.prepare(using: token)
            switch choice {
            case 0...3:
                heard.add(try await session.readPaymentCard(TapWorld.euro).id)
                note("result")
            case 4, 5:
                let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro).id }
                await world.pass(.milliseconds(Int64(random.next() % 10_000)))
                if choice == 4 {
                    read.cancel()
                    heard.add(try await read.value)
                } else {
                    try await callOff(session, read, heard, wrong)
                }
            default:
                let task = world.start { world in try await world.reader.prepare(using: token).number }
                await world.pass(.milliseconds(Int64(random.next() % 5000)))
                task.cancel()
                _ = try await task.value
            }
        } catch {
            note((error as? PaymentCardReaderSession.ReadError)?.errorName ?? "reader error")
        }
        let took = world.clock.now().since(begun)
        // 180 s to prepare, 120 s for a card, 10 s of grace, and what a step waits itself.
        if took > .seconds(330) { wrong.add("step \(choice) took \(took.milliseconds) ms") }
    }

    /// Another clerk's read may be the one that is canceled; what holds is that a read canceled gives no card.
    private static func callOff(
        _ session: PaymentCardReaderSession, _ read: Task<String, any Error>, _ heard: Log<String>, _ wrong: Log<String>
    ) async throws {
        let reading = await session.engine.life.phase
        let wasCalledOff = try await session.cancelRead()
        do {
            let card = try await read.value
            heard.add(card)
            if wasCalledOff, case .reading(let number, _) = reading, card == "read-\(number)" {
                wrong.add("\(card) was canceled and read")
            }
        } catch { throw error }
    }

    private static func mood(_ world: TapWorld, _ random: inout SeededRandom) async {
        switch random.next() % 6 {
        case 0, 1: await world.reader.entersBackground()
        case 2, 3: await world.reader.entersForeground()
        case 4: world.driver.tell.withLock { $0 }(.notReady)
        default: await world.reader.close()
        }
    }
}
