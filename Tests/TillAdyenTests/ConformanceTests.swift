import ProviderConformance
import Testing
import TillAdyen
import TillCards
import TillCore
import TillSandbox
import TillStandInAdyen

/// Adyen before its stand-in, with the webhooks that say how captures, cancels and refunds end.
private struct AdyenWorld: ProviderWorld {
    private static let webhookKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
    private let standIn = SandboxAdyen()
    private let log = AdyenNotificationLog(MemoryAdyenNotifications())
    private let config: AdyenConfig
    let provider: any PaymentServiceProvider
    let line: (any FaultyLine)?
    let tender: Tender
    let declined: (tender: Tender, amount: Money)?
    let secrets = ["4111111111111111", "4000000000009995", "\"737\"", "markedkey", AdyenWorld.webhookKey]
    let now = SystemClock().now()

    init() throws {
        let wire = UnreliableWire(standIn)
        line = wire
        config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("markedkey"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(AdyenWorld.webhookKey)])
        provider = AdyenProvider(config: config, transport: wire, book: log)
        func card(_ number: String) throws -> Tender {
            .card(
                try PaymentCard(
                    number: number, expiry: "03/30", securityCode: "737",
                    now: Timestamp(milliseconds: 1_795_000_000_000)
                ).details)
        }
        tender = try card("4111111111111111")
        declined = (try card("4000000000009995"), Moved.amount)
    }

    let canHappen: Set<AfterSaleNews> = [.refund, .failRefund, .capture, .dispute, .winDispute, .inquiry, .failCapture]
    func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool {
        await standIn.play(news.word, on: reference, amount: news.amount)
    }

    func moved() async throws -> Moved {
        let charges = await standIn.ledger()
        func sum(_ name: String) -> Int64 { charges.reduce(0) { $0 + ($1[name]?.int64Value ?? 0) } }
        return Moved(
            live: charges.filter { $0["canceled"]?.boolValue == false && ($0["authorized"]?.int64Value ?? 0) > 0 }
                .count,
            captured: sum("captured"), refunded: sum("refunded"))
    }

    func wait() async throws {
        let webhooks = try #require(AdyenWebhooks(config))
        let key = try #require(Hex.decode(AdyenWorld.webhookKey))
        for webhook in await standIn.webhooks(key: Secret(key)) {
            try await log.take(try webhooks.verify(body: webhook.bytes()))
        }
    }
}

@Suite("Adyen keeps what every provider promises") struct ConformanceTests {
    @Test(arguments: Promise.all) func keeps(_ promise: Promise) async throws {
        let broken = try await promise.broken { try AdyenWorld() }
        #expect(broken.isEmpty, "\(broken)")
    }
}
