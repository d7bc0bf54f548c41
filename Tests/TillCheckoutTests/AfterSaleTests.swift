import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("What a provider reports after the sale")
struct AfterSaleTests {
    /// Something happens at the provider, and its webhook comes.
    private func report(
        _ event: SandboxAfterSale, of id: PaymentID, in world: World, webhook: String = "evt_1"
    ) async throws -> Bool {
        let charge = try #require(try await world.provider.ledger.charges().first { $0.payment == id.rawValue })
        _ = try #require(
            try await world.provider.ledger.play(event, on: ProviderReference(rawValue: charge.reference)))
        return try await world.checkout.receiveWebhook(
            about: id, in: WebhookReceipt(provider: .sandbox, id: webhook, at: world.clock.now()))
    }

    @Test("a refund that fails months later is found, once, and blocks the order again")
    func lateRefundFailure() async throws {
        let world = World()
        let id = try await world.paid()
        _ = try await world.checkout.refund(id, account: .main)
        world.clock.advance(by: .days(90))
        #expect(try await report(.failRefund(nil, isCanceled: false), of: id, in: world))
        #expect(try await !report(.failCapture, of: id, in: world), "the same webhook counts once")
        #expect(try await world.payment(id).nextDue != nil)
        _ = try await world.provider.ledger.play(
            .restoreCapture,
            on: ProviderReference(rawValue: try await world.provider.ledger.charges()[0].reference))
        try await world.checkout.recover()
        let payment = try await world.payment(id)
        #expect(payment.status == .succeeded && payment.refundDue == World.eur(100) && payment.nextDue == nil)
        await #expect(throws: CheckoutError.self) { try await world.create() }
        #expect(try await world.problems() == [])
        let queue = try await AttentionQueue(world.journal).open(account: .main)
        #expect(queue.map(\.item.attention) == [.refundReversed(World.eur(100))])
        #expect(try await AttentionQueue(world.journal).standing().payments == 1)
        #expect(try await AttentionQueue(world.journal).standing().oldest == queue.map(\.item.since).min())
        _ = try await world.checkout.refund(id, account: .main)
        // The entry goes with the event that leaves nothing open, before anybody lists it.
        #expect(try await AttentionQueue(world.journal).standing().payments == 0)
        #expect(try await AttentionQueue(world.journal).open(account: .main).isEmpty)
        #expect(try await world.problems() == [])
    }

    @Test("the order was sold again meanwhile: both payments stand, a third is refused, and a person is told")
    func soldAgain() async throws {
        let world = World()
        let first = try await world.paid()
        _ = try await world.checkout.refund(first, account: .main)
        let second = try await world.paid()
        #expect(try await report(.failRefund(nil, isCanceled: true), of: first, in: world))
        try await world.checkout.recover()
        let payment = try await world.payment(first)
        #expect(payment.status == .succeeded && payment.isLive)
        #expect(payment.openAttention.map(\.attention).contains(.orderPaidAgain(second)))
        #expect(try await world.journal.livePayment(account: .main, order: payment.order.id)?.id == second)
        await #expect(throws: CheckoutError.self) { try await world.create() }
        #expect(try world.journal.verify().problems == [])
        _ = try await world.checkout.refund(second, account: .main)
        await #expect(throws: CheckoutError.self, "the first one has money of the order") { try await world.create() }
        _ = try await world.checkout.refund(first, account: .main)
        _ = try await world.create()
        #expect(try world.journal.verify().problems == [])
    }

    @Test("a hint outlives a provider that cannot be asked") func outage() async throws {
        let world = World()
        let id = try await world.paid()
        world.faults.fail(.query, with: .outage, times: 2)
        #expect(try await report(.refund(60), of: id, in: world))
        try await world.checkout.recover()
        #expect(try await world.payment(id).refunded.isZero)
        try await world.settle()
        #expect(try await world.payment(id).refunded == World.eur(60))
        #expect(try await world.problems() == [])
    }

    @Test("A hold that others captured is learned, although the query after the webhook was not answered")
    func captureOutage() async throws {
        let world = World()
        let id = try await world.create(mode: .manual)
        _ = try await world.confirm(id)
        world.faults.fail(.query, with: .outage, times: 2)
        let charge = try #require(try await world.provider.ledger.charges().first)
        _ = try await world.provider.ledger.play(.capture(60), on: ProviderReference(rawValue: charge.reference))
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_1", at: world.clock.now())
        let report = WebhookReport(receipt: receipt, payment: id, isAfterSale: false, document: [])
        #expect(try await world.checkout.receiveWebhook(report))
        try await world.checkout.recover()
        #expect(try await world.payment(id).captured.isZero)
        try await world.settle()
        #expect(try await world.payment(id).captured == World.eur(60))
        #expect(try await world.problems() == [])
    }

    @Test("a dispute takes the money, and what comes back comes back; no refund meanwhile") func dispute() async throws
    {
        let world = World()
        let id = try await world.paid()
        let dispute = SandboxAfterSale.dispute(nil, reason: "fraudulent", isInquiry: false, respondBy: nil)
        #expect(try await report(dispute, of: id, in: world))
        try await world.checkout.recover()
        #expect(try await world.payment(id).net.isZero)
        do {
            _ = try await world.checkout.refund(id, account: .main)
            Issue.record("disputed money was refunded")
        } catch {
            guard case .refused(.disputed(World.eur(100))) = error else { throw error }
        }
        #expect(try await report(.closeDispute(isWon: true), of: id, in: world, webhook: "evt_2"))
        try await world.checkout.recover()
        let payment = try await world.payment(id)
        #expect(payment.net == World.eur(100) && payment.disputes.map(\.outcome) == [.won])
        #expect(try await world.problems() == [])
    }

    @Test("money captured in the dashboard is the payment's, and nothing is captured again") func capture() async throws
    {
        let world = World()
        let id = try await world.create(mode: .manual)
        _ = try await world.confirm(id)
        #expect(try await report(.capture(nil), of: id, in: world))
        try await world.checkout.recover()
        let payment = try await world.payment(id)
        #expect(payment.status == .succeeded && payment.captures.map(\.origin) != [.till])
        await #expect(throws: CheckoutError.self) { try await world.checkout.capture(id, account: .main) }
        #expect(try await world.problems() == [])
    }

    @Test("what a person closes is an event with evidence and a name, and leaves the queue") func resolve() async throws
    {
        let world = World()
        let id = try await world.paid()
        _ = try await world.checkout.refund(id, account: .main)
        #expect(try await report(.failRefund(nil, isCanceled: false), of: id, in: world))
        try await world.checkout.recover()
        let payment = try await world.checkout.resolve(
            id, account: .main, attention: 1,
            AttentionResolution(kind: .refundedElsewhere, evidence: "slip 4711", actor: "Ada"))
        #expect(payment.status == .refunded && payment.refundDue.isZero)
        #expect(try await AttentionQueue(world.journal).open(account: nil).isEmpty)
        let names = try await world.journal.events(of: id).map(\.record.event.name).suffix(2)
        #expect(Array(names) == ["refund.reported", "payment.attention_closed"])
        #expect(try world.journal.verify().problems == [])
    }
}
