import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// Sales of one commit share the answer to the precondition that all of them have.
@Suite("The preconditions of writes in one commit")
struct BatchConditionTests {
    private let site = Site(.sqlite)

    /// Returns the refusal of a sale with the conditions that the engine sets; `nil` if it was applied.
    private func sell(_ number: Int, _ writer: SQLiteWriter) throws -> JournalError? {
        var sale = try Sale(number)
        var write = sale.write()
        write.records = SaleGate.conditions(account: .main, order: sale.payment.order.id)
        return try refusal(of: write, writer)
    }

    private func refusal(of write: JournalWrite, _ writer: SQLiteWriter) throws -> JournalError? {
        switch try writer.apply(try PreparedWrite(write, encodes: true), clock: site.clock) {
        case .success: return nil
        case .failure(let refusal): return refusal
        }
    }

    @Test("A sweep that is recorded between two sales refuses the second, and no longer once the commit is undone")
    func recorded() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock, renewsLease: false)
        let writer = try SQLiteWriter(path: site.path, owner: journal.ownNumber, heads: nil) { _ in true }
        let sweep = JournalWrite(records: [.insert(RestoreSweep(.moved(to: "elsewhere")).record)])
        let conflict = JournalError.recordConflict(RestoreSweep.id, current: 1)
        try writer.begin()
        #expect(try sell(1, writer) == nil)
        #expect(try sell(2, writer) == nil)
        #expect(try refusal(of: sweep, writer) == nil)
        #expect(try sell(3, writer) == conflict)
        #expect(try refusal(of: sweep, writer) == conflict)
        writer.rollBack()
        try writer.begin()
        #expect(try sell(1, writer) == nil)
        // A record that is known to be missing can be made, once.
        #expect(try refusal(of: sweep, writer) == nil)
        #expect(try sell(2, writer) == conflict)
        try writer.commit()
        try writer.begin()
        #expect(try sell(3, writer) == conflict)
        writer.rollBack()
        try await journal.close()
    }

    @Test("What another connection records between two commits refuses the sales of the second")
    func recordedByAnother() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock, renewsLease: false)
        let writer = try SQLiteWriter(path: site.path, owner: journal.ownNumber, heads: nil) { _ in true }
        try writer.begin()
        #expect(try sell(1, writer) == nil)
        try writer.commit()
        try await journal.change([.insert(RestoreSweep(.moved(to: "elsewhere")).record)])
        try writer.begin()
        #expect(try sell(2, writer) == JournalError.recordConflict(RestoreSweep.id, current: 1))
        writer.rollBack()
        try await journal.close()
    }
}
