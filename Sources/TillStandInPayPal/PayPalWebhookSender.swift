import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import SwiftASN1
import TillCore
import X509
import TillSandbox
import TillStandInServing

/// The webhooks of the PayPal stand-in, signed as PayPal signs them, with a certificate served at the URL in the
/// webhook.
///
/// A subscriber with an address is notified; for one without, notifications are kept in a list, so that a test can
/// deliver them late, twice, out of order, or modified.
actor PayPalWebhookSender {
    /// The webhook id of a subscriber without one. A counter accepts it as its own if it has no other.
    static let defaultWebhookID = "SANDBOX-WEBHOOK"
    /// The path of the certificate.
    static let certificatePath = "/v1/notifications/certs/CERT-sandbox"
    static let maximumSubscribers = 16
    /// The maximum number of webhooks kept for subscribers without an address; the oldest are dropped first.
    static let maximumKept = 1000
    /// The maximum number of delivery attempts for a webhook.
    static let maximumTries = 6

    struct Subscriber: Sendable {
        /// The delivery address; `nil` keeps notifications in the list.
        var url: String?
        /// The webhook's id, which the signature covers.
        var webhook: String
        /// The number of copies sent of each webhook, 1 to 10.
        var copies = 1
        /// `true` to deliver webhooks, and await the response, before the call that caused them is answered.
        var isBeforeAnswer = false
    }

    struct Delivery: Sendable {
        var kind: String
        var head: [(name: String, value: String)]
        var body: [UInt8]
    }

    private struct Identity {
        var key: _RSA.Signing.PrivateKey
        var chain: String
    }

    private let clock: any TillClock
    private let transport: (any HTTPTransport)?
    private var identity: Identity?
    private var subscribers: [Subscriber] = []
    private(set) var kept: [Delivery] = []
    private var counter: UInt64 = 0

    init(clock: any TillClock, transport: (any HTTPTransport)?) {
        self.clock = clock
        self.transport = transport
    }

    /// Adds a subscriber; returns `false` if there are too many or the keys cannot be generated.
    func add(_ subscriber: Subscriber) -> Bool {
        guard subscribers.count < PayPalWebhookSender.maximumSubscribers, chain() != nil else { return false }
        subscribers.append(subscriber)
        return true
    }

    /// Returns the signing certificate and its root, in PEM.
    func chain() -> String? {
        if identity == nil { identity = try? PayPalWebhookSender.identity(at: clock.now()) }
        return identity?.chain
    }

    /// Notifies the subscribers of events.
    func tell(_ notices: [PayPalLedger.Notice], base: String) async {
        for notice in notices {
            for subscriber in subscribers {
                guard let delivery = signed(notice, for: subscriber.webhook, base: base) else { continue }
                guard let url = subscriber.url else {
                    kept.append(delivery)
                    if kept.count > PayPalWebhookSender.maximumKept { kept.removeFirst() }
                    continue
                }
                if subscriber.isBeforeAnswer {
                    await send(delivery, to: url, copies: subscriber.copies, tries: 1)
                } else {
                    Task {
                        await send(
                            delivery, to: url, copies: subscriber.copies, tries: PayPalWebhookSender.maximumTries)
                    }
                }
            }
        }
    }

    private func signed(_ notice: PayPalLedger.Notice, for webhook: String, base: String) -> Delivery? {
        guard let key = identity?.key else { return nil }
        counter += 1
        let (id, transmission) = ("WH-\(StableHash.hex("event \(counter)"))", StableHash.hex("delivery \(counter)"))
        let time = clock.now().internetTime
        let body = JSONValue.members([
            "id": .string(id), "event_version": .string("1.0"), "create_time": .string(time),
            "resource_type": .string(notice.resourceType), "resource_version": .string("2.0"),
            "event_type": .string(notice.kind), "summary": .string("The sandbox tells: \(notice.kind)"),
            "resource": notice.resource, "links": .array([]),
        ]).bytes()
        let text = "\(transmission)|\(time)|\(webhook)|\(PayPalBodyChecksum.of(body))"
        guard
            let signature = try? key.signature(
                for: SHA256.hash(data: Array(text.utf8)), padding: .insecurePKCS1v1_5)
        else { return nil }
        return Delivery(
            kind: notice.kind,
            head: [
                ("PayPal-Transmission-Id", transmission), ("PayPal-Transmission-Time", time),
                ("PayPal-Transmission-Sig", signature.rawRepresentation.base64EncodedString()),
                ("PayPal-Cert-Url", base + PayPalWebhookSender.certificatePath), ("PayPal-Auth-Algo", "SHA256withRSA"),
            ], body: body)
    }

    private func send(_ delivery: Delivery, to url: String, copies: Int, tries: Int) async {
        guard let transport, var request = HTTPRequest(posting: "application/json", to: url) else { return }
        for field in delivery.head {
            if let name = HTTPField.Name(field.name) { request.headerFields[name] = field.value }
        }
        for _ in 0..<max(1, min(10, copies)) {
            await transport.sendPersistently(request, body: delivery.body, tries: tries, clock: clock)
        }
    }

    private static func identity(at now: Timestamp) throws -> Identity {
        let rootKey = P256.Signing.PrivateKey()
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let rootName = try DistinguishedName { CommonName("Till sandbox root") }
        let name = try DistinguishedName { CommonName("messageverificationcerts.sandbox.paypal.com") }
        func certificate(
            _ subject: DistinguishedName, _ key: Certificate.PublicKey, _ extensions: Certificate.Extensions
        ) throws -> Certificate {
            let start = TimeInterval(now.milliseconds / 1000)
            return try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
                notValidBefore: Date(timeIntervalSince1970: start - 86_400),
                notValidAfter: Date(timeIntervalSince1970: start + 700 * 86_400), issuer: rootName, subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
                issuerPrivateKey: Certificate.PrivateKey(rootKey))
        }
        let root = try certificate(
            rootName, .init(rootKey.publicKey),
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            })
        let leaf = try certificate(
            name, .init(key.publicKey),
            Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
            })
        let chain = try [leaf, root].map { try $0.serializeAsPEM().pemString }.joined(separator: "\n")
        return Identity(key: key, chain: chain)
    }
}
