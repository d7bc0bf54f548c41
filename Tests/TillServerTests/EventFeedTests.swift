import Testing
import TillCore
import TillJournal

@testable import TillServer

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
}
