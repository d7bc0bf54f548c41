import Testing
import TillCore
import TillJournal

@Suite("The journal in memory")
struct MemoryJournalTests {
    @Test("a write that is cut off before it is durable has never been")
    func cutOff() async throws {
        let storage = MemoryJournal.Storage()
        let journal = MemoryJournal(storage: storage, beforeCommit: { _ in .unavailable("cut off") })
        let unlucky = MemoryJournal(storage: storage, afterCommit: { _ in .unavailable("cut off") })
        var first = try Sale(1)
        var second = try Sale(2)
        let (one, two) = (first.write(), second.write())
        await #expect(throws: JournalError.unavailable("cut off")) { try await journal.write(one) }
        await #expect(throws: JournalError.unavailable("cut off")) { try await unlucky.write(two) }
        let survivor = MemoryJournal(storage: journal.durable)
        #expect(try await survivor.payment(first.payment.id) == nil)
        #expect(try await survivor.payment(second.payment.id) == second.payment)
    }

    @Test("a copy goes its own way")
    func copy() async throws {
        let journal = MemoryJournal()
        let copy = journal.durable
        var sale = try Sale(1)
        try await journal.write(sale.write())
        #expect(try await MemoryJournal(storage: copy).payment(sale.payment.id) == nil)
    }
}
