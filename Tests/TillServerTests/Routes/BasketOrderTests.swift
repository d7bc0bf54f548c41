import Logging
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
@testable import TillFeatureOrders
import TillJournal
import TillSandbox
import TillTestSupport

@testable import TillServer
@testable import TillWeb

/// Counters on one journal whose customers pay baskets.
private struct PaidSheets {
    static let note = "Ring the blue bell"
    static let time = "2026-11-27T18:30:00+01:00"

    // No wait ends by itself: a payment that is slow is not left half done.
    let clock = ManualClock(waits: .last)
    let storage = MemoryJournal.Storage()

    /// One process.
    struct Process: Sendable {
        let journal: MemoryJournal
        let clock: ManualClock
        let checkout: Checkout
        let book: OrderBook

        var baskets: ApplePayBaskets { ApplePayBaskets(journal: journal, owner: .main, clock: clock) }
        var paid: PaidBaskets { PaidBaskets(journal, owner: .main) }
    }

    func start() -> Process {
        let journal = MemoryJournal(storage: storage, clock: clock)
        let cards = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        let checkout = Checkout(journal: journal, providers: [CashDrawer(), cards], clock: clock)
        return Process(
            journal: journal, clock: clock, checkout: checkout,
            book: OrderBook(journal, checkout: checkout, feed: EventFeed(), clock: clock))
    }
}

extension PaidSheets.Process {
    private static let contact = WalletContact(
        json: .members([
            "givenName": .string("Ada"), "familyName": .string("Quillfeather"),
            "emailAddress": .string("ada@customer.example"), "phoneNumber": .string("+44 20 7946 0000"),
            "addressLines": .array([.string("17 Hidden Lane")]), "locality": .string("London"),
            "postalCode": .string("EC4M 7RF"), "countryCode": .string("GB"),
        ]))

    private var logger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    private var service: BasketOrderService {
        BasketOrderService(
            paid, of: .main, book: book, checkout: checkout, feed: EventFeed(), clock: clock, logger: logger)
    }

    /// Books whatever there is to book, as the running counter does.
    func turn() async throws { try await service.turn() }

    /// Ends contacts as a counter does whose shop has set no retention.
    func endContacts() async throws {
        try await ContactRetentionService(
            book: book, baskets: WalletContacts(journal, pepper: nil, clock: clock), retention: nil, store: journal,
            clock: clock, logger: logger
        ).turn()
    }

    /// Begins the payment of a basket, as the sheet's route does before the charge.
    func begin(
        _ id: String, _ order: String = "o-1", units: Int64 = 1_349, mode: CaptureMode = .automatic,
        succeeding ended: String? = nil
    ) async throws -> (payment: PaymentID, transaction: String) {
        let sheet = SheetBasket(
            id: id, currency: .eur, service: .delivery,
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: units, currency: .eur))])
        var terms = BasketTerms(order: OrderID(rawValue: order), number: order)
        terms.note = PaidSheets.note
        terms.requestedFor = PaidSheets.time
        _ = try await baskets.open(sheet, on: terms, account: nil, succeeding: ended)
        let transaction = WalletTransactionID(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        guard case .begin = try await baskets.begin(id, version: 1, transaction: transaction) else {
            throw CheckoutError.unknownOrder(terms.order)
        }
        let draft = checkout.draft(
            account: .main, order: try ApplePayCheckout.order(of: sheet, on: terms), captureMode: mode)
        let payment = try await checkout.open(draft, whenOccupied: .continueOrReplaceUnpaid).payment
        let contact = try FullContact(PaidSheets.Process.contact, needsAddress: true)
        try await baskets.note(
            payment.id, of: id, transaction: transaction.description, contact: contact.json.bytes())
        return (payment.id, transaction.description)
    }

    /// Takes the money of a payment.
    func capture(_ payment: PaymentID, held: Bool = false) async throws {
        let card = CardPresentPayload(
            reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil)
        if held {
            _ = try await checkout.confirm(payment, account: .main, provider: .sandbox, tender: .cardPresent(card))
        } else {
            _ = try await checkout.confirm(payment, account: .main, provider: .cash, tender: .cash(tendered: nil))
        }
    }

    /// Pays a basket, its answer included.
    @discardableResult
    func pay(
        _ id: String, _ order: String = "o-1", units: Int64 = 1_349, succeeding ended: String? = nil
    ) async throws -> PaymentID {
        let begun = try await begin(id, order, units: units, succeeding: ended)
        try await capture(begun.payment)
        try await answer(id, begun.transaction)
        return begun.payment
    }

    func answer(_ id: String, _ transaction: String) async throws {
        let placed = JSONValue.members(["status": .string("placed")])
        try await baskets.end(id, transaction: transaction, answer: placed.bytes())
    }

    func order(_ id: String = "o-1") async throws -> BookedOrder? {
        try await book.order(OrderID(rawValue: id), of: .main)
    }

    /// The number of changes of all orders, each of which a stream shows.
    var changes: Int {
        get async throws { try await journal.count(OrderChange.collection, matching: nil) }
    }

    /// The number of baskets whose orders are to be booked.
    var waiting: Int {
        get async throws {
            try await journal.count(WalletBasket.collection, matching: WalletBasket.unbooked(of: .main))
        }
    }

    /// The shop's own document of the first order.
    func document(units: Int64 = 1_349, note: String = "By the shop") throws -> BookedOrder.Content {
        let amount = Money(minorUnits: units, currency: .eur)
        let line = OrderLine(name: "Pot of tea", quantity: "1", subtotal: amount, total: amount, tax: .zero(.eur))
        let order = try Order(
            id: OrderID(rawValue: "o-1"), number: "o-1", lines: [line], shipping: [], fees: [], total: amount)
        return BookedOrder.Content(order: order, contact: OrderContact(name: "Ada"), note: note)
    }
}

/// A customer who has paid a basket is seen by those who prepare orders, exactly once, whatever dies in between.
@Suite("The orders of paid baskets") struct BasketOrderTests {
    private let world = PaidSheets()

    private func code(_ command: () async throws -> Void) async -> String? {
        do {
            try await command()
            return nil
        } catch { return (error as? Problem)?.code ?? "\(error)" }
    }

    @Test("An order that no shop has booked is booked once, with what was paid and without the customer")
    func booked() async throws {
        let counter = world.start()
        try await counter.pay("b-1")
        #expect(try await counter.order() == nil)
        let position = try await counter.book.end(of: .main)
        try await counter.turn()
        let entry = try await counter.book.entry(OrderID(rawValue: "o-1"), of: .main)
        let content = entry.order.content
        #expect(content.order.lines.map(\.name) == ["Tea"] && content.order.total.minorUnits == 1_349)
        #expect(content.note == PaidSheets.note && content.wantedAt == PaidSheets.time)
        #expect(content.handover == .delivery && content.contact == nil)
        #expect(entry.order.state == .open && entry.order.origin == .basket("b-1") && entry.money.isPaid)
        let json = try #require(JSONValue(ifValid: OrderJSON.whole(entry, for: [.read])))
        #expect(json["basket_id"]?.stringValue == "b-1" && json["payment"]?["status"]?.stringValue == "paid")
        #expect(try await counter.book.changes(after: position, of: .main).news.count == 1)
        #expect(try await counter.book.list(OrderBook.Filter(), of: .main).entries.count == 1)
        // A second turn changes nothing.
        try await counter.turn()
        #expect(try await counter.changes == 1)
        #expect(try await counter.waiting == 0)
        let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
        #expect(notes.count { $0.action == .orderBooked && $0.subject == "o-1" } == 1)
    }

    @Test("A payment that is held is booked, and one without an outcome only when it has one")
    func held() async throws {
        let counter = world.start()
        let begun = try await counter.begin("b-1", mode: .manual)
        try await counter.turn()
        #expect(try await counter.order() == nil)
        #expect(try await counter.waiting == 1)
        try await counter.capture(begun.payment, held: true)
        try await counter.answer("b-1", begun.transaction)
        try await counter.turn()
        let entry = try await counter.book.entry(OrderID(rawValue: "o-1"), of: .main)
        #expect(entry.order.state == .open && !entry.money.isPaid)
    }

    @Test("A process that dies between the capture and the booking loses nothing: another one books the order")
    func death() async throws {
        let first = world.start()
        // Before the answer to the sheet is written, after it, and between the two commits that book an order.
        let open = try await first.begin("b-1")
        try await first.capture(open.payment)
        try await first.pay("b-2", "o-2")
        try await first.pay("b-3", "o-3")
        let third = OrderTab(
            account: .main, order: OrderID(rawValue: "o-3"), total: Money(minorUnits: 1_349, currency: .eur))
        try await first.journal.change([.insert(third.record)])
        let second = world.start()
        first.journal.crash()
        try await second.turn()
        for order in ["o-1", "o-2", "o-3"] {
            let entry = try await second.book.entry(OrderID(rawValue: order), of: .main)
            #expect(entry.money.isPaid, "\(order)")
        }
        #expect(try await second.changes == 3)
        #expect(try await second.waiting == 0)
        // The basket without an answer is nobody's: the next question about it is answered from the journal.
        #expect(try await second.baskets.entry("b-1")?.holder == .nobody)
        try await world.start().turn()
        #expect(try await second.changes == 3)
    }

    @Test("A basket that a living process is paying is left to it")
    func atWork() async throws {
        let (first, second) = (world.start(), world.start())
        let begun = try await first.begin("b-1")
        try await first.capture(begun.payment)
        try await second.turn()
        #expect(try await second.order() == nil)
        #expect(try await second.baskets.entry("b-1")?.holder == .anotherProcess)
        try await first.answer("b-1", begun.transaction)
        try await second.turn()
        #expect(try await second.order()?.origin == .basket("b-1"))
    }

    @Test("A sheet that this process is paying stays with it when its order is booked")
    func ownWork() async throws {
        let (first, second) = (world.start(), world.start())
        let begun = try await first.begin("b-1")
        try await first.capture(begun.payment)
        try await first.turn()
        #expect(try await first.order()?.origin == .basket("b-1"))
        #expect(try await second.baskets.entry("b-1")?.holder == .anotherProcess)
        try await first.answer("b-1", begun.transaction)
        #expect(try await second.baskets.entry("b-1")?.holder == .nobody)
        #expect(try await first.waiting == 0)
    }

    @Test("Two processes at once book each order once")
    func together() async throws {
        let (first, second) = (world.start(), world.start())
        for number in 1...12 { try await first.pay("b-\(number)", "o-\(number)") }
        for _ in 1...3 {
            async let one: Void = first.turn()
            async let other: Void = second.turn()
            _ = try await (one, other)
        }
        #expect(try await first.changes == 12)
        #expect(try await first.waiting == 0)
        #expect(try await first.book.list(OrderBook.Filter(), of: .main).entries.allSatisfy { $0.money.isPaid })
    }

    @Test("An order that the shop has booked first stays the shop's")
    func shopFirst() async throws {
        let counter = world.start()
        _ = try await counter.book.book(try counter.document(), of: .main)
        try await counter.pay("b-1")
        try await counter.turn()
        let entry = try await counter.book.entry(OrderID(rawValue: "o-1"), of: .main)
        #expect(entry.order.origin == .shop && entry.order.content.note == "By the shop" && entry.money.isPaid)
        #expect(try await counter.changes == 1)
        #expect(try await counter.waiting == 0)
    }

    @Test("A shop that books the order later has the last word, once, and is refused by name after that")
    func shopLater() async throws {
        let counter = world.start()
        try await counter.pay("b-1")
        try await counter.turn()
        _ = try await counter.book.move(OrderID(rawValue: "o-1"), of: .main, to: .ready)
        // A shop that asks for less than was paid is told so.
        let less = try counter.document(units: 1_000)
        #expect(await code { _ = try await counter.book.book(less, of: .main) } == "order_below_paid")
        let content = try counter.document()
        let taken = try await counter.book.book(content, of: .main)
        #expect(taken.isNew && taken.entry.order.origin == .shop && taken.entry.order.state == .ready)
        #expect(taken.entry.order.content == content && taken.entry.money.isPaid)
        #expect(try await counter.book.book(content, of: .main).isNew == false)
        let other = try counter.document(note: "Another")
        #expect(await code { _ = try await counter.book.book(other, of: .main) } == "order_exists")
        try await counter.turn()
        #expect(try await counter.order()?.content.note == "By the shop")
    }

    @Test("An order that was handed over already is not booked by the shop, and the shop is told so")
    func shopTooLate() async throws {
        let counter = world.start()
        try await counter.pay("b-1")
        try await counter.turn()
        _ = try await counter.book.move(OrderID(rawValue: "o-1"), of: .main, to: .fulfilled)
        let content = try counter.document()
        #expect(await code { _ = try await counter.book.book(content, of: .main) } == "order_over")
        #expect(try await counter.order()?.origin == .basket("b-1"))
    }

    @Test("A refund stays a refund: nothing is booked again, and another basket of any amount can pay the order")
    func refunded() async throws {
        let counter = world.start()
        let payment = try await counter.pay("b-1")
        try await counter.turn()
        _ = try await counter.checkout.refund(payment, account: .main)
        try await counter.turn()
        #expect(try await counter.changes == 1)
        guard case .known(let balance, _) = try await counter.book.entry(OrderID(rawValue: "o-1"), of: .main).money
        else {
            Issue.record("the payments cannot be read")
            return
        }
        #expect(balance.status == .refunded)
        _ = try await counter.book.move(OrderID(rawValue: "o-1"), of: .main, to: .fulfilled, acceptsUnpaid: true)
        try await counter.pay("b-2", units: 500, succeeding: "b-1")
        try await counter.turn()
        let entry = try await counter.book.entry(OrderID(rawValue: "o-1"), of: .main)
        #expect(entry.order.origin == .basket("b-2") && entry.order.state == .open && entry.money.isPaid)
        #expect(entry.order.content.order.total.minorUnits == 500)
        #expect(try await counter.waiting == 0)
    }

    @Test("What was read before a refund does not take the place of a later basket's order")
    func outdated() async throws {
        let counter = world.start()
        let former = try await counter.pay("b-1")
        let stale = try #require(try await counter.paid.page(after: nil, limit: 10).baskets.first)
        _ = try await counter.checkout.refund(former, account: .main)
        let later = try await counter.pay("b-2", units: 500, succeeding: "b-1")
        let fresh = try #require(try await counter.paid.page(after: nil, limit: 10).baskets.last)
        #expect(fresh.id == "b-2")
        let sold = try await counter.checkout.payment(later, account: .main).order
        let first = try await counter.book.book(
            BookedOrder.Content(order: sold), paidIn: "b-2", by: later, of: .main, beside: fresh.settled)
        let before = try await counter.checkout.payment(former, account: .main).order
        let second = try await counter.book.book(
            BookedOrder.Content(order: before), paidIn: "b-1", by: former, of: .main, beside: stale.settled)
        #expect(first == .booked && second == .known)
        let order = try #require(try await counter.order())
        #expect(order.origin == .basket("b-2") && order.content.order.total.minorUnits == 500)
        #expect(try await counter.waiting == 0)
    }

    @Test("The order of a basket is not sold again in another currency, in which it would not count as paid")
    func otherCurrency() async throws {
        let counter = world.start()
        let payment = try await counter.pay("b-1")
        try await counter.turn()
        _ = try await counter.checkout.refund(payment, account: .main)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 500, currency: .usd))
        let draft = counter.checkout.draft(account: .main, order: order, captureMode: .automatic)
        await #expect(throws: CheckoutError.self) { _ = try await counter.checkout.create(draft) }
    }

    @Test("What was given back before it was booked is not prepared")
    func refundedBefore() async throws {
        let counter = world.start()
        let payment = try await counter.pay("b-1")
        _ = try await counter.checkout.refund(payment, account: .main)
        try await counter.turn()
        #expect(try await counter.order() == nil)
        #expect(try await counter.waiting == 0)
    }

    @Test("A note that was erased does not come back with the booking, and one that was booked ends with the basket's")
    func erased() async throws {
        let counter = world.start()
        let payment = try await counter.pay("b-1")
        let stale = try #require(try await counter.paid.page(after: nil, limit: 10).baskets.first)
        let contacts = WalletContacts(counter.journal, pepper: nil, clock: counter.clock)
        _ = try await contacts.eraseContacts(of: OrderID(rawValue: "o-1"), account: .main)
        var content = try counter.document()
        content.note = stale.note
        let asRead = content
        await #expect(throws: JournalError.self) {
            _ = try await counter.book.book(
                asRead, paidIn: "b-1", by: payment, of: .main, beside: stale.settled)
        }
        #expect(try await counter.order() == nil)
        try await counter.turn()
        #expect(try await counter.order()?.isPersonal == false)
        try await counter.pay("b-2", "o-2")
        try await counter.turn()
        #expect(try await counter.order("o-2")?.content.note == PaidSheets.note)
        counter.clock.advance(by: .days(181))
        try await counter.endContacts()
        #expect(try await counter.order("o-2")?.isPersonal == false)
    }

    @Test("A contact is erased though the process that was paying has died, once the payment is over")
    func erasedAfterDeath() async throws {
        let first = world.start()
        let paid = try await first.begin("b-1")
        try await first.capture(paid.payment)
        _ = try await first.begin("b-2", "o-2")
        let second = world.start()
        let contacts = WalletContacts(second.journal, pepper: nil, clock: second.clock)
        let orders = ["o-1", "o-2"].map { OrderID(rawValue: $0) }
        for order in orders {
            let refusal = await code { _ = try await contacts.eraseContacts(of: order, account: .main) }
            #expect(refusal == "basket_in_payment", "while the process is alive")
        }
        first.journal.crash()
        for (order, basket) in zip(orders, ["b-1", "b-2"]) {
            #expect(try await contacts.eraseContacts(of: order, account: .main)?.baskets == [basket])
            let entry = try #require(try await second.baskets.entry(basket))
            #expect(entry.attempt?.contact == nil && entry.terms?.note == nil && entry.holder == .nobody)
            #expect(try await contacts.eraseContacts(of: order, account: .main)?.baskets == [])
        }
        #expect(try await second.baskets.entry("b-1")?.attempt?.payment == paid.payment)
    }

    @Test("The contact of a basket whose process died ends with its retention, though nobody asks for the basket")
    func endedAfterDeath() async throws {
        let first = world.start()
        let paid = try await first.begin("b-1")
        try await first.capture(paid.payment)
        _ = try await first.begin("b-2", "o-2")
        let second = world.start()
        world.clock.advance(by: .days(181))
        try await second.endContacts()
        #expect(try await second.baskets.entry("b-1")?.attempt?.contact != nil, "its process is alive")
        first.journal.crash()
        try await second.endContacts()
        for basket in ["b-1", "b-2"] {
            let entry = try #require(try await second.baskets.entry(basket))
            #expect(entry.attempt?.contact == nil && entry.terms?.note == nil && entry.holder == .nobody)
        }
    }

    @Test("The payment of a dead process is not over while its outcome is not known", arguments: PaymentStatus.allCases)
    func isOver(_ status: PaymentStatus) {
        let open: Set<PaymentStatus> = [.processing, .stored, .unknown]
        #expect(WalletContacts.isOver(status) != open.contains(status))
    }

    @Test("An order that cannot be booked keeps no other one from it, and another account's is not booked")
    func unbookable() async throws {
        let counter = world.start()
        try await counter.pay("b-1", "events")
        try await counter.pay("b-2", "o-2")
        let others = PaidBaskets(counter.journal, owner: AccountID(rawValue: "other"))
        #expect(try await others.page(after: nil, limit: 10).baskets.isEmpty)
        try await counter.turn()
        #expect(try await counter.order("events") == nil)
        #expect(try await counter.order("o-2") != nil)
        #expect(try await counter.waiting == 0)
    }

    @Test("A damaged basket is reported, and keeps no other order from being booked")
    func damaged() async throws {
        let counter = world.start()
        let match = WalletBasket.unbooked(of: .main)
        let broken = Record(
            RecordID(WalletBasket.collection, "b-0"), body: Array("{}".utf8), fields: [match.field: match.value])
        try await counter.journal.change([.insert(broken)])
        try await counter.pay("b-1")
        #expect(await code { try await counter.turn() } != nil)
        #expect(try await counter.order() != nil)
    }

    @Test("Each notice of a commit makes one turn, and without one there are ever fewer")
    func paces() {
        let feed = EventFeed()
        var turns = TurnPace()
        var due: [Int] = []
        for pace in 1...100 where turns.isDue(after: feed.notices) { due.append(pace) }
        let rare = Array(stride(from: 16, through: 96, by: 8))
        #expect(due == [1, 2, 4, 8] + rare)
        feed.hinted(nil)
        let isHinted = turns.isDue(after: feed.notices)
        feed.committed([])
        let isCommitted = turns.isDue(after: feed.notices)
        #expect(isHinted && isCommitted)
    }

    @Test("A paid basket of an earlier version is not booked after the update")
    func earlier() async throws {
        let counter = world.start()
        try await counter.pay("b-1")
        try await counter.baskets.update("b-1") { basket in
            basket.attempt?.awaitsBooking = false
            return true
        }
        // Written anew by this version, as its renewal and its erasures do.
        let contacts = WalletContacts(counter.journal, pepper: nil, clock: counter.clock)
        _ = try await contacts.eraseContacts(of: OrderID(rawValue: "o-1"), account: .main)
        try await counter.turn()
        #expect(try await counter.order() == nil)
    }
}
