import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
public import TillCore
import TillHTTP

/// An HTTP connection to one printer, for `ipp` and `ipps`.
///
/// `ipps` is verified as on the web unless a certificate is pinned, because printers sign their own. A pinned printer
/// must present exactly that certificate, regardless of its name and signer; a printer with any other one receives
/// nothing. No request is sent twice, except one that the printer refused for lack of authentication, and no redirect
/// is followed. Every connection must be closed with ``shutdown()``.
public final class PrinterConnection: IPPCarrier {
    private let address: PrinterAddress.IPP
    private let credentials: PrinterCredentials?
    private let pinned: PinnedExchange?
    private let client: HTTPClient
    private let scheme = Mutex<PrinterAuthorization?>(nil)

    /// Creates a connection to a printer.
    /// - Parameters:
    ///   - pin: the certificate that the printer must present.
    ///   - credentials: sent when the printer requests them, in plaintext only over TLS.
    public init(_ address: PrinterAddress.IPP, pin: PrinterPin? = nil, credentials: PrinterCredentials? = nil) {
        self.address = address
        self.credentials = credentials
        pinned = address.isSecure ? pin.map { PinnedExchange(address: address, pin: $0) } : nil
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(4)), proxy: nil,
            decompression: .disabled)
        AnswerGuard.install(in: &configuration)
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all open connections.
    public func shutdown() async { try? await client.shutdown() }

    /// Sends one IPP request and returns the body of the answer.
    ///
    /// Sent once, and again only after the printer refused it unread for lack of authentication.
    /// - Parameter deadline: the limit of each attempt.
    /// - Throws: ``IPPError``, which states whether the printer may have received the request.
    public func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8] {
        var reply = try await once(bytes, deadline)
        // At most two retries: the printer requests authentication, and a digest's nonce may have expired meanwhile.
        for _ in 0..<2 where reply.status == 401 {
            let before = scheme.withLock { $0 }
            let next = try PrinterAuthorization.answering(
                reply.challenges, before: before, credentials: credentials, isSecure: address.isSecure)
            scheme.withLock { $0 = next }
            reply = try await once(bytes, deadline)
        }
        return try PrinterConnection.body(of: reply)
    }

    private func once(_ bytes: [UInt8], _ deadline: Span) async throws(IPPError) -> PrinterReply {
        let path = address.path
        let authorization = scheme.withLock { $0?.header(method: "POST", path: path) }
        if let pinned { return try await pinned.send(bytes, authorization: authorization, deadline: deadline) }
        var request = HTTPClientRequest(url: address.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/ipp")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        request.body = .bytes(ByteBuffer(bytes: bytes))
        var reply = PrinterReply()
        let end = NIODeadline.now() + .milliseconds(deadline.milliseconds)
        let answer: HTTPClientResponse
        do { answer = try await client.execute(request, deadline: end) } catch {
            throw PrinterConnection.failure(error)
        }
        reply.take(status: Int(answer.status.code), answer.headers)
        do { reply.body = try await PrinterConnection.read(answer.body, until: end) } catch {
            throw .unreachable("its answer broke off", mayHaveArrived: true)
        }
        return reply
    }

    /// Reads a body. The client's own deadline ends with the head, so a body that never ends is cut off here.
    private static func read(_ body: HTTPClientResponse.Body, until end: NIODeadline) async throws -> [UInt8] {
        let reading = Task { Array(try await body.collect(upTo: IPPMessage.maximumBytes).readableBytesView) }
        let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: end) { reading.cancel() }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    /// Returns the IPP body of an answer, or throws an error that describes any other answer.
    private static func body(of reply: PrinterReply) throws(IPPError) -> [UInt8] {
        switch reply.status {
        case 200:
            let kind = reply.contentType.prefix { $0 != ";" }.lowercased()
            guard kind == "application/ipp" else {
                throw .notAPrinter("what answers there sends \(kind.isEmpty ? "no type" : String(kind.prefix(60)))")
            }
            return reply.body
        case 300..<400, 404, 405, 410, 415, 501:
            throw .notAPrinter("the web server there answers \(reply.status)")
        default: throw .http(reply.status)
        }
    }

    private static func failure(_ error: any Error) -> IPPError {
        switch error {
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout: .unreachable("connecting took too long", mayHaveArrived: false)
            case .tlsHandshakeTimeout: .unreachable("TLS took too long", mayHaveArrived: false)
            case .deadlineExceeded, .readTimeout: .unreachable("no answer in time", mayHaveArrived: true)
            default: .unreachable("the connection failed", mayHaveArrived: true)
            }
        case is NIOConnectionError: .unreachable("no connection", mayHaveArrived: false)
        case is SocketAddressError: .unreachable("its name was not found", mayHaveArrived: false)
        case NIOSSLError.handshakeFailed(let why):
            "\(why)".contains("CERTIFICATE_VERIFY_FAILED")
                ? .certificateNotTrusted : .unreachable("TLS could not be set up", mayHaveArrived: false)
        case is NIOSSLExtraError, NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate:
            .certificateNotTrusted
        case is HTTPParserError: .notAPrinter("what answers there is no HTTP")
        default: .unreachable("the connection failed", mayHaveArrived: true)
        }
    }
}
