import Dispatch
import Testing
import TillCore
import TillTestSupport

@testable import TillOffline

@Suite struct OfflineLogTests {
    let disk = PowerLossDisk()
    let clock = ManualClock(waits: .moveTime(upTo: .seconds(29)))
    private let name = OfflineLog.defaultName

    private func damage(_ marks: [LogMark] = []) -> LogDamage? {
        do {
            _ = try OfflineExamples.open(disk, clock, marks: marks, creating: false)
            return nil
        } catch OfflineLogError.damaged(let damage) {
            return damage
        } catch {
            Issue.record("another error: \(error)")
            return nil
        }
    }

    /// The places of all entries of the file.
    private func frames() -> [Range<Int>] {
        let bytes = disk.bytes(name)
        var frames: [Range<Int>] = []
        var place = 0
        var digest = [UInt8](repeating: 0, count: 32)
        bytes.withUnsafeBytes { buffer in
            while case .whole(let scan) = FrameScan.scan(buffer, at: place, expecting: &digest) {
                frames.append(place..<scan.end)
                place = scan.end
                if place >= buffer.count { break }
            }
        }
        return frames
    }

    @Test func whatWasStoredIsThereAgainWithItsChain() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 5)
        let mark = try log.mark()
        let again = try OfflineExamples.open(disk, clock, marks: [mark])
        #expect(try again.mark() == mark)
        #expect(try again.book().exposure.count == 5)
        #expect(try again.book().exposure.sums == ["EUR": 6_250])
        #expect(try again.record(3).record.order.rawValue == "o-1")
    }

    @Test func storedIsSaidOnlyAfterTheSync() async throws {
        let log = try await OfflineExamples.log(disk, clock)
        let before = disk.syncs
        try await OfflineExamples.store(log, 1, clock)
        #expect(disk.syncs == before + 1)
        disk.failSyncs(true)
        await #expect(throws: OfflineLogError.self) { try await OfflineExamples.store(log, 2, clock) }
        disk.failSyncs(false)
        // Whether the failed one is there is found out from the disk, not guessed.
        _ = try log.book()
        #expect(try log.find(AttemptID(rawValue: "pay_1-a1")) != nil)
    }

    @Test func theCardCanNotBeReadInTheFile() async throws {
        _ = try await OfflineExamples.log(disk, clock, payments: 1)
        let text = String(decoding: disk.bytes(name), as: UTF8.self)
        #expect(!text.contains("4242424242424242") && !text.contains("sim:"))
        #expect(text.contains("o-0"))
    }

    @Test func aLogOfAnotherDeviceIsRefusedByItsName() async throws {
        _ = try await OfflineExamples.log(disk, clock, payments: 1)
        #expect(throws: OfflineLogError.damaged(.otherDevice(found: "till-1"))) {
            try OfflineExamples.open(disk, clock, device: "till-2")
        }
        #expect(throws: OfflineLogError.damaged(.otherProvider(found: "psp"))) {
            try OfflineExamples.open(disk, clock, issuer: "other")
        }
    }

    @Test func everyChangedBitIsFoundAndNamed() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 3)
        let mark = try log.mark()
        let good = disk.bytes(name)
        let (first, last) = (try #require(frames().first), try #require(frames().last))
        for place in good.indices {
            var bad = good
            bad[place] ^= 1 << (place % 8)
            disk.put(bad, as: name)
            let found = damage([mark])
            #expect(found != nil, "byte \(place)")
            // In the middle no mark is needed: later entries know that this place was durable. It must not be taken for
            // a torn end, which is cut off.
            if place % 7 == 0, place < last.lowerBound {
                disk.put(bad, as: name)
                #expect(damage() != nil, "byte \(place), without a mark")
            }
            if place < last.lowerBound, place >= first.upperBound {
                guard case .changed = found else {
                    Issue.record("byte \(place): \(String(describing: found))")
                    continue
                }
            }
        }
    }

    @Test func entriesInAnotherOrderAreFound() async throws {
        _ = try await OfflineExamples.log(disk, clock, payments: 4)
        let (good, places) = (disk.bytes(name), frames())
        let order = [0, 1, 3, 2, 4, 5]
        disk.put(order.flatMap { good[places[$0]] }, as: name)
        #expect(damage() == .reordered(expected: 2, found: 3))
        disk.put([0, 1, 2, 2, 3, 4, 5].flatMap { good[places[$0]] }, as: name)
        #expect(damage() == .reordered(expected: 3, found: 2))
    }

    @Test func anEntryTakenOutIsFound() async throws {
        _ = try await OfflineExamples.log(disk, clock, payments: 4)
        let (good, places) = (disk.bytes(name), frames())
        disk.put([0, 1, 2, 4, 5].flatMap { good[places[$0]] }, as: name)
        #expect(damage() == .missing(sequence: 3))
    }

    @Test func anEntryOfAnotherLogIsFound() async throws {
        _ = try await OfflineExamples.log(disk, clock, payments: 4)
        let (good, places) = (disk.bytes(name), frames())
        let other = OfflineLogTests()
        _ = try await OfflineExamples.log(other.disk, clock, payments: 4)
        let (foreign, foreignPlaces) = (other.disk.bytes(name), other.frames())
        disk.put([0, 1, 2].flatMap { good[places[$0]] } + foreign[foreignPlaces[3]] + good[places[4]], as: name)
        #expect(damage() == .spliced(sequence: 3))
    }

    @Test func aFileThatWasCutOrSetBackIsFoundWithAMarkFromOutside() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 4)
        let mark = try log.mark()
        let (good, places) = (disk.bytes(name), frames())
        disk.put(Array(good[..<places[4].upperBound]), as: name)
        #expect(damage([mark]) == .rolledBack(expected: 5, found: 4))
        disk.put(Array(good[..<(places[5].lowerBound + 40)]), as: name)
        #expect(damage([mark]) == .truncated(expected: 5, found: 4))
        // Without a mark nobody can tell; the log itself goes on from there.
        #expect(damage() == nil)
    }

    @Test func historyMadeAgainIsFoundWithAMarkFromOutside() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 2)
        let mark = try log.mark()
        let other = PowerLossDisk()
        let good = disk.bytes(name)
        other.put(Array(good[..<frames()[2].upperBound]), as: name)
        let again = try OfflineExamples.open(other, clock)
        for number in 10..<12 { try await OfflineExamples.store(again, number, clock) }
        disk.put(other.bytes(name), as: name)
        #expect(damage([mark]) == .rewritten(sequence: 3))
    }

    @Test func aRunningProcessNoticesThatItsFileWasSetBack() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 4)
        let cut = frames()[3].upperBound
        disk.put(Array(disk.bytes(name)[..<cut]), as: name)
        #expect(throws: OfflineLogError.damaged(.rolledBack(expected: 5, found: 3))) { try log.book() }
    }

    @Test func aForgedHeaderAndAForgedSignatureAreFound() async throws {
        let log = try await OfflineExamples.log(disk, clock)
        for number in 0..<OfflineLog.checkpointInterval { try await OfflineExamples.store(log, number, clock) }
        #expect(log.statistics.entries > OfflineLog.checkpointInterval)
        // A signature of the right form by another key, with hashes made right again.
        let stranger = try OfflineExamples.device("stranger")
        let mark = try log.mark()
        let forged = LogCheckpoint(
            log: mark.log, sequence: mark.sequence, hash: mark.hash, at: clock.now(), signedBy: stranger)
        let frame = OfflineFrame(
            .checkpoint, sequence: mark.sequence + 1, syncedSequence: mark.sequence, previous: mark.hash,
            payload: OfflineEvent.checkpoint(forged).payload)
        let good = disk.bytes(name)
        disk.put(good + frame.encoded, as: name)
        #expect(damage() == .checkpointForged(sequence: mark.sequence + 1))
        let header = LogHeader(
            log: mark.log, device: try OfflineExamples.device(), provider: try OfflineExamples.provider(),
            createdAt: clock.now())
        let first = OfflineFrame(
            .header, sequence: 0, syncedSequence: 0, previous: [UInt8](repeating: 0, count: 32),
            payload: header.payload(signedBy: stranger))
        disk.put(first.encoded, as: name)
        #expect(damage() == .headerForged)
    }

    @Test func somethingElseIsNotALog() {
        for bytes in [[], Array("not a log at all, and no little".utf8), Array(repeating: UInt8(0), count: 5_000)] {
            disk.put(bytes, as: name)
            #expect(damage() == .notALog)
        }
    }

    @Test func aPaymentWhoseDataAreGoneWithoutTheProvidersWordIsFound() async throws {
        _ = try await OfflineExamples.log(disk, clock, payments: 3)
        let (good, place) = (disk.bytes(name), frames()[3])
        let file = try #require(try disk.open(name, creating: false))
        let frame = try OfflineLog.frame(at: place.lowerBound, file, 3)
        var stub = OfflineFrame(
            .payment, sequence: 3, syncedSequence: 2,
            previous: Array(good[place][(place.lowerBound + 40)..<(place.lowerBound + 72)]),
            payload: frame.payload
        ).removingPayload()
        stub.hash = frame.hash
        stub.syncedSequence = 2
        disk.put(Array(good[..<place.lowerBound]) + stub.encoded + Array(good[place.upperBound...]), as: name)
        #expect(damage() == .removedWithoutToken(sequence: 3))
    }

    @Test func aTornEndIsCutOffKeptAndGoneOnFrom() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 2)
        let (good, mark) = (disk.bytes(name), try log.mark())
        disk.put(good + Array(good.suffix(100)), as: name)
        let again = try OfflineExamples.open(disk, clock, marks: [mark])
        #expect(again.healedBytes == 100)
        #expect(disk.names.contains { $0.contains("torn") })
        try await OfflineExamples.store(again, 9, clock)
        #expect(damage() == nil)
    }

    @Test func twoProcessesShareOneLog() async throws {
        let first = try await OfflineExamples.log(disk, clock, payments: 1)
        let second = try OfflineExamples.open(disk, clock)
        try await OfflineExamples.store(second, 1, clock)
        try await OfflineExamples.store(first, 2, clock)
        try await OfflineExamples.store(second, 3, clock)
        #expect(try first.book().exposure.count == 4)
        #expect(damage() == nil)
        try first.compact(always: true)
        try await OfflineExamples.store(second, 4, clock)
        #expect(try first.book().exposure.count == 5)
    }

    @Test(.timeLimit(.minutes(30))) func manyWritersShareOneSync() async throws {
        let log = try OfflineLog.open(
            in: disk, device: OfflineExamples.device(), provider: OfflineExamples.provider(), clock: clock)
        try await log.noteContact()
        let before = log.statistics.syncs
        // One append is held in the middle of its turn until the others are there.
        let (held, holds) = AsyncStream.makeStream(of: Never.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await log.append { _ in
                    holds.finish()
                    mayGoOn.wait()
                    return []
                }
            }
            for await _ in held {}
            for number in 0..<400 { tasks.addTask { try await OfflineExamples.store(log, number, clock) } }
            while log.waitingAppends < 400 { try await Task.sleep(for: .milliseconds(1)) }
            mayGoOn.signal()
            try await tasks.waitForAll()
        }
        #expect(try log.book().exposure.count == 400)
        #expect(log.statistics.syncs == before + 1)
        #expect(log.statistics.largestGroup == 400)
        #expect(damage() == nil)
    }

    @Test func resolvedCardsAreRemovedFromTheFileAndTheChainStays() async throws {
        let log = try await OfflineExamples.log(disk, clock, payments: 6)
        let batch = try await log.fetchBatch(size: 4)
        try await log.submit(batch.content.id)
        let receipt = try OfflineExamples.receipt(log, batch, at: clock.now())
        try await log.accept(receipt)
        try await log.resolve(receipt.token)
        let (mark, before) = (try log.mark(), disk.bytes(name).count)
        let sealed = try log.record(6).record.sealed
        let removed = try log.compact(always: true)
        #expect(removed > 0 && disk.bytes(name).count == before - removed)
        #expect(try log.mark() == mark)
        #expect(try log.record(6).record.sealed == sealed)
        #expect(damage([mark]) == nil)
        // Taking the provider's word out of the file makes the removal one without a word.
        #expect(try OfflineExamples.open(disk, clock).book().exposure.count == 2)
    }
}
