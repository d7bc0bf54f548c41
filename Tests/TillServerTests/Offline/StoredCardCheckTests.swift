import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillOffline

@testable import TillServer

/// Whether the journal wants a stored card forwarded.
@Suite struct StoredCardCheckTests {
    private let record = StoredRecord(
        payment: PaymentID(rawValue: "pay_1"), attempt: AttemptID(rawValue: "pay_1-a1"), account: .main,
        order: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 1_250, currency: .eur),
        at: Timestamp(milliseconds: 0), expires: Timestamp(milliseconds: 1), reader: "tap", card: nil)

    @Test("a payment that the journal has not is a reason against its card")
    func unknown() async throws {
        let reason = try await OfflineService.reasonAgainst(record, MemoryJournal())
        #expect(reason?.contains("no payment pay_1") == true)
    }

    private struct Damaged: JournalInFront {
        let base = MemoryJournal()

        func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }
        func payment(_ id: PaymentID) async throws(JournalError) -> Payment? { throw .corrupted("event 2 is damaged") }
    }

    @Test("a payment that cannot be read is a reason against its card alone, so that others are forwarded")
    func damaged() async throws {
        let reason = try await OfflineService.reasonAgainst(record, Damaged())
        #expect(reason?.contains("event 2 is damaged") == true && reason?.contains("journal verify") == true)
    }

    @Test("a journal that cannot be read is no reason against a card: it throws, and the card stays stored")
    func unreadable() async throws {
        let journal = MemoryJournal()
        try await journal.close()
        await #expect(throws: JournalError.self) { try await OfflineService.reasonAgainst(record, journal) }
    }
}
