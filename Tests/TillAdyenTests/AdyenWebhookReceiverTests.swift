import HTTPTypes
import Testing
import TillCore
import TillProvider
import TillStandInAdyen

@testable import TillAdyen

@Suite("Adyen's webhooks at the counter") struct AdyenWebhookReceiverTests {
    @Test(
        "are taken of our merchant account; those of others are acknowledged and kept nowhere",
        arguments: [true, false])
    func accounts(isOurs: Bool) async throws {
        let config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(AdyenProviderTests.hmacKey)])
        let notices = MemoryAdyenNotifications()
        let receiver = AdyenWebhookReceiver(
            webhooks: try #require(AdyenWebhooks(config)), book: AdyenNotificationLog(notices),
            merchantAccount: config.merchantAccount)
        let item = """
            {"amount":{"currency":"EUR","value":1250},"eventCode":"CHARGEBACK","merchantAccountCode":\
            "\(isOurs ? "TillTest" : "TillTestOther")","merchantReference":"pay_1-a1","originalReference":"PSP1",\
            "pspReference":"D1","success":"true"}
            """
        let key = Secret(try #require(Hex.decode(AdyenProviderTests.hmacKey)))
        let signature = AdyenWebhooks.signature(try JSONValue(parsing: Array(item.utf8)), key: key)
        let signed = item.dropLast() + ",\"additionalData\":{\"hmacSignature\":\"\(signature)\"}}"
        let body = Array("{\"notificationItems\":[{\"NotificationRequestItem\":\(signed)}]}".utf8)
        let events = try await receiver.events(
            in: WebhookDelivery(body: body, headers: [:], receivedAt: Timestamp(milliseconds: 0)))
        #expect(events.count == (isOurs ? 1 : 0))
        #expect(await notices.about("PSP1").count == (isOurs ? 1 : 0))
    }
}
