import Testing
import TillCore
import TillTestSupport

@testable import TillJournal

@Suite("Baskets of payment sheets in the journal's database")
struct WalletRecordTests {
    private func basket(_ id: String = "b-1", at: Timestamp, version: Int = 1) -> WalletBasketRecord {
        WalletBasketRecord(
            id: id, account: nil, version: version, document: Array("{}".utf8), nonce: [1, 2, 3], openedAt: at)
    }

    private func journal(_ site: Site) throws -> SQLiteJournal {
        try SQLiteJournal.open(at: site.path, clock: site.clock)
    }

    @Test("A basket comes back as it was kept, also after the process died")
    func kept() async throws {
        let site = Site(.sqlite)
        let now = site.clock.now()
        var record = basket(at: now)
        record.account = "guest_1"
        let journal = try journal(site)
        #expect(try await journal.keep(record))
        #expect(try await journal.walletBasket("b-1") == record)
        #expect(try await journal.walletBasket("b-2") == nil)
        try await journal.close()
        let again = try self.journal(site)
        #expect(try await again.walletBasket("b-1") == record)
        try await again.close()
    }

    @Test("Of many who begin one payment begins, in whatever process, and a basket in payment is not replaced")
    func oneBegins() async throws {
        let site = Site(.sqlite)
        let (first, second) = (try journal(site), try journal(site))
        let now = site.clock.now()
        _ = try await first.keep(basket(at: now))
        let begun = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await (number % 2 == 0 ? first : second)
                        .beginWalletPayment(of: "b-1", version: 1, transaction: "t\(number)")
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(begun == 1)
        #expect(try await first.keep(basket(at: now, version: 9)) == false)
        #expect(try await first.change(basket(at: now, version: 2), from: 1) == false)
        let attempt = try #require(try await second.walletBasket("b-1")?.attempt)
        let owner = try #require(attempt.owner)
        #expect(first.isWorkingElsewhere(owner) != second.isWorkingElsewhere(owner))
        // Only the transaction that holds it ends it.
        try await second.endWalletPayment(of: "b-1", transaction: "other", answer: nil)
        #expect(try await second.walletBasket("b-1")?.attempt != nil)
        try await second.endWalletPayment(of: "b-1", transaction: attempt.transaction, answer: Array("{}".utf8))
        #expect(try await second.walletBasket("b-1")?.attempt?.answer == Array("{}".utf8))
        #expect(try await second.walletBasket("b-1")?.attempt?.owner == nil)
        try await second.endWalletPayment(of: "b-1", transaction: attempt.transaction, answer: nil)
        #expect(try await second.walletBasket("b-1")?.attempt == nil)
        try await first.close()
        try await second.close()
    }

    @Test("A version that is not the one that was looked at begins and changes nothing")
    func versions() async throws {
        let site = Site(.sqlite)
        let journal = try journal(site)
        _ = try await journal.keep(basket(at: site.clock.now()))
        #expect(try await journal.change(basket(at: site.clock.now(), version: 2), from: 1))
        #expect(try await journal.change(basket(at: site.clock.now(), version: 2), from: 1) == false)
        #expect(try await journal.beginWalletPayment(of: "b-1", version: 1, transaction: "t") == false)
        #expect(try await journal.beginWalletPayment(of: "b-1", version: 2, transaction: "t"))
        try await journal.close()
    }

    @Test("What nobody paid goes after a day; what was paid stays")
    func lifetimes() async throws {
        let site = Site(.sqlite)
        let journal = try journal(site)
        let now = site.clock.now()
        _ = try await journal.keep(basket("old", at: now))
        _ = try await journal.keep(basket("paid", at: now))
        #expect(try await journal.beginWalletPayment(of: "paid", version: 1, transaction: "t"))
        _ = try await journal.keep(basket("new", at: now.adding(.hours(25))))
        #expect(try await journal.walletBasket("old") == nil)
        #expect(try await journal.walletBasket("paid") != nil)
        try await journal.close()
    }

    @Test("A name has one account, and its token is found by its hash only")
    func accounts() async throws {
        let site = Site(.sqlite)
        let journal = try journal(site)
        let now = site.clock.now()
        let made = try await journal.walletAccount(name: [1], id: "a", token: [2], at: now)
        #expect(made?.id == "a" && made?.isNew == true)
        let again = try await journal.walletAccount(name: [1], id: "b", token: [3], at: now)
        #expect(again?.id == "a" && again?.isNew == false)
        #expect(try await journal.walletAccount(token: [2]) == "a")
        #expect(try await journal.walletAccount(token: [3]) == nil)
        try await journal.renewWalletToken(name: [1], token: [4])
        #expect(try await journal.walletAccount(token: [2]) == nil)
        #expect(try await journal.walletAccount(token: [4]) == "a")
        try await journal.close()
    }

    @Test("An event of a merchant's token is kept once and waits until its details are known")
    func events() async throws {
        let site = Site(.sqlite)
        let journal = try journal(site)
        #expect(try await journal.noteWalletTokenEvent("e-1", at: site.clock.now()))
        #expect(try await journal.noteWalletTokenEvent("e-1", at: site.clock.now()) == false)
        #expect(try await journal.walletTokenEvents(waiting: true).map(\.id) == ["e-1"])
        try await journal.endWalletTokenEvent("e-1", document: Array("{}".utf8))
        #expect(try await journal.walletTokenEvents(waiting: true).isEmpty)
        #expect(try await journal.walletTokenEvents().first?.document == Array("{}".utf8))
        try await journal.close()
    }
}
