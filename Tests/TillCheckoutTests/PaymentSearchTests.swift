import Testing
import TillCheckout
import TillCore
import TillJournal
import TillTestSupport

/// A search finds what looking at every payment finds, in pages of any length, and says how far it came.
@Suite("A search of payments") struct PaymentSearchTests {
    private let world = World()

    /// Sells at different times, with several cards, in different states.
    private func sell(_ count: Int = 60) async throws -> [Payment] {
        let cards = [("4242424242424242", "visa"), ("5555555555554444", "mastercard")]
        for number in 0..<count {
            let units = Int64(100 + 37 * (number % 11))
            let id = try await world.create("Ord-\(2_000 + number)", units)
            if number % 5 != 0 {
                let (card, brand) = cards[number % 2]
                _ = try await world.confirm(id, card: card, brand: brand)
                if number % 7 == 1 { _ = try await world.checkout.refund(id, account: .main) }
            }
            world.clock.advance(by: .minutes(11))
        }
        return try await all()
    }

    private func all() async throws -> [Payment] {
        try await world.checkout.list(PaymentFilter(account: .main, limit: 500)).compactMap {
            if case .payment(let payment) = $0 { payment } else { nil }
        }
    }

    private func found(_ search: PaymentSearch) async throws -> [PaymentID] {
        var search = search
        var ids: [PaymentID] = []
        for _ in 0..<1_000 {
            let page = try await world.checkout.find(search)
            #expect(page.payments.count <= max(search.limit, 1))
            #expect((page.next == nil) == (page.examinedTo == nil))
            ids += page.payments.map(\.id)
            guard let next = page.next else { return ids }
            search.before = next
        }
        Issue.record("the search does not end")
        return ids
    }

    @Test("finds what looking at each payment finds, whatever the length of a page", arguments: [1, 7, 500])
    func bruteForce(limit: Int) async throws {
        let payments = try await sell()
        let middle = payments[payments.count / 2].createdAt
        func expect(
            _ change: (inout PaymentSearch) -> Void, _ matches: (Payment) -> Bool,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            var search = PaymentSearch(account: .main, limit: limit)
            change(&search)
            let wanted = payments.filter(matches).map(\.id)
            #expect(!wanted.isEmpty && wanted.count < payments.count, sourceLocation: sourceLocation)
            #expect(try await found(search) == wanted, sourceLocation: sourceLocation)
        }
        try await expect({ $0.statuses = [.succeeded] }) { $0.status == .succeeded }
        try await expect({ $0.statuses = [.refunded, .requiresPaymentMethod] }) {
            [.refunded, .requiresPaymentMethod].contains($0.status)
        }
        try await expect({ $0.tenders = [.reader] }) { $0.tender?.kind == .reader }
        try await expect({ $0.from = middle }) { $0.createdAt >= middle }
        try await expect({ $0.until = middle }) { $0.createdAt < middle }
        try await expect({ ($0.least, $0.greatest) = (200, 300) }) { (200...300).contains($0.amount.minorUnits) }
        try await expect({ $0.card = "4444" }) { $0.tender?.card?.lastFour == "4444" }
        try await expect({ $0.text = "4242" }) { $0.tender?.card?.lastFour == "4242" }
        try await expect({ $0.text = "ord-201" }) { $0.order.id.rawValue.hasPrefix("Ord-201") }
        try await expect({ $0.text = "1.37" }) { $0.amount.minorUnits == 137 }
        try await expect({ $0.text = "1,37" }) { $0.amount.minorUnits == 137 }
        try await expect({ $0.text = "1" }) {
            $0.amount.minorUnits == 100 || $0.order.id.rawValue.contains("1")
        }
        try await expect({ ($0.card, $0.statuses, $0.from) = ("4242", [.succeeded], middle) }) {
            $0.tender?.card?.lastFour == "4242" && $0.status == .succeeded && $0.createdAt >= middle
        }
    }

    @Test("finds a sale by what the till calls it, the end of its payment", arguments: [1, 500])
    func made(limit: Int) async throws {
        let payments = try await sell(12)
        let end = String(payments[7].id.rawValue.suffix(5))
        let wanted = payments.filter { $0.id.rawValue.hasSuffix(end) }.map(\.id)
        var search = PaymentSearch(account: .main, limit: limit)
        for text in [end, end.uppercased(), "Sale " + end, "Verkauf " + end, "販売" + end] {
            search.text = text
            #expect(try await found(search) == wanted)
        }
        let part = String(end.dropFirst())
        for text in [part, "Sale " + part, "a" + end, "." + end, end + "a"] {
            search.text = text
            #expect(try await !found(search).contains(payments[7].id))
        }
    }

    @Test("finds nothing of another account, nor what is not there")
    func nothing() async throws {
        _ = try await sell(5)
        #expect(try await found(PaymentSearch(account: AccountID(rawValue: "acct_other"))).isEmpty)
        var search = PaymentSearch(account: .main)
        for text in ["9.99", "Ord-9", "0000", "'; DROP TABLE payment; --", "%", "_"] {
            search.text = text
            #expect(try await found(search).isEmpty)
        }
    }

    @Test("names the payment or the order that the text is first, from whatever time")
    func exact() async throws {
        let payments = try await sell(10)
        let oldest = try #require(payments.last)
        var search = PaymentSearch(account: .main, limit: 2)
        search.from = payments[0].createdAt
        for text in [oldest.id.rawValue, oldest.order.id.rawValue] {
            search.text = text
            #expect(try await world.checkout.find(search).exact.map(\.id) == [oldest.id])
        }
        search.statuses = [.captureFailed]
        #expect(try await world.checkout.find(search).exact.isEmpty)
    }

    @Test("finds what a staff member sold and what was sold of a shop", arguments: [1, 7, 500])
    func origins(limit: Int) async throws {
        let staff = ["stf_ada", "stf_ben"].map { StaffID(rawValue: $0) }
        var sold: [StaffID: [PaymentID]] = [:]
        for number in 0..<12 {
            let who = staff[number % 2]
            let id = try await Attribution.$current.withValue(Attribution(.staff(who, name: "Somebody"))) {
                try await world.create("By-\(number)", Int64(100 + number))
            }
            sold[who, default: []].insert(id, at: 0)
            if number % 3 == 0 { _ = try await world.confirm(id, card: "4242424242424242", brand: "visa") }
            world.clock.advance(by: .minutes(11))
        }
        _ = try await world.create("Nobody", 100)
        for who in staff {
            var search = PaymentSearch(account: .main, limit: limit)
            search.seller = who
            let mine = sold[who] ?? []
            #expect(try await found(search) == mine && mine.count == 6)
            search.statuses = [.succeeded]
            let paid = try await all().filter { $0.status == .succeeded && mine.contains($0.id) }
            #expect(try await found(search) == paid.map(\.id) && paid.count == 2)
            search.statuses = []
            // What bears the very name is not somebody else's.
            for (number, id) in [(0, sold[staff[0]]?.last), (1, sold[staff[1]]?.last)] {
                for text in ["By-\(number)", id?.rawValue ?? ""] {
                    search.text = text
                    let exact = try await world.checkout.find(search).exact.map(\.id)
                    #expect(exact == (mine.contains { $0 == id } ? [id].compactMap { $0 } : []))
                }
            }
            search.text = nil
            search.shop = "shop_none"
            #expect(try await found(search).isEmpty)
        }
    }

    @Test("says how far back it came when it has examined enough, and goes on from there")
    func budget() async throws {
        let payments = try await sell(40)
        var search = PaymentSearch(account: .main, limit: 3)
        let first = try await world.checkout.find(search)
        #expect(first.payments.map(\.id) == payments.prefix(3).map(\.id))
        #expect(first.next == payments[2].id && first.examinedTo == payments[2].createdAt)
        search.text = "Ord-2000"
        let last = try await world.checkout.find(search)
        #expect(last.next == nil && last.payments.map(\.id) == [payments[39].id])
    }
}
