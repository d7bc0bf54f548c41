import Synchronization
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal
import TillJournalSQLite
import TillSandbox
import TillStandInApple
import TillTestSupport

@testable import TillServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Parts of Apple Pay's service")
struct ApplePayPartsTests {
    @Test("The demo shop is made once, by whoever comes first, and not before")
    func mount() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/mount-\(UInt64.random(in: .min ... .max))"
        let journal = try SQLiteJournal.open(at: path + "/journal.sqlite")
        let checkout = Checkout(journal: journal, providers: [CashDrawer()], clock: SystemClock())
        let made = Mutex(0)
        let mount = ApplePayMount {
            made.withLock { $0 += 1 }
            return try .sandbox(checkout: checkout, journal: journal, account: .main)
        }
        #expect(mount.hasShop && mount.opened == nil && made.withLock { $0 } == 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try mount.web() } }
            try await group.waitForAll()
        }
        #expect(mount.opened != nil && made.withLock { $0 } == 1)
        await mount.opened?.shutdown()
        try await journal.close()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("A transaction pays one order, in every process that shares the journal, before and after a restart")
    func replay() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/replay-\(UInt64.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = ManualClock()
        let apple = try SandboxAppleAuthority(issued: clock.now())
        let identity = try apple.processingIdentity(merchant: "merchant.test.example")
        let maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
        let request = SandboxTokenRequest(amount: Money(minorUnits: 100, currency: .gbp), signedAt: clock.now())
        let transaction = try UnverifiedPaymentToken(document: maker.token(request)).transactionID
        let other = try UnverifiedPaymentToken(document: maker.token(request)).transactionID
        for _ in 0..<2 {
            let journal = try SQLiteJournal.open(at: path + "/journal.sqlite")
            let store = JournalReplayStore(store: journal, clock: clock)
            let until = clock.now().adding(.hours(1))
            #expect(await store.reserve(transaction, for: "one:1", until: until))
            #expect(await store.reserve(transaction, for: "one:1", until: until))
            #expect(await store.reserve(transaction, for: "one:2", until: until) == false)
            #expect(await store.reserve(transaction, for: "two:1", until: until) == false)
            // Of any number that come at once with other orders, one gets it.
            let taken = await withTaskGroup(of: Bool.self) { group in
                for order in 0..<16 {
                    group.addTask { await store.reserve(other, for: "order-\(order)", until: until) }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
            try await journal.close()
        }
    }

    @Test("Only Apple Pay's own addresses open it")
    func addresses() {
        let own = [
            "/applepay/metadata", "/applepay/", "/shop", "/shop/shop.js",
            "/.well-known/apple-developer-merchantid-domain-association",
            "/.well-known/apple-developer-merchantid-domain-association.txt",
        ]
        let others = [
            "/", "/applepay", "/shopping", "/metrics", "/v1/payments", "/.well-known/other", "/applepays/x",
            "/.well-known/apple-developer-merchantid-domain-association.json",
        ]
        #expect(own.allSatisfy(ApplePayRoutes.own))
        #expect(!others.contains(where: ApplePayRoutes.own))
    }

    @Test("Names that StatsD is sent hold none of its marks")
    func names() {
        #expect(StatsD.clean("a:b|c@d#e f/\n.g-h_1") == "a_b_c_d_e_f__.g-h_1")
        #expect(StatsD.clean(String(repeating: "x", count: 500)).utf8.count == 200)
    }

    @Test("More figures than a datagram holds become several, and none waits for an answer")
    func manyFigures() async throws {
        let statsD = try StatsD(host: "127.0.0.1", port: 9, prefix: "t")
        for number in 0..<5_000 { statsD.count("figure.\(number % 7)") }
        await statsD.close()
        statsD.count("after.the.end")
        #expect(statsD.dropped < 5_000)
    }

    @Test("A basket that was kept is the basket")
    func baskets() throws {
        func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .gbp) }
        let shop = SheetBasket.ShopAddress(
            name: "Shop", addressLines: ["1 Street", "Yard"], locality: "London", postalCode: "EC4M 7RF",
            countryCode: "GB")
        var delivery = SheetBasket(
            id: "b-1", currency: .gbp, service: .delivery,
            lines: [
                SheetItem(label: "Tea \"hot\"", amount: money(250)),
                SheetItem(label: "Less", amount: money(-50), isPending: true),
            ],
            shippingMethods: [
                SheetShippingMethod(identifier: "a", label: "A", detail: "", amount: money(100)),
                SheetShippingMethod(identifier: "b", label: "B", detail: "quick", amount: money(200)),
            ], creditFee: money(30))
        let collection = SheetBasket(
            id: "b-2", currency: .gbp, service: .collection(shop), lines: [SheetItem(label: "Tea", amount: money(1))])
        let chosen = delivery.choose(shippingMethod: "b")
        #expect(chosen)
        delivery.apply(SheetBasket.Coupon(code: "TEN", discount: money(20)))
        delivery.pay(byCredit: true)
        for basket in [delivery, collection] {
            let read = try #require(SheetBasket(json: JSONValue(parsing: basket.json.bytes())))
            #expect(read == basket)
            #expect(try read.total() == basket.total())
        }
        #expect(SheetBasket(json: .object([])) == nil)
    }

    @Test("A contact that was kept with an order is the contact")
    func contacts() throws {
        let wallet = WalletContact(
            givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@example.com", phoneNumber: "+44 20 7946 0000",
            addressLines: ["1 Fleet Place"], locality: "London", postalCode: "EC4M 7RF", countryCode: "GB")
        for needsAddress in [true, false] {
            let contact = try FullContact(wallet, needsAddress: needsAddress)
            var attempt = WalletBasket.Attempt(transaction: "t")
            attempt.contact = contact.json.bytes()
            let read = try #require(attempt.fullContact)
            #expect(read == contact)
        }
        var abroad = wallet
        abroad.locality = nil
        abroad.postalCode = nil
        abroad.countryCode = "HK"
        let contact = try FullContact(abroad, needsAddress: true)
        var attempt = WalletBasket.Attempt(transaction: "t")
        attempt.contact = contact.json.bytes()
        #expect(attempt.fullContact == contact)
    }

    @Test("Identifiers of events change no path")
    func eventNames() {
        for name in ["", ".", "..", "a/b", "a%2Fb", "a b", "ä", String(repeating: "x", count: 129)] {
            #expect(!MerchantTokenEvent.isIdentifier(name))
        }
        #expect(MerchantTokenEvent.isIdentifier("A0-b_c.d"))
    }
}
