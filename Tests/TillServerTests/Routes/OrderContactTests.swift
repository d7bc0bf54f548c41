import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Logging
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
@testable import TillFeatureOrders
import TillJournal
import TillJournalSQLite
import TillTestSupport

@testable import TillServer
@testable import TillWeb

/// A machine's clock that contradicts the journal.
private struct DoubtedClock: TillClock {
    let base: ManualClock

    var standing: ClockStanding { .doubted(.notCompared) }
    func now() -> Timestamp { base.now() }
    func sleep(for span: Span) async throws { try await base.sleep(for: span) }
}

/// Paid sheets and guests on a journal, as the feature itself writes them.
private struct PaidOrders {
    static let address = "erase.me@customer.example"
    static let contact = WalletContact(
        json: .members([
            "givenName": .string("Ada"), "familyName": .string("Quillfeather"), "emailAddress": .string(address),
            "phoneNumber": .string("+44 20 7946 0000"), "addressLines": .array([.string("17 Hidden Lane")]),
            "locality": .string("London"), "postalCode": .string("EC4M 7RF"), "countryCode": .string("GB"),
        ]))
    /// What nobody finds after the erasure.
    static let traces = [address, "Quillfeather", "17 Hidden Lane", "Ring the blue bell"]

    let journal: any Journal & RecordStore
    let pepper: Pepper
    let clock: any TillClock
    var paidFor = WalletBasket.paidLifetime

    var baskets: ApplePayBaskets { ApplePayBaskets(journal: journal, owner: .main, clock: clock, paidFor: paidFor) }
    var customers: CustomerAccounts { CustomerAccounts(journal, owner: .main, pepper: pepper, clock: clock) }
    var contacts: WalletContacts { WalletContacts(journal, pepper: pepper, clock: clock) }

    /// Writes the basket of an order whose payment has begun and has no answer.
    func begin(_ id: String, _ order: String, succeeding ended: String? = nil) async throws -> WalletTransactionID {
        let basket = SheetBasket(
            id: id, currency: .gbp, service: .delivery,
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: 250, currency: .gbp))])
        var terms = BasketTerms(order: OrderID(rawValue: order), number: order)
        terms.note = "Ring the blue bell"
        _ = try await baskets.open(basket, on: terms, account: nil, succeeding: ended)
        let transaction = WalletTransactionID(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        guard case .begin = try await baskets.begin(id, version: 1, transaction: transaction) else {
            Issue.record("the basket cannot be paid")
            return transaction
        }
        let contact = try FullContact(PaidOrders.contact, needsAddress: true)
        try await baskets.note(
            PaymentID(rawValue: "pay_" + id), of: id, transaction: transaction.description,
            contact: contact.json.bytes())
        return transaction
    }

    /// Writes the paid basket of an order, and the guest's account.
    /// - Returns: the guest's customer identifier.
    @discardableResult
    func pay(_ id: String, _ order: String, succeeding ended: String? = nil) async throws -> String {
        let transaction = try await begin(id, order, succeeding: ended)
        let contact = try FullContact(PaidOrders.contact, needsAddress: true)
        let guest = try #require(await customers.account(of: contact, basket: id)).id
        let answer = JSONValue.members(["status": .string("placed"), "guestAccount": .string(guest)])
        try await baskets.end(id, transaction: transaction.description, answer: answer.bytes())
        return guest
    }

    /// The files beside a journal in which one of the texts is found.
    static func files(of journal: String, with texts: [String] = PaidOrders.traces) throws -> [String] {
        let folder = URL(fileURLWithPath: journal).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return files.filter { file in
            guard let bytes = try? Data(contentsOf: file) else { return false }
            return texts.contains { bytes.range(of: Data($0.utf8)) != nil }
        }
        .map(\.lastPathComponent)
    }
}

@Suite("Customers' contacts on orders")
struct OrderContactTests {
    private func ask(
        _ counter: RoutedCounter, _ method: String, _ path: String, key: String = "key", _ body: String = ""
    ) async throws -> (status: Int, document: JSONValue) {
        let response = try await counter.ask(
            method, path, isStranger: true, headers: ["Authorization": "Bearer \(key)"], body)
        return (response.status.code, try await RoutedCounter.document(response))
    }

    private func withCounter(_ body: (RoutedCounter, PaidOrders) async throws -> Void) async throws {
        let counter = try await RoutedCounter()
        let orders = PaidOrders(
            journal: counter.journal, pepper: Pepper(besideJournal: counter.journal.path), clock: SystemClock())
        do { try await body(counter, orders) } catch {
            await counter.close()
            throw error
        }
        await counter.close()
    }

    private func erasures(_ journal: any CounterStore) async throws -> [AuditNote] {
        try await journal.auditEntries(AuditQuery()).entries.map(\.note).filter { $0.action == .orderContactErased }
    }

    @Test("The contact of an order paid by Apple Pay is read and erased under the order, and is in no file afterwards")
    func erased() async throws {
        try await withCounter { counter, orders in
            let guest = try await orders.pay("b-1", "o-1")
            // Refunded and paid again: the order has two baskets with a contact.
            try await orders.pay("b-2", "o-1", succeeding: "b-1")
            let path = "/v1/orders/o-1/contact"
            let shown = try await ask(counter, "GET", path)
            #expect(shown.status == 200 && shown.document["booked"]?.boolValue == false)
            let baskets = shown.document["baskets"]?.arrayValue ?? []
            #expect(baskets.map { $0["basket_id"]?.stringValue } == ["b-1", "b-2"])
            #expect(baskets.allSatisfy { $0["contact"]?["email"]?.stringValue == PaidOrders.address })
            #expect(baskets.allSatisfy { $0["note"]?.stringValue == "Ring the blue bell" })
            #expect(shown.document["retention_days"]?.isNull == true, "booked orders keep theirs without the setting")
            #expect(shown.document["basket_retention_days"]?.int64Value == 180)
            #expect(try !PaidOrders.files(of: counter.journal.path).isEmpty, "the search finds what is there")

            let erased = try await ask(counter, "DELETE", path)
            #expect(erased.status == 200 && erased.document["order"]?.isNull == true, "\(erased.document)")
            let lists = erased.document["erased"]
            #expect(lists?["order"]?.boolValue == false)
            #expect(lists?["baskets"]?.arrayValue?.compactMap(\.stringValue) == ["b-1", "b-2"])
            #expect(lists?["guests"]?.arrayValue?.compactMap(\.stringValue) == [guest])
            #expect(erased.document["log_emptied"]?.boolValue == true)
            #expect(try PaidOrders.files(of: counter.journal.path) == [])
            #expect(try await counter.journal.count(CustomerAccount.collection, matching: nil) == 0)

            let again = try await ask(counter, "DELETE", path)
            #expect(again.status == 200 && again.document["erased"]?["baskets"]?.arrayValue == [])
            let left = try await ask(counter, "GET", path).document["baskets"]?.arrayValue ?? []
            #expect(left.count == 2 && left.allSatisfy { $0["contact"]?.isNull == true && $0["note"]?.isNull == true })
            let notes = try await erasures(counter.journal)
            #expect(notes.count == 1 && notes.first?.subject == "o-1" && notes.first?.by.actor.kind == "key")
            #expect(notes.first?.changes.map(\.name) == ["baskets", "guests"])
            // The proof of the payment is as it was.
            let entry = try #require(try await orders.baskets.entry("b-2"))
            #expect(entry.attempt?.payment?.rawValue == "pay_b-2" && entry.answer?["status"]?.stringValue == "placed")
        }
    }

    @Test("A booked order that was paid by Apple Pay loses both contacts; the order comes with the answer")
    func booked() async throws {
        try await withCounter { counter, orders in
            try await orders.pay("b-1", "o-1")
            let body = """
                {"order_id":"o-1","amount":250,"currency":"GBP","note":"Ring the blue bell",
                 "customer":{"name":"Ada Quillfeather","email":"\(PaidOrders.address)"}}
                """
            let booked = try await ask(counter, "POST", "/v1/orders", body)
            #expect(booked.status == 201, "\(booked.document)")
            let shown = try await ask(counter, "GET", "/v1/orders/o-1/contact").document
            #expect(shown["customer"]?["email"]?.stringValue == PaidOrders.address)
            #expect(shown["booked"]?.boolValue == true && shown["baskets"]?.arrayValue?.count == 1)
            let erased = try await ask(counter, "DELETE", "/v1/orders/o-1/contact").document
            #expect(erased["erased"]?["order"]?.boolValue == true)
            #expect(erased["erased"]?["baskets"]?.arrayValue?.count == 1)
            #expect(erased["order"]?["id"]?.stringValue == "o-1" && erased["order"]?["customer"]?.isNull == true)
            #expect(try PaidOrders.files(of: counter.journal.path) == [])
        }
    }

    @Test("The contact is for a key of the account that may sell; an order that is not there is not found")
    func permission() async throws {
        try await withCounter { counter, orders in
            try await orders.pay("b-1", "o-1")
            let keys = APIKeys(counter.journal, clock: SystemClock())
            let reader = try await keys.create(account: .main, label: "display", scopes: [.read], life: nil)
            for method in ["GET", "DELETE"] {
                let path = "/v1/orders/o-1/contact"
                #expect(try await ask(counter, method, path, key: reader.key.reveal()).status == 403)
                #expect(try await ask(counter, method, path, key: "other").status == 404)
                #expect(try await ask(counter, method, "/v1/orders/o-2/contact").status == 404)
            }
            #expect(try await orders.baskets.entry("b-1")?.attempt?.fullContact != nil)
        }
    }

    @Test("Nothing is erased while a sheet pays the order: its process would make a guest of the contact")
    func inPayment() async throws {
        try await withCounter { counter, orders in
            _ = try await orders.begin("b-1", "o-1")
            let refused = try await ask(counter, "DELETE", "/v1/orders/o-1/contact")
            #expect(refused.status == 409 && refused.document["code"]?.stringValue == "basket_in_payment")
            #expect(try await orders.baskets.entry("b-1")?.attempt?.fullContact != nil)
            #expect(try await erasures(counter.journal).isEmpty)
        }
    }

    @Test("A basket and a guest of an earlier version are found, too")
    func earlier() async throws {
        try await withCounter { counter, orders in
            try await orders.pay("b-1", "o-1")
            try await orders.pay("b-2", "o-1", succeeding: "b-1")
            try await bare("b-1", counter.journal)
            try await bare("b-2", counter.journal)
            let former = CustomerAccount(
                owner: .main, name: CustomerAccount.formerName(of: PaidOrders.address, owner: .main), id: "guest_old",
                token: [7])
            try await counter.journal.change([.insert(former.record)])
            let erased = try await ask(counter, "DELETE", "/v1/orders/o-1/contact").document["erased"]
            #expect(erased?["baskets"]?.arrayValue?.compactMap(\.stringValue) == ["b-1", "b-2"])
            #expect(erased?["guests"]?.arrayValue?.count == 2)
            #expect(try await counter.journal.count(CustomerAccount.collection, matching: nil) == 0)
        }
    }

    @Test("A basket that a counter of an earlier version writes after the update is found, too")
    func mixed() async throws {
        try await withCounter { counter, orders in
            try await orders.pay("b-1", "o-1")
            _ = try await ask(counter, "GET", "/v1/orders/o-1/contact")
            try await bare("b-1", counter.journal)
            let erased = try await ask(counter, "DELETE", "/v1/orders/o-1/contact").document["erased"]
            #expect(erased?["baskets"]?.arrayValue?.compactMap(\.stringValue) == ["b-1"])
        }
    }

    /// Writes a basket without index values, as earlier versions did.
    private func bare(_ id: String, _ journal: any CounterStore) async throws {
        let kept = try #require(try await journal.record(RecordID(WalletBasket.collection, id)))
        var bare = try WalletBasket(kept).record
        bare.fields = [:]
        try await journal.change([.update(bare, from: kept.version)])
    }

    // MARK: Guests

    @Test("A guest's name cannot be tried out without the counter's key, and a former one is replaced with an order")
    func names() async throws {
        try await withCounter { counter, orders in
            let contact = try FullContact(PaidOrders.contact, needsAddress: true)
            let plain = CustomerAccount.formerName(of: PaidOrders.address, owner: .main)
            let old = CustomerAccount(owner: .main, name: plain, id: "guest_old", token: [7])
            try await counter.journal.change([.insert(old.record)])
            #expect(await orders.customers.account(of: contact, basket: "b-1")?.id == "guest_old")
            let kept = try await counter.journal.records(RecordQuery(CustomerAccount.collection))
            let name = try CustomerAccount.name(of: PaidOrders.address, owner: .main, orders.pepper)
            #expect(kept.map(\.id.key) == [Hex.lowercase(name)] && name != plain)
            let foreign = try CustomerAccount.name(of: PaidOrders.address, owner: .main, .ofGuests)
            #expect(foreign != name)
            #expect(await orders.customers.account(of: contact, basket: "b-2")?.id == "guest_old")
        }
    }

    @Test("A guest is erased on request, once, with who asked for it")
    func guest() async throws {
        try await withCounter { counter, orders in
            let guest = try await orders.pay("b-1", "o-1")
            let path = "/v1/applepay/guests/\(guest)"
            #expect(try await ask(counter, "DELETE", path, key: "other").status == 404)
            let erased = try await ask(counter, "DELETE", path)
            #expect(erased.status == 200 && erased.document["erased"]?.boolValue == true)
            #expect(try await ask(counter, "DELETE", path).document["erased"]?.boolValue == false)
            #expect(try await counter.journal.count(CustomerAccount.collection, matching: nil) == 0)
            let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
                .filter { $0.action == .guestErased }
            #expect(notes.map(\.subject) == [guest] && notes.first?.by.actor.kind == "key")
        }
    }

    @Test("A guest made of a contact while that was being erased is erased, too; one of a contact that is kept stays")
    func overtaken() async throws {
        try await withCounter { counter, orders in
            let guest = try await orders.pay("b-1", "o-1")
            try await orders.contacts.eraseGuest(guest, of: "b-1", account: .main)
            #expect(try await counter.journal.count(CustomerAccount.collection, matching: nil) == 1)
            try await orders.baskets.update("b-1") { basket in
                basket.attempt?.contact = nil
                return true
            }
            try await orders.contacts.eraseGuest(guest, of: "b-1", account: .main)
            #expect(try await counter.journal.count(CustomerAccount.collection, matching: nil) == 0)
        }
    }

    // MARK: Retention

    /// A journal with a booked and a paid order, and what erases them.
    private struct Kept {
        let path = NSTemporaryDirectory() + "till-retention-\(UUID().uuidString)/journal.sqlite"
        let clock = ManualClock()
        let journal: SQLiteJournal
        let orders: PaidOrders
        let book: OrderBook

        init() throws {
            journal = try SQLiteJournal.open(at: path, clock: clock)
            orders = PaidOrders(journal: journal, pepper: Pepper(besideJournal: path), clock: clock)
            let checkout = Checkout(journal: journal, providers: [CashDrawer()], clock: clock)
            book = OrderBook(journal, checkout: checkout, feed: EventFeed(), clock: clock)
        }

        func service(days: Int64?, by clock: (any TillClock)? = nil) -> ContactRetentionService {
            ContactRetentionService(
                book: book, baskets: orders.contacts, retention: days.map { Span.days($0) }, store: journal,
                clock: clock ?? self.clock, logger: Logger(label: "test"))
        }

        func fill() async throws {
            try await orders.pay("b-1", "o-1")
            let tea = Money(minorUnits: 250, currency: .gbp)
            let order = try Order(
                id: OrderID(rawValue: "o-2"), number: "o-2",
                lines: [
                    OrderLine(name: "Tea", quantity: "1", subtotal: tea, total: tea, tax: .zero(.gbp))
                ], shipping: [], fees: [], total: tea)
            let content = BookedOrder.Content(
                order: order, contact: OrderContact(name: "Quillfeather", email: PaidOrders.address),
                note: "Ring the blue bell")
            _ = try await book.book(content, of: .main)
        }

        /// `true` for each of: the booked order's contact, the basket's, the guest's account.
        func state() async throws -> [Bool] {
            [
                try await book.order(OrderID(rawValue: "o-2"), of: .main)?.isPersonal ?? false,
                try await orders.baskets.entry("b-1")?.attempt?.contact != nil,
                try await journal.count(CustomerAccount.collection, matching: nil) > 0,
            ]
        }

        func end() async throws {
            try await journal.close()
            try FileManager.default.removeItem(
                at: URL(fileURLWithPath: path).deletingLastPathComponent())
        }
    }

    @Test("The retention holds for booked orders, for paid sheets and for guests, and what it ends is in no file")
    func retention() async throws {
        let kept = try Kept()
        try await kept.fill()
        kept.clock.advance(by: .days(29))
        try await kept.service(days: 30).turn()
        #expect(try await kept.state() == [true, true, true])
        kept.clock.advance(by: .days(2))
        try await kept.service(days: 30).turn()
        #expect(try await kept.state() == [false, false, false])
        #expect(try PaidOrders.files(of: kept.path) == [])
        let notes = try await erasures(kept.journal)
        #expect(Set(notes.compactMap(\.subject)) == ["o-1", "o-2"] && notes.allSatisfy { $0.reason == "retention" })
        // The basket with its payment stays, and a turn that finds nothing writes nothing.
        #expect(try await kept.orders.baskets.entry("b-1")?.attempt?.payment != nil)
        try await kept.service(days: 30).turn()
        #expect(try await erasures(kept.journal).count == 2)
        try await kept.end()
    }

    @Test("Without the setting a booked order keeps its contact; sheets and guests have 180 days")
    func unset() async throws {
        let kept = try Kept()
        try await kept.fill()
        kept.clock.advance(by: .days(179))
        try await kept.service(days: nil).turn()
        #expect(try await kept.state() == [true, true, true])
        kept.clock.advance(by: .days(400))
        try await kept.service(days: nil).turn()
        #expect(try await kept.state() == [true, false, false])
        // The setting, once it is made, holds for what was booked before.
        try await kept.service(days: 30).turn()
        #expect(try await kept.state() == [false, false, false])
        try await kept.end()
    }

    @Test("A guest of an earlier version has the whole time after the update")
    func guestsOfBefore() async throws {
        let kept = try Kept()
        let old = CustomerAccount(
            owner: .main, name: [1], id: "guest_old", token: [7],
            madeAt: kept.clock.now().adding(.days(-1_000)))
        try await kept.journal.change([.insert(old.record)])
        try await kept.service(days: 30).turn()
        kept.clock.advance(by: .days(29))
        try await kept.service(days: 30).turn()
        #expect(try await kept.journal.count(CustomerAccount.collection, matching: nil) == 1)
        kept.clock.advance(by: .days(2))
        try await kept.service(days: 30).turn()
        #expect(try await kept.journal.count(CustomerAccount.collection, matching: nil) == 0)
        try await kept.end()
    }

    // MARK: Readers

    /// Another program's reader, which keeps what it has begun to read.
    private func reader(of path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM record")
        }
        return reader
    }

    private func end(_ reader: DatabaseQueue) throws {
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try reader.close()
    }

    @Test("A reader that needs the log delays the erasure of traces, and no order")
    func readers() async throws {
        let kept = try Kept()
        try await kept.fill()
        let other = try reader(of: kept.path)
        let journal = kept.journal
        async let emptied = journal.eraseTraces()
        for number in 3...8 { try await kept.orders.pay("b-\(number)", "o-\(number)") }
        let isEmptied = try await emptied
        #expect(!isEmptied)
        try end(other)
        #expect(try await journal.eraseTraces())
        #expect(try await kept.orders.baskets.entry("b-8")?.answer != nil)
        try await kept.end()
    }

    @Test("A guest who orders again is kept from then on")
    func again() async throws {
        let kept = try Kept()
        try await kept.fill()
        kept.clock.advance(by: .days(20))
        try await kept.orders.pay("b-2", "o-3")
        kept.clock.advance(by: .days(20))
        try await kept.service(days: 30).turn()
        #expect(try await kept.state() == [false, false, true])
        #expect(try await kept.orders.baskets.entry("b-2")?.attempt?.contact != nil)
        try await kept.end()
    }

    @Test("By a clock that is not trusted nothing is erased")
    func doubted() async throws {
        let kept = try Kept()
        try await kept.fill()
        kept.clock.advance(by: .days(400))
        try await kept.service(days: 30, by: DoubtedClock(base: kept.clock)).turn()
        #expect(try await kept.state() == [true, true, true])
        try await kept.end()
    }

    @Test("A paid basket is kept as long as the retention, and 180 days at least")
    func paidBaskets() async throws {
        for (days, end) in [(30, 180), (400, 400)] as [(Int64, Int64)] {
            let kept = try Kept()
            var orders = kept.orders
            orders.paidFor = max(WalletBasket.paidLifetime, .days(days))
            try await orders.pay("b-1", "o-1")
            kept.clock.advance(by: .days(end - 1))
            try await kept.service(days: days).turn()
            #expect(try await orders.baskets.entry("b-1") != nil)
            kept.clock.advance(by: .days(2))
            try await kept.service(days: days).turn()
            #expect(try await orders.baskets.entry("b-1") == nil)
            try await kept.end()
        }
    }
}
