import ProviderConformance
import Testing
import TillAdyen
import TillCards
import TillCheckout
import TillCore
import TillHTTP
import TillJournal
import TillStandInAdyen
import TillTestSupport

/// Adyen rejects our key for a while: everything waits, and goes on when it is right.
@Suite("Rejected keys at Adyen") struct RejectedKeyTests {
    @Test("capture, refund and void are surely not done, wait with an alarm, and go on", arguments: [401, 403])
    func waits(code: Int) async throws {
        let (gate, clock) = (RejectingTransport(SandboxAdyen()), ManualClock(waits: .last))
        let book = AdyenNotificationLog(MemoryAdyenNotifications())
        let config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(AdyenProviderTests.hmacKey)])
        let provider = AdyenProvider(config: config, transport: gate, book: book, clock: clock)
        let checkout = Checkout(journal: MemoryJournal(), providers: [provider], clock: clock)
        let card = try PaymentCard(
            reading: "4111111111111111", expiry: "03/30", securityCode: "737", century: Timestamp(milliseconds: 0)
        ).details
        func deliver() async throws {
            let webhooks = try #require(AdyenWebhooks(config))
            let key = Secret(try #require(Hex.decode(AdyenProviderTests.hmacKey)))
            for webhook in await gate.base.webhooks(key: key) {
                try await book.take(try webhooks.verify(body: webhook.bytes()))
            }
        }
        func sold(_ order: String) async throws -> PaymentID {
            let order = try Order(id: OrderID(rawValue: order), amount: AdyenProviderTests.price)
            let id = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .manual)).id
            let held = try await checkout.confirm(id, account: .main, provider: provider.name, tender: .card(card))
            #expect(held.status == .requiresCapture)
            return id
        }
        func pass() async throws {
            for _ in 0..<4 {
                clock.advance(by: .minutes(5))
                try await checkout.recover()
                try await deliver()
            }
        }
        let (id, other) = (try await sold("o-1"), try await sold("o-2"))
        try await deliver()

        gate.reject(with: code)
        let waiting = try await checkout.capture(id, account: .main)
        #expect(waiting.captures[0].state.isOpen && waiting.attention == [.keyRejected])
        let canceled = try await checkout.cancel(other, account: .main)
        #expect(!canceled.isCanceled && canceled.attention == [.keyRejected])
        try await pass()
        #expect(try await checkout.payment(id, account: .main).captures[0].state.isOpen)
        #expect(await gate.base.ledger().allSatisfy { $0["captured"]?.int64Value == 0 })
        gate.reject(with: nil)
        try await pass()
        #expect(try await checkout.payment(id, account: .main).status == .succeeded)
        #expect(try await checkout.payment(other, account: .main).status == .canceled)

        gate.reject(with: code)
        #expect(try await checkout.refund(id, account: .main).refunds[0].state.isOpen)
        try await pass()
        #expect(await gate.base.ledger().allSatisfy { $0["refunded"]?.int64Value == 0 })
        gate.reject(with: nil)
        try await pass()
        #expect(try await checkout.payment(id, account: .main).status == .refunded)
    }
}
