import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// The engine asks nobody for money while the journal may lack sales, and none for an order that an incident holds.
@Suite("The gate for sales") struct SaleGateTests {
    private var tender: Tender {
        .cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))
    }

    private func code(_ command: () async throws -> Payment) async -> String? {
        do {
            _ = try await command()
            return nil
        } catch { return (error as? CheckoutError)?.code }
    }

    private func sweep(_ world: World) async throws {
        let head = ChainHead(sequence: 1, hash: [UInt8](repeating: 0, count: 32))
        try await Records<RestoreSweep>(world.journal).put(RestoreSweep(.setBack(missing: head)))
    }

    @Test("nothing is created, confirmed or refunded while a sweep is due, and no provider is asked")
    func restoring() async throws {
        let world = World()
        let paid = try await world.create()
        _ = try await world.checkout.confirm(paid, account: .main, provider: .sandbox, tender: tender)
        let order = try Order(id: OrderID(rawValue: "o-2"), amount: Money(minorUnits: 100, currency: .eur))
        let draft = world.checkout.draft(account: .main, order: order, captureMode: .automatic)
        let open = try await world.checkout.create(draft).id
        let asked = try await world.provider.ledger.charges().count
        try await sweep(world)
        let checkout = world.checkout
        let third = try Order(id: OrderID(rawValue: "o-3"), amount: Money(minorUnits: 100, currency: .eur))
        #expect(
            await code {
                try await checkout.create(checkout.draft(account: .main, order: third, captureMode: .automatic))
            } == "restoring")
        #expect(
            await code {
                try await checkout.confirm(open, account: .main, provider: .sandbox, tender: tender)
            } == "restoring")
        #expect(await code { try await checkout.refund(paid, account: .main) } == "restoring")
        #expect(CheckoutError.restoring.moneyMoved == .no)
        #expect(try await world.provider.ledger.charges().count == asked)
        #expect(try await world.journal.payment(paid)?.refunds.isEmpty == true)
        _ = try await Records<RestoreSweep>(world.journal).delete(RestoreSweep.id.key)
        #expect(await code { try await checkout.refund(paid, account: .main) } == nil)
    }

    @Test("an order that an incident holds is not created and not confirmed; others are") func held() async throws {
        let world = World()
        let order = try Order(id: OrderID(rawValue: "o-2"), amount: Money(minorUnits: 100, currency: .eur))
        let checkout = world.checkout
        let open = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic)
        ).id
        let incident = Incident(
            listed: .unknownCharge, "c1", of: .sandbox, about: PaymentID(rawValue: "pay_lost"),
            for: Incident.Owner(account: .main, order: order.id), document: [], at: world.clock.now())
        try await IncidentLog(world.journal).keep(incident)
        #expect(
            await code {
                try await checkout.confirm(open, account: .main, provider: .sandbox, tender: tender)
            } == "order_held")
        _ = try await checkout.cancel(open, account: .main)
        #expect(
            await code {
                try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic))
            } == "order_held")
        let theirs = AccountID(rawValue: "other")
        #expect(
            await code {
                try await checkout.create(checkout.draft(account: theirs, order: order, captureMode: .automatic))
            } == nil)
        _ = try await IncidentLog(world.journal).resolve(incident.id, note: "given back", outcome: .notPaid)
        #expect(
            await code {
                try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic))
            } == nil)
    }

    @Test("an order that a webhook about an unknown payment names is held in the commit that records the webhook")
    func webhook() async throws {
        let world = World()
        let order = try Order(id: OrderID(rawValue: "o-2"), amount: Money(minorUnits: 100, currency: .eur))
        func hear(_ event: String, _ order: OrderID?) async throws -> Bool {
            try await world.checkout.receiveWebhook(
                WebhookReport(
                    receipt: WebhookReceipt(provider: .sandbox, id: event, at: world.clock.now()),
                    payment: PaymentID(rawValue: "pay_\(event)"),
                    owner: order.map { Incident.Owner(account: .main, order: $0) }, isAfterSale: true, document: []))
        }
        #expect(try await hear("lost", order.id))
        #expect(try await hear("lost", order.id) == false)
        #expect(try await hear("other", nil))
        let checkout = world.checkout
        #expect(
            await code {
                try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic))
            } == "order_held")
        let open = try await IncidentLog(world.journal).open(account: .main)
        #expect(open.count == 2 && open.first.map(\.owner?.order) == [order.id, nil])
        #expect(open.first[0].resolvingCommand.contains("--outcome"))
    }
}
