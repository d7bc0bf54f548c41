import Synchronization
import Testing
import TillCheckout
import TillCore
@testable import TillFeatureOrders
@testable import TillFeatureShops
import TillJournal
import TillShop

/// What a shop and the counter believe of an order is the same, whatever dies or fails between them.
@Suite("Connected shops") struct ShopSyncTests {
    private func notes(_ ledger: JSONValue) -> [String] {
        (ledger["notes"]?.arrayValue ?? []).compactMap { $0["note"]?.stringValue }
    }

    private func expectToldOnce(_ ledger: JSONValue, _ transaction: PaymentID) {
        #expect(ledger["paid"]?.int64Value == 1)
        #expect(ledger["transaction_id"]?.stringValue == transaction.rawValue)
        #expect(notes(ledger).count { $0.hasPrefix("Paid at the counter") } == 1)
    }

    @Test("A counter that dies at any call to the shop, before or after it, has told it once in the end")
    func deaths() async throws {
        for isAfter in [false, true] {
            for call in 1...60 {
                let death: MortalTransport.Death = isAfter ? .after(call) : .before(call)
                let hasDied: Bool
                do { hasDied = try await runToDeath(death) } catch {
                    Issue.record("\(death): \(error)")
                    return
                }
                guard hasDied else { break }
                #expect(call < 60, "the walk is longer than what was tried")
            }
        }
    }

    @Test("An order that the counter booked from a paid basket becomes the shop's, with its own document")
    func orderOfBasket() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            let order = try Order(id: OrderID(rawValue: "101"), amount: Money(minorUnits: 100, currency: .eur))
            let done = Record(RecordID("test", "basket"), body: Array("{}".utf8))
            _ = try await counter.book.book(
                BookedOrder.Content(order: order), paidIn: "b-1", by: PaymentID(rawValue: "none"), of: .main,
                beside: .insertIfAbsent(done))
            #expect(try await counter.entry().order.origin == .basket("b-1"))
            #expect(try await counter.sync.step())
            let entry = try await counter.entry()
            #expect(entry.order.origin == .shop)
            #expect(entry.order.content.order.metadata.values[ShopDesk.shopKey] != nil)
        }
    }

    /// Sells an order, is refunded here and in the shop, and dies at a call of that.
    /// - Returns: `false` if there was no such call.
    private func runToDeath(_ death: MortalTransport.Death) async throws -> Bool {
        let hasDied = Mutex(false)
        try await ShopWorld.with { world in
            let transport = MortalTransport(world.wire, dies: death)
            let first = world.start(over: transport)
            _ = try await first.sync.step()
            if !transport.isDead {
                let payment = try await first.pay()
                _ = try await first.sync.step()
                _ = try await first.checkout.refund(
                    payment.id, account: .main, amount: Money(minorUnits: 100, currency: .eur))
                _ = try await first.sync.step()
            }
            hasDied.withLock { $0 = transport.isDead }
            first.journal.crash()
            let second = world.start()
            try await world.settle(second)
            if try await second.entry().money.isPaid == false {
                let payment = try await second.pay()
                _ = try await second.checkout.refund(
                    payment.id, account: .main, amount: Money(minorUnits: 100, currency: .eur))
            }
            guard case .known(_, let payments) = try await second.entry().money, let payment = payments.first else {
                Issue.record("there is no payment")
                return
            }
            if payment.refunds.isEmpty {
                _ = try await second.checkout.refund(
                    payment.id, account: .main, amount: Money(minorUnits: 100, currency: .eur))
            }
            try await world.settle(second)
            let ledger = try await world.ledger()
            expectToldOnce(ledger, payment.id)
            #expect(ledger["refunded"]?.int64Value == 100)
            #expect(ledger["refunds"]?.arrayValue?.count == 1)
            #expect(try await second.link()?.due == nil)
        }
        return hasDied.withLock { $0 }
    }

    @Test("An order is booked as the shop has it, and told once as a whole however many payments paid it")
    func split() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let total = try #require(try await world.ledger()["total"]?.int64Value)
            #expect(try await counter.entry().order.content.order.total.minorUnits == total)
            let first = try await counter.pay("101", 300)
            #expect(try await counter.sync.step())
            #expect(try await world.ledger()["paid"]?.int64Value == 0)
            try await counter.pay()
            #expect(try await counter.sync.step())
            expectToldOnce(try await world.ledger(), first.id)
            // Telling is at rest: nothing is due, and another turn changes nothing.
            let before = try await world.control("ledger")["calls"]?["update"]
            #expect(try await counter.sync.step())
            #expect(try await world.control("ledger")["calls"]?["update"] == before)
        }
    }

    @Test("A payment that was canceled or wholly refunded pays no order in the shop")
    func notPaid() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.pay()
            _ = try await counter.checkout.refund(payment.id, account: .main)
            try await world.settle(counter)
            #expect(try await world.ledger()["paid"]?.int64Value == 0)
            let again = try await counter.pay()
            try await world.settle(counter)
            let ledger = try await world.ledger()
            expectToldOnce(ledger, again.id)
            // The refund was of a payment that the shop never heard of.
            #expect(ledger["refunded"]?.int64Value == 0)
        }
    }

    @Test("An order that becomes dearer in the shop after it was paid is reviewed, and told once the rest is paid")
    func dearer() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.pay()
            try await world.control("orders/101", #"{"total": "99.00"}"#)
            try await world.settle(counter)
            #expect(try await world.ledger()["paid"]?.int64Value == 0)
            let raised = try await counter.checkout.payment(payment.id, account: .main).openAttention
            #expect(raised.count == 1)
            guard case .shopDiffers(let sentence)? = raised.first?.attention else {
                Issue.record("another item was raised")
                return
            }
            #expect(sentence.contains("99.00") && sentence.contains(payment.amount.decimalString))
            try await counter.pay()
            try await world.settle(counter)
            let ledger = try await world.ledger()
            expectToldOnce(ledger, payment.id)
            #expect(try await counter.link()?.trouble == nil)
        }
    }

    @Test("An order that becomes cheaper in the shop after it was paid is not recorded, and is reviewed")
    func cheaper() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            #expect(try await counter.sync.step())
            let payment = try await counter.pay()
            try await world.control("orders/101", #"{"total": "1.00"}"#)
            try await world.settle(counter)
            #expect(try await world.ledger()["paid"]?.int64Value == 0)
            let raised = try await counter.checkout.payment(payment.id, account: .main).openAttention
            #expect(!raised.isEmpty)
            #expect(try await counter.link()?.trouble?.code == "shop_order_changed")
        }
    }

    @Test("A counter in test mode is connected to no shop in the world unless it is said to be a test shop")
    func testMode() async throws {
        try await ShopWorld.with { world in
            let shops = world.start().shops
            let key = try ShopKey(key: "ck_1", secret: Secret("cs_1"))
            let url = try ShopURL("https://shop.example")
            await #expect(throws: ShopConnectError.testMode) {
                _ = try await shops.connect(.init(url: url, key: key), account: .main)
            }
            await #expect(throws: ShopConnectError.sameScope("http://127.0.0.1:\(world.port)")) {
                _ = try await shops.connect(.init(url: url, key: key, isTestShop: true), account: .main)
            }
            let made = try await shops.connect(
                .init(url: url, key: key, scope: OrderScope("b"), isTestShop: true), account: .main)
            #expect(!String(decoding: made.shop.record.body, as: UTF8.self).contains("cs_1"))
        }
    }

    @Test("A shop whose addresses are checked stays so with another key, until it is said otherwise")
    func guarded() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            let account = AccountID(rawValue: "other")
            func connected(_ key: String, guarded: Bool? = nil) async throws -> ConnectedShop {
                var request = try request("https://one.example", key: key)
                (request.replaces, request.isGuarded) = (true, guarded)
                return try await counter.shops.connect(request, account: account).shop
            }
            #expect(try await connected("ck_1", guarded: true).isGuarded)
            let again = try await connected("ck_2")
            #expect(again.isGuarded && again.key == "ck_2")
            #expect(try await counter.shops.list(account).map(\.isGuarded) == [true])
            #expect(try await !connected("ck_3", guarded: false).isGuarded)
            #expect(try await !connected("ck_4").isGuarded)
            let changes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
                .filter { $0.subject == again.id.rawValue }.flatMap(\.changes).filter { $0.name == "guarded" }
            #expect(
                changes == [
                    AuditChange("guarded", to: "true"), AuditChange("guarded", from: "true", to: "true"),
                    AuditChange("guarded", from: "true", to: "false"),
                    AuditChange("guarded", from: "false", to: "false"),
                ])
        }
    }

    /// A journal in which somebody else connects a shop once an account's shops were read, the first time.
    private final class OvertakenJournal: JournalInFront, RecordStore {
        let base: MemoryJournal
        private let other: @Sendable () async -> Void
        private let isRead = Mutex(false)

        init(_ base: MemoryJournal, by other: @escaping @Sendable () async -> Void) {
            (self.base, self.other) = (base, other)
        }

        func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }

        func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
            let found = try await base.records(query)
            let isFirst = isRead.withLock { isRead in
                defer { isRead = true }
                return !isRead
            }
            if isFirst { await other() }
            return found
        }
    }

    private func request(_ url: String, key: String) throws -> ConnectedShops.Request {
        var request = ConnectedShops.Request(
            url: try ShopURL(url), key: try ShopKey(key: key, secret: Secret("cs_1")), isTestShop: true)
        request.replaces = false
        return request
    }

    @Test("Of two shops that are connected at once one is decided on what the other has changed")
    func atOnce() async throws {
        let (one, two) = ("https://one.example", "https://two.example")
        try await ShopWorld.with { world in
            let counter = world.start()
            let first = try request(one, key: "ck_first")
            for url in [one, two] {
                let account = AccountID(rawValue: url == one ? "same" : "other")
                let journal = OvertakenJournal(counter.journal) {
                    _ = try? await counter.shops.connect(first, account: account)
                }
                let overtaken = ConnectedShops(journal, pepper: counter.shops.pepper, clock: world.clock, mode: .test)
                let refusal: ShopConnectError =
                    url == one
                    ? .connected(one, as: ConnectedShopID.of(account, first.url).rawValue) : .sameScope(one)
                await #expect(throws: refusal) {
                    _ = try await overtaken.connect(try request(url, key: "ck_second"), account: account)
                }
                #expect(try await counter.shops.list(account).map(\.key) == ["ck_first"])
            }
        }
    }

    @Test("An order on the counter that is not the shop's is left alone")
    func taken() async throws {
        try await ShopWorld.with { world in
            let counter = world.start()
            let order = try Order(id: OrderID(rawValue: "101"), amount: Money(minorUnits: 5, currency: .eur))
            _ = try await counter.book.book(BookedOrder.Content(order: order), of: .main)
            #expect(try await counter.sync.step())
            #expect(try await counter.entry().order.content.order.total.minorUnits == 5)
            #expect(try await counter.link()?.trouble?.code == "shop_order_taken")
            // The shop's other order is not held up.
            #expect(try await counter.entry("102").order.isCurrent)
        }
    }
}
