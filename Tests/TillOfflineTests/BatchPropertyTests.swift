import Testing
import TillCore
import TillTestSupport

@testable import TillOffline

@Suite struct BatchPropertyTests {
    /// Random histories of a log with several batches at once; after each step everything that must hold is looked at.
    @Test(arguments: 0..<40) func paymentsAreNeverLostNorInTwoBatches(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let (disk, clock) = (PowerLossDisk(), ManualClock(waits: .moveTime(upTo: .seconds(29))))
        let log = try await OfflineExamples.log(disk, clock)
        var stored: Set<UInt64> = []
        var words: Set<String> = []
        var number = 0
        for _ in 0..<120 {
            let book = try log.book()
            let batch = book.batches.randomElement(using: &random)
            do {
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2:
                    stored.insert(try await OfflineExamples.storeUnsealed(log, number, clock).sequence)
                    number += 1
                case 3: _ = try await log.fetchBatch(size: Int.random(in: 1...5, using: &random))
                case 4: if let batch { try await log.submit(batch.content.id) }
                case 5:
                    if let batch {
                        let receipt = try OfflineExamples.receipt(log, batch, at: clock.now()) { sequence in
                            switch sequence % 5 {
                            case 0: .declined(Decline(reason: .insufficientFunds))
                            case 1: .poison(reason: "cannot be read")
                            default: .approved(reference: ProviderReference(rawValue: "sb_\(sequence)"), card: nil)
                            }
                        }
                        try await log.accept(receipt)
                    }
                case 6:
                    if let receipt = batch?.receipt {
                        try await log.resolve(receipt.token)
                        words.insert(receipt.token)
                    }
                case 7: if let batch { try await log.reset(batch.content.id, reason: "given up") }
                case 8:
                    if let sequence = stored.randomElement(using: &random) {
                        try await log.setAside(sequence, reason: "looked at")
                    }
                default:
                    if let sequence = book.quarantine.keys.randomElement(using: &random) {
                        try await log.release(sequence)
                    }
                }
            } catch is OfflineLogError {}
            try check(log, stored: stored)
        }
        // The fold of the file is the book in memory.
        let again = try OfflineExamples.open(disk, clock, marks: [try log.mark()]).book()
        let book = try log.book()
        #expect(again.exposure == book.exposure)
        #expect(again.batches == book.batches)
        #expect(again.quarantine == book.quarantine)
        #expect(again.resolvedCount == book.resolvedCount)
    }

    private func check(_ log: OfflineLog, stored: Set<UInt64>) throws {
        let book = try log.book()
        var seen: Set<UInt64> = []
        for batch in book.batches {
            for member in batch.content.members {
                guard let entry = book.entry(member) else {
                    Issue.record("entry \(member) is in a batch and gone")
                    continue
                }
                if entry.state == .batched { #expect(seen.insert(member).inserted, "\(member) is in two batches") }
                #expect(entry.state != .resolved, "\(member) is done and its batch is not")
            }
        }
        let pending = Set(book.pending.map(\.sequence))
        for sequence in stored {
            let state = book.entry(sequence)?.state
            if state == nil || state == .resolved { continue }
            #expect(pending.contains(sequence), "\(sequence) is neither done nor pending")
            if state == .quarantined {
                #expect(book.quarantine[sequence] != nil, "\(sequence) is aside without a reason")
            }
            if state == .batched { #expect(seen.contains(sequence), "\(sequence) says batched and is in no batch") }
        }
        #expect(pending.count == book.exposure.count)
        #expect(stored.count == pending.count + book.resolvedCount + book.voidedCount)
    }

    @Test func severalBatchesHaveDisjointRanges() async throws {
        let (disk, clock) = (PowerLossDisk(), ManualClock(waits: .moveTime(upTo: .seconds(29))))
        let log = try await OfflineExamples.log(disk, clock, payments: 7)
        let first = try await log.fetchBatch(size: 3)
        let second = try await log.fetchBatch(size: 3)
        let third = try await log.fetchBatch(size: 3)
        #expect([first, second, third].map(\.content.members.count) == [3, 3, 1])
        #expect(Set(first.content.members).isDisjoint(with: second.content.members))
        #expect(Set([first, second, third].map(\.content.id)).count == 3)
        await #expect(throws: OfflineLogError.notFound) { try await log.fetchBatch() }
        await #expect(throws: OfflineLogError.self) { try await log.fetchBatch(members: [second.content.members[0]]) }
    }

    @Test func whatTheProviderHasDecidedCanNotBeGivenUpNorDecidedAnotherWay() async throws {
        let (disk, clock) = (PowerLossDisk(), ManualClock(waits: .moveTime(upTo: .seconds(29))))
        let log = try await OfflineExamples.log(disk, clock, payments: 2)
        let batch = try await log.fetchBatch()
        let receipt = try OfflineExamples.receipt(log, batch, at: clock.now())
        await #expect(throws: OfflineLogError.self, "never sent") { try await log.accept(receipt) }
        try await log.submit(batch.content.id)
        try await log.accept(receipt)
        await #expect(throws: OfflineLogError.self) { try await log.reset(batch.content.id, reason: "no") }
        let other = try OfflineExamples.receipt(log, batch, at: clock.now()) { _ in
            .declined(Decline(reason: .generic))
        }
        await #expect(throws: OfflineLogError.self) { try await log.accept(other) }
        // The same again, with a new word, is taken: the first word may have expired.
        try await log.accept(try OfflineExamples.receipt(log, batch, at: clock.now().adding(.hours(1))))
    }

    @Test func theLastCardCanBeTakenBackFor60SecondsWhileItIsInNoBatch() async throws {
        let (disk, clock) = (PowerLossDisk(), ManualClock(waits: .moveTime(upTo: .seconds(29))))
        let log = try await OfflineExamples.log(disk, clock)
        let first = try await OfflineExamples.store(log, 1, clock).sequence
        let second = try await OfflineExamples.store(log, 2, clock).sequence
        await #expect(throws: OfflineLogError.declineOver, "not the last") {
            try await log.decline(first, reason: "changed mind", window: .seconds(60))
        }
        clock.advance(by: .seconds(60))
        try await log.decline(second, reason: "changed mind", window: .seconds(60))
        try await log.decline(second, reason: "changed mind", window: .seconds(60))
        #expect(try log.book().exposure.count == 1)
        let third = try await OfflineExamples.store(log, 3, clock).sequence
        clock.advance(by: .milliseconds(60_001))
        await #expect(throws: OfflineLogError.declineOver, "too late") {
            try await log.decline(third, reason: "changed mind", window: .seconds(60))
        }
        let fourth = try await OfflineExamples.store(log, 4, clock).sequence
        _ = try await log.fetchBatch()
        await #expect(throws: OfflineLogError.declineOver, "in a batch") {
            try await log.decline(fourth, reason: "changed mind", window: .seconds(60))
        }
    }

    @Test func anAttemptThatWasGivenUpIsNeverStored() async throws {
        let (disk, clock) = (PowerLossDisk(), ManualClock(waits: .moveTime(upTo: .seconds(29))))
        let log = try await OfflineExamples.log(disk, clock)
        #expect(try await log.bar(AttemptID(rawValue: "pay_5-a1"), reason: "abandoned"))
        await #expect(throws: OfflineLogError.attemptVoided) { try await OfflineExamples.store(log, 5, clock) }
        try await OfflineExamples.store(log, 6, clock)
        #expect(try await !log.bar(AttemptID(rawValue: "pay_6-a1"), reason: "abandoned"))
    }
}
