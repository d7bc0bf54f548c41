import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// What happens to an order after it was paid in parts: its money comes back, it is listed, it is held.
@Suite("An order that was paid in parts") struct OrderPartsTests {
    private let world = World()
    private let id = OrderID(rawValue: "o-1")

    private func open() async throws {
        var tab = OrderTab(account: .main, order: id, total: World.eur(1_000))
        tab.state = .open
        try await world.journal.change([.insert(tab.record)])
    }

    private func balance() async throws -> OrderBalance {
        let kept = try await world.journal.record(OrderTab.id(account: .main, order: id))
        let tab = try OrderTab(try #require(kept))
        return OrderBalance(total: tab.total, payments: try await world.checkout.payments(on: tab))
    }

    private func part(_ units: Int64?) async throws -> Payment {
        let order = try Order(id: id, amount: World.eur(1_000))
        let draft = try await world.checkout.draft(
            account: .main, onTabOf: order, amount: units.map(World.eur), captureMode: .automatic)
        return try await world.checkout.create(draft)
    }

    private func code(_ command: () async throws -> Payment) async -> String? {
        do {
            _ = try await command()
            return nil
        } catch { return (error as? CheckoutError)?.code }
    }

    /// A refund of a payment fails after it had succeeded, and the counter hears of it.
    private func failRefund(of id: PaymentID) async throws {
        let charge = try #require(try await world.provider.ledger.charges().first { $0.payment == id.rawValue })
        let reference = ProviderReference(rawValue: charge.reference)
        _ = try #require(try await world.provider.ledger.play(.failRefund(nil, isCanceled: false), on: reference))
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_\(id)", at: world.clock.now())
        #expect(try await world.checkout.receiveWebhook(about: id, in: receipt))
        try await world.checkout.recover()
    }

    @Test(
        "asks for attention when the money of a part comes back and others have paid it meanwhile, and only then",
        arguments: [(400 as Int64, false), (500, true)])
    func moneyComesBack(_ others: Int64, _ isTooMuch: Bool) async throws {
        try await open()
        let first = try await part(600)
        _ = try await world.confirm(first.id)
        _ = try await world.checkout.refund(first.id, account: .main)
        let second = try await part(others)
        _ = try await world.confirm(second.id)
        try await failRefund(of: first.id)
        let payment = try await world.payment(first.id)
        #expect(payment.isLive)
        #expect(payment.openAttention.map(\.attention).contains(.orderPaidAgain(second.id)) == isTooMuch)
        #expect(try await balance().excess == World.eur(isTooMuch ? 100 : 0))
        #expect(try await world.problems() == [])
    }

    @Test("asks for attention when the money of the whole comes back and parts have paid it meanwhile")
    func moneyOfTheWholeComesBack() async throws {
        try await open()
        let whole = try await part(nil)
        _ = try await world.confirm(whole.id)
        _ = try await world.checkout.refund(whole.id, account: .main)
        let half = try await part(500)
        _ = try await world.confirm(half.id)
        try await failRefund(of: whole.id)
        let payment = try await world.payment(whole.id)
        #expect(payment.openAttention.map(\.attention).contains(.orderPaidAgain(half.id)))
    }

    @Test("has no excess any more once it is given back, and nothing due by that either")
    func givenBack() async throws {
        try await open()
        let whole = try await part(nil)
        _ = try await world.confirm(whole.id)
        _ = try await world.checkout.refund(whole.id, account: .main, amount: World.eur(350))
        let now = try await balance()
        #expect(now.paid == World.eur(1_000) && now.returned == World.eur(350) && now.kept == World.eur(650))
        #expect(now.open.isZero && now.excess.isZero && now.status == .paid)
        let less = OrderBalance(total: World.eur(650), payments: [try await world.payment(whole.id)])
        #expect(less.excess.isZero && less.open.isZero && less.status == .paid, "\(less)")
        let least = OrderBalance(total: World.eur(600), payments: [try await world.payment(whole.id)])
        #expect(least.excess == World.eur(50), "\(least)")
    }

    @Test("is listed with its parts, newest first, in pages and by status")
    func listed() async throws {
        try await open()
        let whole = try await part(nil)
        _ = try await world.checkout.cancel(whole.id, account: .main, reason: "in parts")
        let first = try await part(300)
        _ = try await world.confirm(first.id)
        let second = try await part(nil)
        func list(_ change: (inout PaymentFilter) -> Void = { _ in }) async throws -> [PaymentID] {
            var filter = PaymentFilter(account: .main, order: id)
            change(&filter)
            return try await world.checkout.listWithParts(filter).map(\.id)
        }
        let all = [whole.id, first.id, second.id].sorted { $0.rawValue > $1.rawValue }
        #expect(try await list() == all)
        #expect(try await list { $0.limit = 2 } == Array(all.prefix(2)))
        #expect(try await list { $0.before = all[1] } == [all[2]])
        #expect(try await list { $0.status = .succeeded } == [first.id])
        #expect(try await list { $0.order = first.order.id } == [first.id])
    }

    @Test("whose name is now that of a part stays held by an earlier version, until the incident is resolved")
    func heldEarlier() async throws {
        let name = OrderID(rawValue: "2024~17")
        let incident = Incident(
            listed: .unknownCharge, "c1", of: .sandbox, about: PaymentID(rawValue: "pay_9"),
            for: Incident.Owner(account: .main, order: name), document: Array("{}".utf8), at: world.clock.now())
        let earlier = try #require(OrderHold.earlierID(account: .main, order: name))
        let body = OrderHold(account: .main, order: name, open: [incident.id]).record.body
        try await world.journal.change([.insert(incident.record), .insert(Record(earlier, body: body))])
        #expect(await code { try await world.payment(try await world.create("2024~17", 100)) } == "order_held")
        // It is not the order 2024, which was never held.
        _ = try await world.create("2024", 100)
        _ = try await IncidentLog(world.journal).resolve(incident.id, note: "given back", outcome: .notPaid)
        #expect(try await world.journal.record(earlier) == nil)
        _ = try await world.create("2024~17", 100)
    }

    @Test("is held once by an incident of which a person says that it paid the order of a part")
    func heldByPart() async throws {
        let part = Incident.Owner(account: .main, order: OrderID(rawValue: "o-1~1"))
        let incident = Incident(
            listed: .unknownCharge, "c1", of: .sandbox, about: PaymentID(rawValue: "pay_9"), for: part,
            document: Array("{}".utf8), at: world.clock.now())
        let log = IncidentLog(world.journal)
        try await log.keep(incident)
        let whole = Incident.Owner(account: .main, order: id)
        let resolved = try await log.resolve(incident.id, note: "paid the order", outcome: .paid, order: whole)
        #expect(resolved?.foundOrder == whole)
        #expect(await code { try await world.payment(try await world.create("o-1", 1_000)) } == "order_held")
    }
}
