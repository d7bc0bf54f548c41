import HTTPTypes
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import TillApplePay
public import TillCore
import TillStandInServing

/// A stand-in for Apple's merchant session gateway, with mutual TLS.
///
/// It issues a session only to a merchant that presents a certificate issued here, with the identifier in that
/// certificate, for a domain registered to that merchant. A session is valid once, for five minutes.
public actor SandboxAppleGateway {
    /// The maximum number of stored sessions.
    public static let maximumSessions = 10_000

    private struct Session {
        var domain: String
        var until: Timestamp
        var sheet: String?
    }

    private let apple: SandboxAppleAuthority
    private let clock: any TillClock
    private let domains: [MerchantIDHash: Set<String>]
    private var sessions: [String: Session] = [:]
    private var events: [String: (merchant: MerchantIDHash?, document: JSONValue)] = [:]
    /// The number of issued sessions.
    public private(set) var given = 0
    /// The response to the next request in place of a session.
    private var nextAnswer: Response?

    /// Creates a gateway with the domains registered by each merchant.
    public init(apple: SandboxAppleAuthority, domains: [String: Set<String>], clock: any TillClock = SystemClock()) {
        self.apple = apple
        self.clock = clock
        self.domains = Dictionary(
            domains.map { (MerchantIDHash(of: $0.key), $0.value) }, uniquingKeysWith: { $0.union($1) })
    }

    /// Makes the next request fail with a status, or return a response that Apple would never send.
    public func fail(with status: Int, location: String? = nil, body: [UInt8] = []) {
        var answer = Response(status: .init(code: status), body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
        answer.headers[.location] = location
        nextAnswer = answer
    }

    /// Records a lifecycle event of a merchant token, for the shop to query.
    /// - Parameter merchant: the merchant that may query it; `nil` for every one.
    public func happen(_ event: String, of merchant: String? = nil, _ document: JSONValue) {
        guard events.count < SandboxAppleGateway.maximumSessions else { return }
        events[event] = (merchant.map { MerchantIDHash(of: $0) }, document)
    }

    /// Serves on 127.0.0.1 until the task is canceled.
    /// - Parameters:
    ///   - isOutdated: limits the connection to TLS 1.1, a misconfiguration.
    ///   - onReady: called with the port.
    public nonisolated func run(
        port: Int = 0, isOutdated: Bool = false, onReady: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let identity = try apple.serverIdentity(names: ["localhost"])
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(identity.key.reveal().utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = isOutdated ? .tlsv1 : .tlsv12
        if isOutdated { tls.maximumTLSVersion = .tlsv11 }
        tls.certificateVerification = .noHostnameVerification
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: apple.rootCertificate, format: .der),
            try NIOSSLCertificate(bytes: SandboxAppleAuthority.der(apple.authority), format: .der),
        ])
        var logger = Logger(label: "sandbox.apple")
        logger.logLevel = .critical
        let responder = CallbackResponder<GatewayContext> { request, context in
            await self.respond(to: request, context)
        }
        let application = Application(
            responder: responder, server: try .tls(.http1(), tlsConfiguration: tls),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) }, logger: logger)
        try await application.run()
    }

    /// Consumes a session for one payment sheet; the same sheet may redeem it again, for example after a wrong address.
    /// Returns `false` for a session that was not issued here, belongs to another domain, was used by another sheet, or
    /// has expired.
    public func redeem(_ identifier: String, domain: String, sheet: String) -> Bool {
        guard let session = sessions[identifier], session.domain == domain, clock.now() < session.until,
            session.sheet == nil || session.sheet == sheet
        else { return false }
        sessions[identifier]?.sheet = sheet
        return true
    }

    /// Returns the merchant of the connection's client certificate; `nil` without one, or if it is no merchant's.
    private static func merchant(on channel: any Channel) async -> MerchantIDHash? {
        do {
            guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
            return try MerchantCertificate(parsing: try certificate.toDERBytes()).merchant
        } catch { return nil }
    }

    private func respond(to request: Request, _ context: GatewayContext) async -> Response {
        if let answer = nextAnswer {
            nextAnswer = nil
            return answer
        }
        let isSession = request.method == .post && request.uri.path == MerchantGateway.sessionPath
        guard isSession || (request.method == .get && request.uri.path.hasPrefix(MerchantTokenEvent.folder)) else {
            return Response(status: .notFound)
        }
        guard let merchant = await SandboxAppleGateway.merchant(on: context.channel) else {
            return Response(status: .init(code: 417))
        }
        guard isSession else { return event(at: request.uri.path, of: merchant) }
        var request = request
        guard let body = await request.collectBody(ifWithin: 16_384),
            let document = JSONValue(ifValid: body.readableBytesView),
            let asked = document["merchantIdentifier"]?.stringValue,
            let domain = document["initiativeContext"]?.stringValue,
            let name = document["displayName"]?.stringValue, name.utf8.count <= 64,
            document["initiative"] == .string("web")
        else { return Response(status: .badRequest) }
        guard MerchantIDHash(of: asked) == merchant || asked.uppercased() == merchant.description,
            domains[merchant]?.contains(domain) == true
        else { return Response(status: .init(code: 417)) }
        let session = open(merchant, domain: domain, name: name)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: session)))
    }

    private func event(at path: String, of merchant: MerchantIDHash) -> Response {
        guard let event = events.first(where: { path == MerchantTokenEvent.path(merchant: merchant, event: $0.key) }),
            event.value.merchant == nil || event.value.merchant == merchant
        else { return Response(status: .notFound) }
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: event.value.document.bytes())))
    }

    private func open(_ merchant: MerchantIDHash, domain: String, name: String) -> [UInt8] {
        let now = clock.now()
        if sessions.count >= SandboxAppleGateway.maximumSessions {
            sessions = sessions.filter { $0.value.until > now }
        }
        let random = hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        // Letters only: a run of digits may read as a card number, which is masked in what the page sends back.
        let letters = (0..<32).map { _ in UInt8.random(in: UInt8(ascii: "A")...UInt8(ascii: "P")) }
        let identifier = "SSH" + String(decoding: letters, as: UTF8.self)
        if sessions.count < SandboxAppleGateway.maximumSessions {
            sessions[identifier] = Session(domain: domain, until: now.adding(MerchantSessionRequest.lifetime))
        }
        given += 1
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("epochTimestamp", now.milliseconds)
        // Apple's gateway also states an hour and does not honor it.
        writer.field("expiresAt", now.adding(.hours(1)).milliseconds)
        writer.field("merchantSessionIdentifier", identifier)
        writer.field("nonce", String(random.prefix(8)))
        writer.field("merchantIdentifier", merchant.description)
        writer.field("domainName", domain)
        writer.field("displayName", name)
        writer.field("signature", hexadecimal(Array(identifier.utf8)))
        writer.field("operationalAnalyticsIdentifier", "\(name):\(merchant)")
        writer.field("retries", 0)
        writer.field("pspId", merchant.description)
        writer.endObject()
        return writer.bytes
    }
}

/// A request context with its connection, for access to the client certificate.
private struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
