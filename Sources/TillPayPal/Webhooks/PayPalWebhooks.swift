internal import Foundation
internal import HTTPTypes
internal import SwiftASN1
public import TillCore
@_spi(FixedExpiryValidationTime) internal import X509

/// Verifies the signer, content and time of PayPal's webhooks.
///
/// ```swift
/// let webhooks = PayPalWebhooks(webhookID: "8PT597110X687430L", transport: transport, clock: SystemClock())
/// let event = try await webhooks.verify(body: body, head: head)
/// print("\(event.id) is to be stored before the payment is read.")
/// ```
///
/// PayPal signs the transmission id, the time, the webhook id and a CRC-32 of the body. A CRC-32 can be forged, so one
/// signed webhook suffices to construct another body for its signature. An event is therefore only a hint: its
/// ``PayPalWebhookEvent/id`` is stored so that it counts once, and the payment is read from PayPal before any action
/// follows.
///
/// An actor: certificates are fetched once for any number of webhooks.
public actor PayPalWebhooks {
    /// Maximum body size, in bytes.
    public static let maximumBytes = 256 << 10
    /// The maximum age of a webhook: PayPal retries for three days.
    public static let oldest: Span = .days(3)
    /// The maximum lead of PayPal's clock.
    public static let farthestAhead: Span = .minutes(5)
    /// The time for which a certificate is cached.
    static let certificateLife: Span = .hours(24)
    /// Maximum number of cached certificates.
    static let maximumCertificates = 8
    /// Maximum number of certificates per file.
    static let maximumChain = 8

    /// The trusted root certificates.
    public enum Roots: Sendable {
        /// The system's trust store.
        case system
        /// Certificates supplied by the shop, in PEM.
        case pem([String])
    }

    /// The header fields of a webhook.
    public struct Head: Sendable {
        /// The field `PayPal-Transmission-Id`.
        public var id: String?
        /// The field `PayPal-Transmission-Time`.
        public var time: String?
        /// The field `PayPal-Transmission-Sig`.
        public var signature: String?
        /// The field `PayPal-Cert-Url`.
        public var certificate: String?
        /// The field `PayPal-Auth-Algo`.
        public var algorithm: String?

        /// Creates the value from the received fields.
        public init(id: String?, time: String?, signature: String?, certificate: String?, algorithm: String?) {
            self.id = id
            self.time = time
            self.signature = signature
            self.certificate = certificate
            self.algorithm = algorithm
        }
    }

    private struct Kept {
        var chain: [Certificate]
        var at: Timestamp
    }

    /// The stand-in's default webhook id.
    public static let standInWebhookID = "SANDBOX-WEBHOOK"

    /// The stand-in's address: its certificates are fetched from there over plain HTTP, and the last one is the root.
    private let standIn: String?
    private let webhookID: String
    private let hosts: Set<String>
    private let roots: Roots
    private let transport: any HTTPTransport
    private let clock: any TillClock
    private var kept: [String: Kept] = [:]

    /// Creates a receiver for one webhook of the shop's account.
    /// - Parameters:
    ///   - webhookID: the webhook id at PayPal.
    ///   - hosts: the only hosts from which certificates are fetched.
    ///   - roots: the trusted root certificates.
    ///   - transport: the transport used to fetch certificates.
    public init(
        webhookID: String, hosts: Set<String> = ["api.paypal.com", "api.sandbox.paypal.com"], roots: Roots = .system,
        transport: any HTTPTransport, clock: any TillClock
    ) {
        standIn = nil
        self.webhookID = webhookID
        self.hosts = hosts
        self.roots = roots
        self.transport = transport
        self.clock = clock
    }

    /// Creates a receiver for webhooks of a local PayPal stand-in: identical verification, but certificates are fetched
    /// from the stand-in and trusted on its authority.
    /// - Returns: the receiver, or `nil` unless the address is loopback.
    public init?(standInAt url: String, webhookID: String?, transport: any HTTPTransport, clock: any TillClock) {
        guard Loopback.isURL(url), let address = URLComponents(string: url), let host = address.host else { return nil }
        standIn = address.port.map { "\(host):\($0)" } ?? host
        self.webhookID = webhookID ?? PayPalWebhooks.standInWebhookID
        hosts = []
        roots = .pem([])
        self.transport = transport
        self.clock = clock
    }

    /// Verifies a webhook over its raw bytes.
    /// - Throws: ``PayPalWebhookError``.
    public func verify(body: [UInt8], head: Head) async throws(PayPalWebhookError) -> PayPalWebhookEvent {
        guard body.count <= PayPalWebhooks.maximumBytes else { throw .tooLong }
        guard let id = head.id, (1...128).contains(id.utf8.count), id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !id.contains("|")
        else { throw .missing("PayPal-Transmission-Id") }
        guard let time = head.time, let sent = Timestamp(internetTime: time) else {
            throw .missing("PayPal-Transmission-Time")
        }
        guard let text = head.signature, text.utf8.count <= 2048, let signature = Data(base64Encoded: text) else {
            throw .missing("PayPal-Transmission-Sig")
        }
        guard head.algorithm == "SHA256withRSA" else { throw .otherAlgorithm }
        let now = clock.now()
        guard now.since(sent) <= PayPalWebhooks.oldest, sent.since(now) <= PayPalWebhooks.farthestAhead else {
            throw .stale
        }
        guard let address = head.certificate, let url = allowed(address) else { throw .foreignCertificate }
        let chain = try await chain(at: url, address: address, now: now)
        guard let leaf = chain.first else { throw .untrustedCertificate }
        let signed = Array("\(id)|\(time)|\(webhookID)|\(CRC32.of(body))".utf8)
        guard
            leaf.publicKey.isValidSignature(signature, for: signed, signatureAlgorithm: .sha256WithRSAEncryption)
        else { throw .wrongSignature }
        guard let event = PayPalWebhookEvent(body, transmission: id) else { throw .unreadable }
        return event
    }

    /// Returns the URL if it has `https`, a known host, the default port and nothing else: checked before anything is
    /// fetched.
    private func allowed(_ address: String) -> URLComponents? {
        guard address.utf8.count <= 512, let url = URLComponents(string: address), isAllowed(url), url.user == nil,
            url.password == nil, url.query == nil, url.fragment == nil, url.path.hasPrefix("/v1/notifications/certs/"),
            !url.path.contains(".."), !url.path.contains("%")
        else { return nil }
        return url
    }

    private func isAllowed(_ url: URLComponents) -> Bool {
        guard let host = url.host else { return false }
        if let standIn { return url.scheme == "http" && (url.port.map { "\(host):\($0)" } ?? host) == standIn }
        return url.scheme == "https" && hosts.contains(host) && (url.port == nil || url.port == 443)
    }

    private func chain(
        at url: URLComponents, address: String, now: Timestamp
    ) async throws(PayPalWebhookError) -> [Certificate] {
        if let found = kept[address], now.since(found.at) < PayPalWebhooks.certificateLife {
            // The validity period is checked on each use.
            return try await trusted(found.chain, now)
        }
        var request = HTTPRequest(
            method: .get, scheme: url.scheme, authority: standIn ?? url.host ?? "", path: url.path)
        request.headerFields[.accept] = "*/*"
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: [], deadline: .seconds(10))
        } catch { throw .certificateUnavailable }
        guard reply.response.status.code == 200, reply.body.count <= 64 << 10 else { throw .certificateUnavailable }
        let documents: [PEMDocument]
        do { documents = try PEMDocument.parseMultiple(pemString: String(decoding: reply.body, as: UTF8.self)) } catch {
            throw .certificateUnavailable
        }
        guard (1...PayPalWebhooks.maximumChain).contains(documents.count) else { throw .certificateUnavailable }
        let chain: [Certificate]
        do { chain = try documents.map { try Certificate(pemDocument: $0) } } catch { throw .untrustedCertificate }
        let good = try await trusted(chain, now)
        if kept.count >= PayPalWebhooks.maximumCertificates { kept.removeAll() }
        kept[address] = Kept(chain: chain, at: now)
        return good
    }

    /// Verifies a chain: it leads to a root, is within its validity period, and its leaf certificate has a PayPal name.
    private func trusted(_ chain: [Certificate], _ now: Timestamp) async throws(PayPalWebhookError) -> [Certificate] {
        guard let leaf = chain.first, PayPalWebhooks.isPayPal(leaf) else { throw .untrustedCertificate }
        let store: CertificateStore
        switch roots {
        case _ where standIn != nil: store = CertificateStore(chain.suffix(1))
        case .system: store = CertificateStore.systemTrustRoots
        case .pem(let texts):
            // An unreadable root trusts nothing; ignoring it would refuse its certificates without a reason.
            do { store = CertificateStore(try texts.map { try Certificate(pemEncoded: $0) }) } catch {
                throw .untrustedCertificate
            }
        }
        let date = Date(timeIntervalSince1970: TimeInterval(now.milliseconds / 1000))
        var verifier = Verifier(rootCertificates: store) { RFC5280Policy(fixedExpiryValidationTime: date) }
        let result: CertificateValidationResult = await verifier.validate(
            leaf: leaf, intermediates: CertificateStore(chain.dropFirst()))
        guard case .validCertificate = result else { throw .untrustedCertificate }
        return chain
    }

    private static func isPayPal(_ leaf: Certificate) -> Bool {
        for name in leaf.subject {
            for attribute in name where attribute.type == .RDNAttributeType.commonName {
                return attribute.value.description.lowercased().hasSuffix(".paypal.com")
            }
        }
        return false
    }
}

/// An error for a webhook that is not accepted.
public enum PayPalWebhookError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The body is longer than ``PayPalWebhooks/maximumBytes``.
    case tooLong
    /// A header field is missing or malformed.
    case missing(String)
    /// Signed with an algorithm other than SHA256withRSA.
    case otherAlgorithm
    /// Signed too long ago, or in the future.
    case stale
    /// The certificate URL is not at PayPal; nothing was fetched.
    case foreignCertificate
    /// The certificate cannot be fetched.
    case certificateUnavailable
    /// The certificate is not PayPal's, not within its validity period, or not trusted.
    case untrustedCertificate
    /// The signature does not match.
    case wrongSignature
    /// Correctly signed, but not an event.
    case unreadable

    /// One sentence for display.
    public var description: String {
        switch self {
        case .tooLong: "The webhook is longer than \(PayPalWebhooks.maximumBytes) bytes."
        case .missing(let name): "The header field \(name) is missing or has another form."
        case .otherAlgorithm: "The webhook is not signed with SHA256withRSA."
        case .stale: "The webhook's signature is too old or in the future."
        case .foreignCertificate: "The webhook names a certificate that is not at PayPal."
        case .certificateUnavailable: "PayPal's certificate is not available right now."
        case .untrustedCertificate: "The webhook's certificate is not one of PayPal's that can be trusted."
        case .wrongSignature: "The webhook's signature does not match."
        case .unreadable: "The webhook holds no event that can be read."
        }
    }

    /// `true` if PayPal should resend the webhook later.
    public var isTemporary: Bool { self == .certificateUnavailable }
}
