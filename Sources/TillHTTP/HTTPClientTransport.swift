package import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
public import TillCore

/// The only transport to providers.
///
/// ```swift
/// import HTTPTypes
///
/// let transport = HTTPClientTransport()
/// let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example.com", path: "/v1/status")
/// do throws(TransportFailure) {
///     let reply = try await transport.send(request, body: [], deadline: .seconds(10))
///     print(reply.response.status.code, reply.body.count)
/// } catch { print("No answer: \(error)") }
/// await transport.shutdown()
/// ```
///
/// Certificates are verified and TLS is at least 1.2; redirects are not followed and proxies not used, so that a secret
/// key is sent to the named host only. No compressed response is requested. Connections are pooled over all callers;
/// nothing is sent twice. Any number of calls may run concurrently. Anything that is not a response to the request, or
/// that exceeds the limits of `AnswerGuard`, is `unknown`.
///
/// ``shutdown()`` must be called before the last reference is released.
public final class HTTPClientTransport: HTTPTransport {
    /// The maximum size of a response body, in bytes: 1 MiB. A longer one is `unknown`.
    public static let maximumAnswerBytes = 1 << 20
    /// The maximum deadline; a longer one is reduced to it.
    public static let longestDeadline = Span.minutes(10)

    private let client: HTTPClient

    /// Creates a transport with its own pool.
    /// - Parameter connectTimeout: the time limit for name resolution, connection and TLS. Keep it below the deadlines
    ///   of the calls: reaching it is the certain `notSent`, reaching a deadline is `unknown`.
    public convenience init(connectTimeout: Span = .seconds(5)) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        self.init(tls: tls, connectTimeout: connectTimeout)
    }

    /// Creates a transport with more or fewer connections to one host at a time than the usual ones.
    package convenience init(connectionsPerHost: Int) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        self.init(tls: tls, connectTimeout: .seconds(5), connectionsPerHost: connectionsPerHost)
    }

    /// Creates a transport to one manufacturer's devices in the local network, which have addresses and no names: their
    /// certificates must be issued by the manufacturer's own root, and nothing else is trusted. The messages must
    /// identify the individual device.
    /// - Parameter root: a file with the root certificate, PEM.
    /// - Throws: an error if the file cannot be read.
    public convenience init(trustingDevicesOf root: String, connectTimeout: Span = .seconds(5)) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(root))
        tls.certificateVerification = .noHostnameVerification
        self.init(tls: tls, connectTimeout: connectTimeout)
    }

    private init(tls: TLSConfiguration, connectTimeout: Span, connectionsPerHost: Int = 64) {
        let connect = max(1, min(connectTimeout.milliseconds, HTTPClientTransport.longestDeadline.milliseconds))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(connect)), proxy: nil, decompression: .disabled)
        AnswerGuard.install(in: &configuration)
        // A refused connection must be reported immediately as `notSent`; retries are the engine's decision.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, connectionsPerHost)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all connections. Calls in progress end as `unknown`.
    public func shutdown() async {
        try? await client.shutdown()
    }

    /// Sends a request and reads the whole response.
    /// - Throws: `TransportFailure.notSent(reason:)` if there was no connection to send on, otherwise
    ///   `TransportFailure.unknown(reason:)`, also if a pooled connection turns out to be dead.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        guard deadline.milliseconds > 0 else { throw .notSent(reason: "the deadline has passed") }
        guard !Task.isCancelled else { throw .notSent(reason: "canceled before it was sent") }
        let outgoing = try HTTPClientTransport.clientRequest(request, body: body)
        // On the loop of the connection that will carry it: the client uses a connection of the loop that it is called
        // on.
        if let loop = MultiThreadedEventLoopGroup.currentEventLoop {
            return try await HTTPClientTransport.exchange(outgoing, deadline: deadline, on: loop, over: client)
        }
        let executor = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.any())
        return try await withTaskExecutorPreference(executor) { () async throws(TransportFailure) -> HTTPReply in
            try await HTTPClientTransport.exchange(outgoing, deadline: deadline, on: executor.loop, over: client)
        }
    }

    /// Sends a request over another client and reads the whole response, with the same limits and the same failures:
    /// for clients that connect to a checked address only.
    package static func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span, over client: HTTPClient
    ) async throws(TransportFailure) -> HTTPReply {
        guard deadline.milliseconds > 0 else { throw .notSent(reason: "the deadline has passed") }
        guard !Task.isCancelled else { throw .notSent(reason: "canceled before it was sent") }
        let outgoing = try clientRequest(request, body: body)
        return try await exchange(
            outgoing, deadline: deadline, on: MultiThreadedEventLoopGroup.singleton.any(), over: client)
    }

    private static func exchange(
        _ outgoing: HTTPClientRequest, deadline: Span, on loop: any EventLoop, over client: HTTPClient
    ) async throws(TransportFailure) -> HTTPReply {
        let span = min(deadline, HTTPClientTransport.longestDeadline)
        let end = NIODeadline.now() + .milliseconds(span.milliseconds)
        let answer: HTTPClientResponse
        do {
            answer = try await client.execute(outgoing, deadline: end)
        } catch {
            throw TransportFailure(verdictOn: error)
        }
        do {
            let bytes = try await HTTPClientTransport.read(answer.body, until: end, on: loop)
            return HTTPReply(response: HTTPClientTransport.response(answer), body: bytes)
        } catch is NIOTooManyBytesError {
            throw .unknown(reason: "the answer is longer than \(HTTPClientTransport.maximumAnswerBytes) bytes")
        } catch {
            throw .unknown(reason: "the answer broke off (status \(answer.status.code))")
        }
    }

    /// Streams a response's body as it arrives; only one piece is in memory.
    public func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        guard deadline.milliseconds > 0 else { throw .notSent(reason: "the deadline has passed") }
        guard !Task.isCancelled else { throw .notSent(reason: "canceled before it was sent") }
        let outgoing = try HTTPClientTransport.clientRequest(request, body: [])
        let span = min(deadline, HTTPClientTransport.longestDeadline)
        let end = NIODeadline.now() + .milliseconds(span.milliseconds)
        let answer: HTTPClientResponse
        do { answer = try await client.execute(outgoing, deadline: end) } catch {
            throw TransportFailure(verdictOn: error)
        }
        do {
            try await HTTPClientTransport.handOut(answer.body, atMost: limit, until: end, piece)
        } catch is NIOTooManyBytesError {
            throw .unknown(reason: "the answer is longer than \(limit) bytes")
        } catch is CancellationError {
            throw .unknown(reason: "it was stopped")
        } catch {
            throw .unknown(reason: "the answer broke off (status \(answer.status.code))")
        }
        return HTTPClientTransport.response(answer)
    }

    private static func handOut(
        _ body: HTTPClientResponse.Body, atMost limit: Int, until end: NIODeadline,
        _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let reading = Task {
            var count = 0
            for try await part in body {
                count += part.readableBytes
                guard count <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
                guard !Task.isCancelled, piece(Array(part.readableBytesView)) else { throw CancellationError() }
            }
        }
        let alarm = loop.scheduleTask(deadline: end) { reading.cancel() }
        defer { alarm.cancel() }
        try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    private static func clientRequest(
        _ request: HTTPRequest, body: [UInt8]
    ) throws(TransportFailure) -> HTTPClientRequest {
        guard let scheme = request.scheme, scheme == "https" || scheme == "http",
            let authority = request.authority, !authority.isEmpty, !authority.contains("@"),
            let path = request.path, path.hasPrefix("/")
        else { throw .notSent(reason: "the request has no usable address") }
        var outgoing = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
        outgoing.method = .init(rawValue: request.method.rawValue)
        for field in request.headerFields { outgoing.headers.add(name: field.name.rawName, value: field.value) }
        if !body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        return outgoing
    }

    private static func response(_ answer: HTTPClientResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        // The type accepts three digits only; anything else is unreliable and counts as a server failure.
        let code = (100...999).contains(Int(answer.status.code)) ? Int(answer.status.code) : 599
        return HTTPResponse(status: .init(code: code), headerFields: fields)
    }

    private static func read(
        _ body: HTTPClientResponse.Body, until end: NIODeadline, on loop: any EventLoop
    ) async throws -> [UInt8] {
        let reading = Task(executorPreference: EventLoopExecutor(loop)) {
            let buffer = try await body.collect(upTo: HTTPClientTransport.maximumAnswerBytes)
            return Array(buffer.readableBytesView)
        }
        // A timer of the loop costs a tenth of a sleeping task's.
        let alarm = loop.scheduleTask(deadline: end) { reading.cancel() }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }
}
