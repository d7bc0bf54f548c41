import Testing
import TillCheckout
import TillCore
import TillJournal
import TillProvider
import TillStandInAdyen
import TillTestSupport
@testable import TillAdyen

/// Sessions that were opened before the journal was restored to a backup.
@Suite("Sessions of Adyen after a restore") struct AdyenRestoreTests {
    private typealias Shop = AdyenSessionShop

    /// Does to the journal what `till restore` does, as far as a sweep sees it.
    private func restore(_ shop: Shop) async throws {
        let now = shop.clock.now()
        let epoch = RestoreEpoch(
            number: 2, at: now, source: "b", head: ChainHead(sequence: 1, hash: [UInt8](repeating: 0, count: 32)),
            newest: now)
        try await Records<RestoreEpoch>(shop.journal).put(epoch)
        try await Records<RestoreSweep>(shop.journal).put(RestoreSweep(.restored(epoch)))
    }

    /// A sweep of a process of its own.
    private func sweeper(_ shop: Shop) -> RestoreSweeper {
        let source = RestoreSweeper.Source(shop.provider.name, nil)
        let checkout = Checkout(journal: shop.journal, providers: [shop.provider], clock: shop.clock)
        return RestoreSweeper(journal: shop.journal, checkout: checkout, sources: [source], clock: shop.clock)
    }

    @Test(
        "the sweep names each open session of before to a person, once, while nothing is sold",
        arguments: [true, false])
    func named(isHeld: Bool) async throws {
        let shop = try Shop()
        let paid = try await shop.create(order: "o-2")
        _ = try await shop.browse("pay", try await shop.open(paid))
        try await shop.hear()
        let id = try await shop.create()
        if isHeld { _ = try await shop.open(id) } else { try await shop.loseAnswer(id) }
        try await restore(shop)
        for _ in 0..<2 {
            let sweeper = sweeper(shop)
            for _ in 0..<2 { _ = try await sweeper.step() }
            guard case .needsPerson = try await sweeper.standing() else {
                Issue.record("it sells")
                return
            }
        }
        let found = try await AttentionQueue(shop.journal, clock: shop.clock).open(account: .main)
        #expect(found.map(\.payment.id) == [id])
        #expect(found.first?.item.attention.sentence.contains("\(id)-a1") == true)
        #expect(try await shop.payment(paid).openAttention.isEmpty)
        #expect(try await shop.payment(id).attempts.last?.isUndecided == true)
        let item = try #require(found.first?.item)
        #expect(try await shop.payment(id).possibleResolutions(of: item.number).map(\.kind).contains(.handled))
        // The answer that came too late.
        shop.clock.advance(by: .minutes(10))
    }

    @Test("a journal that was not restored has no session of before")
    func notRestored() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        _ = try await shop.open(id)
        #expect(try await sweeper(shop).step() == .notDue)
        #expect(try await shop.payment(id).openAttention.isEmpty)
    }

    @Test("the webhook of a session whose payment is lost is an incident: money without a payment")
    func lostPayment() async throws {
        let (before, restored) = (try Shop(), try Shop())
        let id = try await before.create()
        _ = try await before.browse("pay", try await before.open(id))
        try await restored.hear(try await before.webhooks())
        let open = try await IncidentLog(restored.journal).open(account: nil).first
        #expect(!open.isEmpty)
        for incident in open {
            #expect(incident.kind == .unknownPayment && incident.payment == id)
            #expect(incident.provider == before.provider.name)
        }
    }

    @Test(
        "the webhook of a session whose attempt is lost is an incident, which holds the order; a refused card is none")
    func lostAttempt() async throws {
        let (before, restored) = (try Shop(), try Shop())
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: AdyenProviderTests.price)
        let draft = before.checkout.draft(account: .main, order: order, captureMode: .automatic)
        let id = try await before.checkout.create(draft).id
        _ = try await restored.checkout.create(draft)
        let session = try await before.open(id)
        _ = try await before.browse("pay", session, card: "4000000000000002")
        try await restored.hear(try await before.webhooks())
        let log = IncidentLog(restored.journal)
        #expect(try await log.open(account: nil).count == 0)
        _ = try await before.browse("pay", session)
        let told = try await before.webhooks()
        // Twice, as Adyen may send it.
        for _ in 0..<2 { try await restored.hear(told) }
        let open = try await log.open(account: .main).first
        #expect(open.map(\.kind) == [.unknownCharge] && open.first?.payment == id)
        #expect(open.first?.owner?.order == order.id)
        await #expect(throws: CheckoutError.self) {
            _ = try await restored.checkout.confirm(
                id, account: .main, provider: restored.provider.name, tender: .adyenSession)
        }
        #expect(try await restored.payment(id).attempts.isEmpty)
    }
}
