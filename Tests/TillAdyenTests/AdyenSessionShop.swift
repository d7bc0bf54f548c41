import HTTPTypes
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillProvider
import TillSandbox
import TillStandInAdyen
import TillTestSupport
@testable import TillAdyen

/// A counter with Adyen's stand-in, whose webhooks arrive when a test says so.
struct AdyenSessionShop {
    let clock = ManualClock(waits: .last)
    let adyen: SandboxAdyen
    let config: AdyenConfig
    let book: AdyenNotificationLog
    let provider: AdyenProvider
    let journal = MemoryJournal()
    let checkout: Checkout

    init(
        keys: [String] = [AdyenProviderTests.hmacKey], url: String = "http://127.0.0.1:1",
        notices: any AdyenNotificationStore = MemoryAdyenNotifications()
    ) throws {
        book = AdyenNotificationLog(notices)
        adyen = SandboxAdyen(clock: clock)
        config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: url,
            webhookKeys: keys.map { Secret($0) })
        provider = AdyenProvider(config: config, transport: adyen, book: book, clock: clock)
        checkout = Checkout(journal: journal, providers: [provider], clock: clock)
    }

    func payment(_ id: PaymentID) async throws -> Payment { try await checkout.payment(id, account: .main) }

    func create(_ mode: CaptureMode = .automatic, order name: String = "o-1") async throws -> PaymentID {
        let order = try Order(id: OrderID(rawValue: name), amount: AdyenProviderTests.price)
        return try await checkout.create(checkout.draft(account: .main, order: order, captureMode: mode)).id
    }

    func open(_ id: PaymentID) async throws -> CustomerSession {
        let payment = try await checkout.confirm(id, account: .main, provider: provider.name, tender: .adyenSession)
        #expect(payment.status == .requiresAction)
        return try #require(payment.currentAttempt?.awaitedAction?.session)
    }

    /// Does what the browser does, and returns the result that its page holds then.
    func browse(
        _ word: String, _ session: CustomerSession, card: String? = nil, webhook: String? = nil
    ) async throws -> SessionResult {
        let told = try #require(
            await adyen.browse(word, session.id, session.data, card: card, webhook: webhook))
        return try #require(SessionResult(told.result))
    }

    func finish(_ id: PaymentID, _ result: SessionResult) async throws -> Payment {
        try await checkout.finishSession(id, account: .main, result: result)
    }

    /// Brings the webhooks, and has the counter ask once more.
    func deliver(_ id: PaymentID) async throws {
        let webhooks = try #require(AdyenWebhooks(config))
        let key = Secret(try #require(Hex.decode(AdyenProviderTests.hmacKey)))
        for webhook in await adyen.webhooks(key: key) {
            try await book.take(try webhooks.verify(body: webhook.bytes()))
        }
        try await checkout.query(id)
    }

    /// Takes the webhooks that nobody has brought yet.
    func webhooks() async throws -> [JSONValue] {
        let key = Secret(try #require(Hex.decode(AdyenProviderTests.hmacKey)))
        return await adyen.webhooks(key: key)
    }

    /// Brings the webhooks as the counter's route does, and has recovery do what they woke.
    func hear() async throws { try await hear(try await webhooks()) }

    func hear(_ told: [JSONValue]) async throws {
        let receiver = AdyenWebhookReceiver(
            webhooks: try #require(AdyenWebhooks(config)), book: book, merchantAccount: config.merchantAccount)
        for webhook in told {
            let delivery = WebhookDelivery(body: webhook.bytes(), headers: [:], receivedAt: clock.now())
            for event in try await receiver.events(in: delivery) {
                let report = WebhookReport(
                    receipt: WebhookReceipt(provider: provider.name, id: event.id, at: clock.now()),
                    payment: event.payment, attempt: event.attempt, isAfterSale: event.isAfterSale,
                    isCharge: event.isCharge, document: delivery.body)
                _ = try await checkout.receiveWebhook(report)
            }
        }
        try await checkout.recover()
    }

    func taken() async -> Int64 {
        await adyen.ledger().reduce(0) { $0 + ($1["captured"]?.int64Value ?? 0) }
    }

    /// Begins an attempt whose session comes later than the counter waits: nobody is handed it.
    func loseAnswer(_ id: PaymentID) async throws {
        adyen.faults.fail(.authorize, with: .slow(.minutes(10)), times: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await checkout.confirm(
                    id, account: .main, provider: provider.name, tender: .adyenSession)
            }
            group.addTask {
                // Longer than the counter waits, and shorter than Adyen takes.
                for _ in 0..<40 {
                    try await Task.sleep(for: .milliseconds(5))
                    clock.advance(by: .seconds(5))
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A store of events that can be made unreadable.
actor UnreadableNotifications: AdyenNotificationStore {
    private let events = MemoryAdyenNotifications()
    private var isReadable = true

    func allowReading(_ isReadable: Bool) { self.isReadable = isReadable }

    func keep(_ notifications: [AdyenNotification]) async throws(AdyenNotificationLogError) {
        await events.keep(notifications)
    }

    func named(_ reference: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        guard isReadable else { throw .unreadable }
        return await events.named(reference)
    }

    func about(_ payment: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        guard isReadable else { throw .unreadable }
        return await events.about(payment)
    }
}
