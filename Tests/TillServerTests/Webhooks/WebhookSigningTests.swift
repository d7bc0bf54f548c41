import Testing
import TillCore
@testable import TillFeatureWebhooks

@Suite("Signatures of webhooks")
struct WebhookSigningTests {
    /// The example of Standard Webhooks: secret, identifier, time and body with the signature of other implementations.
    @Test("The signature of the standard's example is that of its libraries, byte for byte")
    func vector() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", Array(#"{"test": 2432232314}"#.utf8))
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        #expect(secret.signature(id: id, timestamp: 1_614_265_330, body: body) == expected)
        let at = Timestamp(milliseconds: 1_614_265_330_999)
        let fields = WebhookHeaders.fields(id: id, at: at, body: body, secrets: [secret])
            .reduce(into: [:]) { $0[$1.name] = $1.value }
        #expect(fields["webhook-id"] == id && fields["webhook-timestamp"] == "1614265330")
        #expect(fields["webhook-signature"] == expected && fields["content-type"] == "application/json")
    }

    @Test("Each secret gives a signature, newest first, with spaces between")
    func several() throws {
        let (old, new) = (WebhookSecret.random(), WebhookSecret.random())
        let fields = WebhookHeaders.fields(
            id: "msg_a", at: Timestamp(milliseconds: 5_000), body: [1], secrets: [new, old])
        let signatures = [new, old].map { $0.signature(id: "msg_a", timestamp: 5, body: [1]) }
        #expect(fields.last?.value == signatures.joined(separator: " ") && signatures[0] != signatures[1])
    }

    @Test("A secret has 32 bytes, is read back, and is not printed")
    func secrets() throws {
        let secret = WebhookSecret.random()
        let text = secret.text.reveal()
        #expect(text.hasPrefix("whsec_") && text.utf8.count == 6 + 44)
        #expect(WebhookSecret(text)?.text.reveal() == text)
        #expect(!"\(secret)".contains(text.dropFirst(6)) && !String(reflecting: secret).contains(text.dropFirst(6)))
        for wrong in [
            "", "whsec_", "whsec_AAAA", "whsk_" + text.dropFirst(6), "whsec_" + String(repeating: "A", count: 200),
        ] {
            #expect(WebhookSecret(wrong) == nil, "\(wrong)")
        }
    }
}
