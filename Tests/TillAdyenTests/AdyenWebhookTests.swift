import Testing
import TillCore
@testable import TillAdyen

@Suite("Adyen's webhooks") struct AdyenWebhookTests {
    /// Adyen's own example of a signed notice.
    static let example = """
        {"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":\
        "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0="},"amount":{"currency":"EUR","value":1130},\
        "eventCode":"AUTHORISATION","eventDate":"2014-08-06T17:15:34.121+02:00","merchantAccountCode":"TestMerchant",\
        "merchantReference":"TestPayment-1407325143704","paymentMethod":"visa","pspReference":"7914073381342284",\
        "success":"true"}}]}
        """

    static func config(_ keys: [String] = [AdyenProviderTests.key]) throws -> AdyenConfig {
        try AdyenConfig(
            apiKey: Secret("12345678"), merchantAccount: "TestMerchant", webhookKeys: keys.map { Secret($0) })
    }

    @Test("Adyen's own example is believed, with the old key or the new")
    func example() throws {
        let other = String(repeating: "AB", count: 32)
        for keys in [[AdyenProviderTests.key], [other, AdyenProviderTests.key]] {
            let notices = try AdyenWebhook.verify(body: Array(Self.example.utf8), config: try Self.config(keys))
            #expect(notices.count == 1)
            #expect(notices.first?.event == .authorisation && notices.first?.succeeded == true)
            #expect(notices.first?.amount == Money(minorUnits: 1130, currency: .eur))
            #expect(notices.first?.payment == nil, "a payment that was not made by Till")
            let again = notices.first.flatMap { AdyenNotice(json: $0.json) }
            #expect(again == notices.first)
        }
        #expect(throws: AdyenWebhookError.wrongSignature) {
            try AdyenWebhook.verify(body: Array(Self.example.utf8), config: try Self.config([other]))
        }
        #expect(throws: AdyenWebhookError.noKey) {
            try AdyenWebhook.verify(body: Array(Self.example.utf8), config: try Self.config([]))
        }
    }

    @Test("with any byte changed it tells nothing else than before")
    func everyByte() throws {
        let config = try Self.config()
        let bytes = Array(Self.example.utf8)
        let before = try AdyenWebhook.verify(body: bytes, config: config)
        for index in bytes.indices {
            for flip in [UInt8(0x01), 0x20, 0x80] {
                var changed = bytes
                changed[index] ^= flip
                guard let notices = try? AdyenWebhook.verify(body: changed, config: config) else { continue }
                // The date, the way of paying and `live` are not under the signature, and decide nothing.
                #expect(notices.allSatisfy { notice in
                    var notice = notice
                    notice.at = before.first?.at ?? ""
                    return [notice] == before
                }, "byte \(index)")
            }
        }
    }

    @Test("a field with a colon could stand for two, and is not believed")
    func colons() throws {
        // The signature covers "…:TestMerchant:a:5:EUR…" in both readings.
        let shifted = Self.example
            .replacing("\"merchantReference\":\"TestPayment-1407325143704\"", with: "\"merchantReference\":\"a:5\"")
        #expect(throws: AdyenWebhookError.malformed) {
            try AdyenWebhook.verify(body: Array(shifted.utf8), config: try Self.config())
        }
    }

    @Test("garbage, nesting and size are refused", arguments: ["", "{}", "[]", "{\"notificationItems\":[]}", "{\"notificationItems\":[{}]}"])
    func garbage(body: String) throws {
        #expect(throws: AdyenWebhookError.malformed) {
            try AdyenWebhook.verify(body: Array(body.utf8), config: try Self.config())
        }
        #expect(throws: AdyenWebhookError.tooLong) {
            try AdyenWebhook.verify(
                body: [UInt8](repeating: 0x20, count: AdyenWebhook.maximumBytes + 1), config: try Self.config())
        }
    }
}

@Suite("Adyen's sealed messages to terminals") struct TerminalMessageProtectionTests {
    static let message = "{\"SaleToPOIRequest\":{\"MessageHeader\":{\"ServiceID\":\"0123456789\"},"
        + "\"AbortRequest\":{\"AbortReason\":\"MerchantAbort\"}}}"
    /// Made by OpenSSL (Python's cryptography and hashlib) from the same passphrase and nonce.
    static let blob = "/9ANu7bDcM6jCr3m/NNj/ra8Dbb2LGCU+CZ8RqxM8aQwl43b6IHlzSXfPwioCwb0IXTYKDvv6/HATChNC9yKwUk7BMom7OtiR"
        + "skXwG5ox30w4cAutYFfR3AnwAd4RyTzzY9No2R7AtJV3QvDGj7Etk6SpKreFnFT+khO1H3E3vE="
    static let hmac = "y6E1NDQYHvZyK1vkHGTgnhCmJGkaPi130NSKbNnZfWs="

    static func protection(_ passphrase: String = "a passphrase for terminals", version: Int64 = 1) throws
        -> TerminalMessageProtection
    {
        try TerminalMessageProtection(
            key: TerminalKey(identifier: "shop", version: version, passphrase: Secret(passphrase)))
    }

    @Test("sealed as another implementation seals, and opened again")
    func vector() throws {
        let protection = try Self.protection()
        let message = try JSONValue(parsing: Array(Self.message.utf8))
        let sealed = try protection.seal(message, nonce: (0..<16).map { $0 })
        let body = sealed["SaleToPOIRequest"]
        #expect(body?["NexoBlob"]?.stringValue == Self.blob)
        #expect(body?["SecurityTrailer"]?["Hmac"]?.stringValue == Self.hmac)
        #expect(try protection.open(sealed) == message)
        #expect(!"\(protection)".contains("passphrase for"))
    }

    @Test("changed anywhere, sealed with another key or in the clear: not believed")
    func tampering() throws {
        let protection = try Self.protection()
        let message = try JSONValue(parsing: Array(Self.message.utf8))
        let sealed = try protection.seal(message)
        #expect(throws: TerminalProtectionError.notGenuine) { try Self.protection("another").open(sealed) }
        #expect(throws: TerminalProtectionError.otherKey) { try Self.protection(version: 2).open(sealed) }
        #expect(throws: TerminalProtectionError.notSealed) { try protection.open(message) }
        let text = sealed.text
        for index in text.utf8.indices {
            var bytes = Array(text.utf8)
            bytes[text.utf8.distance(from: text.utf8.startIndex, to: index)] ^= 0x01
            guard let changed = try? JSONValue(parsing: bytes) else { continue }
            if let opened = try? protection.open(changed) { #expect(opened == message) }
        }
        #expect(try protection.seal(message) != sealed, "a nonce is used once")
    }
}
