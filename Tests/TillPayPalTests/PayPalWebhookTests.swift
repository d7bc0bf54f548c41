import Foundation
import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillTestSupport
@testable import TillPayPal
import TillPayPalClient

/// Webhooks signed by software of others; see Tests/Peers/paypal_webhook.py.
@Suite("PayPal's webhooks") struct PayPalWebhookTests {
    struct Recording: Sendable {
        let json: JSONValue
        subscript(name: String) -> String { json[name]?.stringValue ?? "" }
        var body: [UInt8] { Array(self["body"].utf8) }
        var head: PayPalWebhooks.Head {
            PayPalWebhooks.Head(
                id: self["transmission"], time: self["time"], signature: self["signature"], certificate: self["url"],
                algorithm: "SHA256withRSA")
        }
    }

    static let recording: Recording = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Peers/paypal_webhook.json")
        let data = (try? Data(contentsOf: file)) ?? Data()
        return Recording(json: (try? JSONValue(parsing: Array(data))) ?? .null)
    }()

    /// Serves certificates and counts how often it is asked.
    final class Certificates: HTTPTransport {
        let text: String
        private let count = Mutex(0)
        var asked: Int { count.withLock { $0 } }
        init(_ text: String) { self.text = text }
        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            count.withLock { $0 += 1 }
            return HTTPReply(response: HTTPResponse(status: .ok), body: Array(text.utf8))
        }
    }

    static let now = Timestamp(internetTime: "2026-11-21T09:31:00Z") ?? Timestamp(milliseconds: 0)

    static func webhooks(
        _ certificates: Certificates, at now: Timestamp = PayPalWebhookTests.now, webhook: String? = nil,
        roots: [String]? = nil
    ) -> PayPalWebhooks {
        PayPalWebhooks(
            webhookID: webhook ?? recording["webhook"], roots: .pem(roots ?? [recording["root"]]),
            transport: certificates, clock: ManualClock(now))
    }

    static func fault(
        _ webhooks: PayPalWebhooks, _ body: [UInt8] = recording.body, _ head: PayPalWebhooks.Head = recording.head
    ) async -> PayPalWebhookError? {
        do throws(PayPalWebhookError) { _ = try await webhooks.verify(body: body, head: head) } catch { return error }
        return nil
    }

    @Test("a webhook signed by others is taken, its certificate fetched once")
    func good() async throws {
        #expect(String(CRC32.of(Self.recording.body)) == Self.recording["crc"])
        let certificates = Certificates(Self.recording["chain"])
        let webhooks = Self.webhooks(certificates)
        for _ in 0..<3 {
            let event = try await webhooks.verify(body: Self.recording.body, head: Self.recording.head)
            #expect(event.kind == .captureCompleted)
            #expect(event.payment?.rawValue == "pay_01hf3mxc0000000000000000aa")
            #expect(event.id == "WH-58D329510W468432D-8HN650336L201105X")
        }
        #expect(certificates.asked == 1)
    }

    @Test("each byte of the body flipped is refused, each bit of it")
    func flippedBody() async {
        let webhooks = Self.webhooks(Certificates(Self.recording["chain"]))
        var taken = 0
        for place in Self.recording.body.indices {
            var body = Self.recording.body
            body[place] ^= 1 << UInt8(place % 8)
            if await Self.fault(webhooks, body) != .wrongSignature { taken += 1 }
        }
        #expect(taken == 0)
    }

    @Test("each byte of each signed header field flipped is refused")
    func flippedHead() async {
        let webhooks = Self.webhooks(Certificates(Self.recording["chain"]))
        let fields: [WritableKeyPath<PayPalWebhooks.Head, String?>] = [
            \.id, \.time, \.signature, \.algorithm,
        ]
        for field in fields {
            let text = Array((Self.recording.head[keyPath: field] ?? "").utf8)
            for place in text.indices {
                var changed = text
                changed[place] ^= 1
                var head = Self.recording.head
                head[keyPath: field] = String(decoding: changed, as: UTF8.self)
                #expect(await Self.fault(webhooks, Self.recording.body, head) != nil, "\(place)")
            }
        }
    }

    @Test("each byte of the certificate flipped is refused")
    func flippedCertificate() async {
        let text = Array(Self.recording["chain"].utf8)
        // The first certificate is PayPal's own; the one after it vouches for it.
        for place in stride(from: 30, to: text.count, by: 7) where text[place] > 0x2F {
            var changed = text
            changed[place] = changed[place] == 0x41 ? 0x42 : 0x41
            if changed == text { continue }
            let fault = await Self.fault(Self.webhooks(Certificates(String(decoding: changed, as: UTF8.self))))
            #expect(fault != nil, "\(place)")
        }
    }

    @Test("another webhook's signature, a missing field, a body too long")
    func others() async {
        let certificates = Certificates(Self.recording["chain"])
        #expect(await Self.fault(Self.webhooks(certificates, webhook: "X")) == .wrongSignature)
        let webhooks = Self.webhooks(certificates)
        var head = Self.recording.head
        head.id = nil
        #expect(await Self.fault(webhooks, Self.recording.body, head) == .missing("PayPal-Transmission-Id"))
        head = Self.recording.head
        head.algorithm = "SHA1withRSA"
        #expect(await Self.fault(webhooks, Self.recording.body, head) == .otherAlgorithm)
        let long = [UInt8](repeating: 0x20, count: PayPalWebhooks.maximumBytes + 1)
        #expect(await Self.fault(webhooks, long) == .tooLong)
    }

    static let addresses = [
        "http://api.paypal.com/v1/notifications/certs/CERT-1",
        "https://api.paypal.com.evil.example/v1/notifications/certs/C",
        "https://evil.example/v1/notifications/certs/CERT-1",
        "https://api.paypal.com@evil.example/v1/notifications/certs/C",
        "https://api.paypal.com:8443/v1/notifications/certs/C", "https://api.paypal.com/other/CERT-1",
        "https://api.paypal.com/v1/notifications/certs/../../x",
        "https://api.paypal.com/v1/notifications/certs/%2e%2e/x",
        "https://api.paypal.com/v1/notifications/certs/C?x=1", "https://u:p@api.paypal.com/v1/notifications/certs/C",
        "file:///etc/passwd", "", "https://169.254.169.254/v1/notifications/certs/C",
    ]

    @Test("a certificate elsewhere is refused before anything is fetched", arguments: addresses)
    func foreign(_ address: String) async {
        let certificates = Certificates(Self.recording["chain"])
        var head = Self.recording.head
        head.certificate = address
        #expect(await Self.fault(Self.webhooks(certificates), Self.recording.body, head) == .foreignCertificate)
        #expect(certificates.asked == 0)
    }

    @Test("certificates that nobody should trust", arguments: ["other_name", "expired", "own", "without_middle"])
    func untrusted(_ name: String) async {
        #expect(await Self.fault(Self.webhooks(Certificates(Self.recording[name]))) == .untrustedCertificate)
    }

    @Test("a root of others is no root")
    func otherRoot() async {
        let fault = await Self.fault(
            Self.webhooks(Certificates(Self.recording["chain"]), roots: [Self.recording["own"]]))
        #expect(fault == .untrustedCertificate)
    }

    @Test("too old and in the future are refused")
    func time() async {
        let certificates = Certificates(Self.recording["chain"])
        #expect(await Self.fault(Self.webhooks(certificates, at: Self.now.adding(.days(4)))) == .stale)
        #expect(await Self.fault(Self.webhooks(certificates, at: Self.now.adding(.minutes(-10)))) == .stale)
        #expect(await Self.fault(Self.webhooks(certificates, at: Self.now.adding(.days(2)))) == nil)
    }
}
