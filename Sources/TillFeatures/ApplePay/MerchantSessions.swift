import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
package import TillApplePay
package import TillCore
import TillHTTP

/// Requests merchant sessions from Apple over TLS with the merchant's certificate.
///
/// The address is a constant; redirects are not followed; TLS is at least 1.2; Apple's bytes are forwarded unchanged.
/// Sessions are not cached: each is valid once.
package final class MerchantSessions: Sendable {
    /// The maximum response size, in bytes.
    static let maximumAnswerBytes = 65_536
    /// The maximum number of session requests of one process in a minute. The route is open to every visitor.
    static let maximumPerMinute = 600
    /// The maximum number of merchant-token event requests of one process in a minute. Counted separately, so that
    /// forged notifications never cost a customer the session.
    static let maximumReadsPerMinute = 120
    /// The reason of ``TillApplePay/MerchantSessionError/unreachable(_:)`` where TLS was not agreed on.
    static let handshakeFailed = "the TLS handshake failed; the identity certificate is not taken"

    /// The address called instead of Apple: the sandbox's simulator, or a rehearsal's, on this machine.
    package struct StandIn: Sendable {
        package var port: Int
        package var root: [UInt8]
    }

    private struct Window {
        var start = Timestamp(milliseconds: 0)
        var count = 0
    }

    private let client: HTTPClient
    private let clock: any TillClock
    private let budget: Span
    /// The stand-in for requests that name none; `nil` for Apple.
    private let usual: StandIn?
    private let window = Mutex(Window())
    private let readWindow = Mutex(Window())

    /// - Parameters:
    ///   - budget: the time limit for a request.
    ///   - standIn: the stand-in for requests that name none; `nil` for Apple.
    package init(clock: any TillClock, budget: Span, standIn: StandIn? = nil) {
        self.clock = clock
        self.budget = budget
        usual = standIn
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        AnswerGuard.install(in: &configuration)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    package func shutdown() async { try? await client.shutdown() }

    /// Requests a session for a domain and returns it as Apple sent it.
    package func session(
        _ gateway: MerchantGateway, _ request: MerchantSessionRequest, identity: ApplePayDomain.Identity,
        standIn: StandIn?
    ) async throws(MerchantSessionError) -> [UInt8] {
        try admit(window, MerchantSessions.maximumPerMinute)
        return try await call(
            gateway, MerchantGateway.sessionPath, body: request.body, identity: identity, standIn: standIn)
    }

    /// Reads a path of a gateway's interface.
    package func read(
        _ gateway: MerchantGateway, path: String, identity: ApplePayDomain.Identity, standIn: StandIn?
    ) async throws(MerchantSessionError) -> [UInt8] {
        try admit(readWindow, MerchantSessions.maximumReadsPerMinute)
        return try await call(gateway, path, body: nil, identity: identity, standIn: standIn)
    }

    private func call(
        _ gateway: MerchantGateway, _ path: String, body: [UInt8]?, identity: ApplePayDomain.Identity,
        standIn: StandIn?
    ) async throws(MerchantSessionError) -> [UInt8] {
        let standIn = standIn ?? usual
        let configuration = try tls(identity, standIn: standIn)
        var outgoing = HTTPClientRequest(
            url: (standIn.map { "https://127.0.0.1:\($0.port)" } ?? "https://\(gateway.rawValue)") + path)
        if let body {
            outgoing.method = .POST
            outgoing.headers.add(name: "Content-Type", value: "application/json")
            outgoing.body = .bytes(ByteBuffer(bytes: body))
        }
        outgoing.tlsConfiguration = configuration
        let answer: HTTPClientResponse
        let bytes: [UInt8]
        do {
            let end = NIODeadline.now() + .milliseconds(budget.milliseconds)
            answer = try await client.execute(outgoing, deadline: end)
            bytes = try await MerchantSessions.read(answer.body, until: end)
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
            throw .unreachable("it took more than \(budget.milliseconds / 1000) s")
        } catch is NIOSSLError {
            throw .unreachable(MerchantSessions.handshakeFailed)
        } catch is NIOTooManyBytesError {
            throw .malformed
        } catch {
            throw .unreachable("the connection failed")
        }
        guard answer.status.code == 200 else { throw .refused(status: Int(answer.status.code)) }
        guard let document = JSONValue(ifValid: bytes), document.objectValue?.isEmpty == false else {
            throw .malformed
        }
        return bytes
    }

    /// Reads a body. The client's own deadline covers only the head.
    private static func read(_ body: HTTPClientResponse.Body, until end: NIODeadline) async throws -> [UInt8] {
        let reading = Task {
            Array(try await body.collect(upTo: MerchantSessions.maximumAnswerBytes).readableBytesView)
        }
        let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: end) { reading.cancel() }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    private func admit(_ window: borrowing Mutex<Window>, _ limit: Int) throws(MerchantSessionError) {
        let now = clock.now()
        let isAdmitted = window.withLock { window in
            if now.since(window.start) >= .minutes(1) || now < window.start { window = Window(start: now) }
            window.count += 1
            return window.count <= limit
        }
        guard isAdmitted else { throw .tooMany }
    }

    /// Returns all certificates of a file in PEM, or the one of a file in DER, the form in which Apple issues it.
    private static func certificates(in file: [UInt8]) throws -> [NIOSSLCertificate] {
        do { return try NIOSSLCertificate.fromPEMBytes(file) } catch {
            let der = try MerchantCertificate(parsing: file).der
            return [try NIOSSLCertificate(bytes: der, format: .der)]
        }
    }

    /// Returns the key of a file in PEM or DER.
    private static func privateKey(in file: [UInt8]) throws -> NIOSSLPrivateKey {
        do { return try NIOSSLPrivateKey(bytes: file, format: .pem) } catch {
            return try NIOSSLPrivateKey(bytes: file, format: .der)
        }
    }

    private func tls(
        _ identity: ApplePayDomain.Identity, standIn: StandIn?
    ) throws(MerchantSessionError) -> TLSConfiguration {
        do {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            tls.certificateVerification = .fullVerification
            tls.certificateChain = try Self.certificates(in: identity.certificate).map { .certificate($0) }
            tls.privateKey = .privateKey(try Self.privateKey(in: identity.key.reveal()))
            if let standIn {
                tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: standIn.root, format: .der)])
            }
            return tls
        } catch {
            throw .noIdentity
        }
    }
}
