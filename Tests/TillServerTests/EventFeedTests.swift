import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("The feed of events")
struct EventFeedTests {
    @Test("wakes the streams of the accounts that a commit is about, and no other")
    func accounts() async throws {
        let feed = EventFeed()
        let mine = try #require(feed.listen(.main, atMost: 4))
        let others = try #require(feed.listen(AccountID(rawValue: "other"), atMost: 4))
        let moment = Timestamp(milliseconds: 1_795_000_000_000)
        let event = StoredEvent(
            sequence: 1, payment: PaymentID.make(at: moment, random: (1, 2)), account: .main, version: 2,
            record: RecordedEvent(.canceled, at: moment))
        feed.committed([event, event])
        feed.close()
        var heard = 0
        for await _ in mine.signals { heard += 1 }
        #expect(heard == 1)
        for await _ in others.signals { Issue.record("a commit of another account woke this stream") }
    }

    @Test("leaves streams to the page, whatever keys take, and to other keys, whatever one takes")
    func shares() {
        let feed = EventFeed()
        func listen(_ credential: Principal.Credential, share: Principal.Credential? = nil) -> Int? {
            feed.listen(.main, credential: credential, share: share, atMost: 16, owner: .main)?.id
        }
        // The sessions that a key has begun share with it.
        #expect((0..<4).compactMap { listen(.session(hash: [9, $0]), share: .key(hash: [1])) }.count == 4)
        #expect((0..<16).compactMap { _ in listen(.key(hash: [1])) }.count == 4)
        #expect(listen(.session(hash: [9, 9]), share: .key(hash: [1])) == nil)
        #expect((0..<16).compactMap { _ in listen(.key(hash: [2])) }.count == 4)
        #expect(listen(.key(hash: [3])) == nil)
        #expect((0..<16).compactMap { _ in listen(.session(hash: [4])) }.count == 4)
    }
}
