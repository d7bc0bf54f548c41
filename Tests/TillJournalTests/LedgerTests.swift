import Testing
import TillCore
import TillJournal

@Suite("The ledger")
struct LedgerTests {
    @Test("a capture and its refund leave nothing in any book")
    func postings() async throws {
        let journal = MemoryJournal()
        var sale = try Sale(1)
        sale.pay()
        sale.giveBack()
        try await journal.write(sale.write())
        let postings = LedgerPosting.postings(of: try await journal.events(of: sale.payment.id))
        #expect(postings.map(\.amount.minorUnits) == [1_250, -1_250, -1_250, 1_250])
        #expect(postings.map(\.book) == [.clearing(.sandbox), .sales, .clearing(.sandbox), .sales])
        #expect(postings.map(\.sequence) == [5, 5, 7, 7])
    }

    @Test("money that is taken with the authorization is posted too")
    func singleMessage() async throws {
        let journal = MemoryJournal()
        var sale = try Sale(1)
        sale.begin()
        let authorization = Authorization(
            reference: ProviderReference(rawValue: "r"), amount: sale.payment.amount, isCaptured: true)
        sale.add(.authorized(sale.attempt, authorization))
        try await journal.write(sale.write())
        let postings = LedgerPosting.postings(of: try await journal.events(of: sale.payment.id))
        #expect(postings.map(\.amount.minorUnits) == [1_250, -1_250])
        #expect(try journal.verify().isSound)
    }
}
