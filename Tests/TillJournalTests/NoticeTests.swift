import Testing
import TillCore
import TillTestSupport

@testable import TillJournal

@Suite("What providers have told that cannot be asked")
struct NoticeTests {
    private let adyen = ProviderName(rawValue: "adyen")

    private func notice(_ name: String, _ reference: String, payment: String? = nil, _ text: String = "{}")
        -> ProviderNotification
    {
        ProviderNotification(
            provider: adyen, name: name, reference: reference, payment: payment, document: Array(text.utf8),
            receivedAt: Timestamp(milliseconds: 5))
    }

    @Test("A notice is kept once, in order, found by our name and the provider's, and by another process")
    func kept() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        let other = try SQLiteJournal.open(at: site.path, clock: site.clock)
        let first = notice("A/1", "pay_1-a1", payment: "PSP1")
        let second = notice("C/2", "pay_1-c1", payment: "PSP1")
        try await journal.keep([first, notice("A/9", "pay_9-a1")])
        try await other.keep([second, notice("A/1", "pay_1-a1", payment: "PSP1", "told again otherwise")])
        #expect(try await journal.notices(of: adyen, reference: "pay_1-a1") == [first])
        #expect(try await journal.notices(of: adyen, payment: "PSP1") == [first, second])
        #expect(try await other.notices(of: ProviderName(rawValue: "else"), payment: "PSP1").isEmpty)
        try await journal.close()
        try await other.close()
    }
}
