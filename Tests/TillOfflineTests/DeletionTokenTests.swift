import Testing
import TillCore
import TillTestSupport

@testable import TillOffline

@Suite struct DeletionTokenTests {
    let disk = PowerLossDisk()
    let clock = ManualClock(waits: .moveTime(upTo: .seconds(29)))

    private func accepted() async throws -> (OfflineLog, OfflineBatch, BatchReceipt) {
        let log = try await OfflineExamples.log(disk, clock, payments: 6)
        let batch = try await log.fetchBatch(size: 3)
        try await log.submit(batch.content.id)
        let receipt = try OfflineExamples.receipt(log, batch, at: clock.now())
        try await log.accept(receipt)
        return (log, batch, receipt)
    }

    private func refusal(_ log: OfflineLog, _ text: String) async throws -> DeletionTokenError? {
        do {
            try await log.resolve(text)
            return nil
        } catch OfflineLogError.token(let error) {
            #expect(try log.book().exposure.count == 6, "nothing may be deleted")
            return error
        }
    }

    @Test func theProvidersWordDeletesTheBatchAndLeavesItsTrace() async throws {
        let (log, _, receipt) = try await accepted()
        #expect(try await refusal(log, receipt.token) == nil)
        #expect(try log.book().exposure.count == 3)
        #expect(try log.book().resolvedCount == 3)
    }

    @Test func aForgedWordDeletesNothing() async throws {
        let (log, batch, _) = try await accepted()
        let forged = try OfflineExamples.receipt(
            log, batch, at: clock.now(), signedWith: OfflineExamples.key("somebody else"))
        #expect(try await refusal(log, forged.token) == .forged)
    }

    @Test func everyChangedCharacterIsRefused() async throws {
        let (log, _, receipt) = try await accepted()
        let good = Array(receipt.token.utf8)
        for place in good.indices {
            var bad = good
            bad[place] = bad[place] == 0x30 ? 0x31 : 0x30
            let error = try await refusal(log, String(decoding: bad, as: UTF8.self))
            #expect(error == .forged || error == .malformed, "character \(place)")
        }
    }

    @Test func anExpiredWordDeletesNothing() async throws {
        let (log, _, receipt) = try await accepted()
        clock.advance(by: .minutes(61))
        guard case .expired? = try await refusal(log, receipt.token) else {
            Issue.record("an expired word was taken")
            return
        }
    }

    @Test func aWordOfTheFutureDeletesNothing() async throws {
        let (log, _, receipt) = try await accepted()
        clock.advance(by: .minutes(-6))
        guard case .notYetGood? = try await refusal(log, receipt.token) else {
            Issue.record("a word of the future was taken")
            return
        }
    }

    @Test func aWordForAnotherBatchDeletesNothing() async throws {
        let (log, _, receipt) = try await accepted()
        let other = try await log.fetchBatch(size: 2)
        let token = try OfflineExamples.receipt(log, other, at: clock.now()).token
        #expect(try await refusal(log, token) == .otherBatch(other.content.id))
        try await log.resolve(receipt.token)
        guard case .otherBatch? = try await refusalAfter(log, receipt.token) else {
            Issue.record("a word was taken twice")
            return
        }
    }

    private func refusalAfter(_ log: OfflineLog, _ text: String) async throws -> DeletionTokenError? {
        do {
            try await log.resolve(text)
            return nil
        } catch OfflineLogError.token(let error) { return error }
    }

    @Test func aWordForAnotherLogDeletesNothing() async throws {
        let (log, batch, receipt) = try await accepted()
        let token = DeletionToken(
            log: "another", content: batch.content, decisions: receipt.decisions, issued: clock.now(),
            expires: clock.now().adding(.hours(1)))
        let text = try #require(token.text(signedWith: OfflineExamples.providerSigning))
        #expect(try await refusal(log, text) == .otherLog)
    }

    @Test func aWordForOtherDecisionsOrAnotherRangeDeletesNothing() async throws {
        let (log, batch, receipt) = try await accepted()
        var decisions = receipt.decisions
        decisions[1].outcome = .declined(Decline(reason: .generic))
        var content = batch.content
        for (wrongContent, wrongDecisions) in [(content, decisions), (shortened(&content), receipt.decisions)] {
            let token = DeletionToken(
                log: log.header.log, content: wrongContent, decisions: wrongDecisions, issued: clock.now(),
                expires: clock.now().adding(.hours(1)))
            let text = try #require(token.text(signedWith: OfflineExamples.providerSigning))
            #expect(try await refusal(log, text) == .otherScope)
        }
    }

    /// The same batch, range, count and decisions: only the entries behind them are others.
    @Test func aWordForOtherEntriesDeletesNothing() async throws {
        let (log, batch, receipt) = try await accepted()
        var content = batch.content
        content.root = BatchContent.root(id: content.id, hashes: content.members.map { _ in [7] })
        let token = DeletionToken(
            log: log.header.log, content: content, decisions: receipt.decisions, issued: clock.now(),
            expires: clock.now().adding(.hours(1)))
        let text = try #require(token.text(signedWith: OfflineExamples.providerSigning))
        #expect(try await refusal(log, text) == .otherScope)
    }

    private func shortened(_ content: inout BatchContent) -> BatchContent {
        content.members.removeLast()
        return content
    }

    @Test func garbageIsMalformed() async throws {
        let (log, _, _) = try await accepted()
        for text in ["", "tilldel1", "tilldel1..", "tilldel1.zz.00", String(repeating: "a", count: 5_000)] {
            #expect(try await refusal(log, text) == .malformed)
        }
    }
}
