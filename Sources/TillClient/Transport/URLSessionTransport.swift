public import HTTPTypes
public import TillCore

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// Connections of an app over `URLSession`: no cookies, no cache, no redirects.
///
/// Certificates are verified by the system. An answer is read up to its limit and within its deadline; a canceled task
/// ends its exchange. Any number of exchanges may run at the same time.
///
/// On Linux, Foundation itself ends the process when a connection breaks off within the head of an answer. A program
/// that runs there for long passes another transport, such as the one of `TillHTTP`.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: Exchanges
    private let maximumBytes: Int

    /// Creates a transport.
    /// - Parameter maximumBytes: the most bytes of an answer that is read as a whole.
    public init(maximumBytes: Int = 1 << 20) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        exchanges = Exchanges()
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        self.maximumBytes = maximumBytes
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and reads the whole answer.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let bytes = Collected()
        let response = try await exchange(request, body: body, atMost: maximumBytes, deadline: deadline) { piece in
            bytes.add(piece)
            return true
        }
        return HTTPReply(response: response, body: bytes.all)
    }

    /// Streams the body of an answer as it arrives.
    public func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        try await exchange(request, body: [], atMost: limit, deadline: deadline, piece)
    }

    private func exchange(
        _ request: HTTPRequest, body: [UInt8], atMost limit: Int, deadline: Span,
        _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        guard !Task.isCancelled else { throw .notSent(reason: "canceled before it was sent") }
        guard deadline.milliseconds > 0 else { throw .notSent(reason: "the deadline has passed") }
        let task = session.dataTask(with: try URLSessionTransport.urlRequest(request, body, deadline))
        let (number, exchanges) = (task.taskIdentifier, exchanges)
        let timer = Task {
            do { try await Task.sleep(for: deadline.duration) } catch { return }
            exchanges.cut(number, "no answer within \(deadline.milliseconds) ms")
            task.cancel()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let exchange = Exchanges.Exchange(limit: limit, piece: piece, done: continuation)
                guard exchanges.begin(number, exchange) else {
                    return continuation.resume(returning: .failure(.notSent(reason: "canceled before it was sent")))
                }
                task.resume()
            }
        } onCancel: {
            exchanges.cut(number, "canceled")
            task.cancel()
        }
        return try result.get()
    }

    private static func urlRequest(
        _ request: HTTPRequest, _ body: [UInt8], _ deadline: Span
    ) throws(TransportFailure) -> URLRequest {
        guard let scheme = request.scheme, let authority = request.authority,
            let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")")
        else { throw .notSent(reason: "the address is not valid") }
        var built = URLRequest(url: url)
        built.httpMethod = request.method.rawValue
        // The transport's own timer decides; the session's must not come before it.
        built.timeoutInterval = TimeInterval(deadline.milliseconds / 1000 + 60)
        for field in request.headerFields { built.setValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if !body.isEmpty { built.httpBody = Data(body) }
        return built
    }
}

/// The bytes of an answer, while they arrive.
private final class Collected: Sendable {
    private let bytes = Guarded<[UInt8]>([])
    func add(_ piece: [UInt8]) { bytes.withLock { $0 += piece } }
    var all: [UInt8] { bytes.withLock { $0 } }
}

/// The exchanges of a session, by the number of their task.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    struct Exchange {
        let limit: Int
        let piece: @Sendable ([UInt8]) -> Bool
        let done: CheckedContinuation<Result<HTTPResponse, TransportFailure>, Never>
        var count = 0
        /// The reason for which the transport itself ended it.
        var cut: String?
    }

    private struct State {
        var open: [Int: Exchange] = [:]
        /// Tasks that were canceled before they began.
        var early: Set<Int> = []
    }

    private let state = Guarded(State())

    /// Notes an exchange. Returns `false` if it was canceled before.
    func begin(_ number: Int, _ exchange: Exchange) -> Bool {
        state.withLock { state in
            guard state.early.remove(number) == nil else { return false }
            state.open[number] = exchange
            return true
        }
    }

    /// Notes why an exchange is about to be canceled.
    func cut(_ number: Int, _ reason: String) {
        state.withLock { state in
            guard let exchange = state.open[number] else {
                state.early.insert(number)
                return
            }
            if exchange.cut == nil { state.open[number]?.cut = reason }
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let number = dataTask.taskIdentifier
        let piece = state.withLock { state -> (@Sendable ([UInt8]) -> Bool)? in
            guard var exchange = state.open[number], exchange.cut == nil else { return nil }
            exchange.count += data.count
            if exchange.count > exchange.limit { exchange.cut = "the answer is longer than \(exchange.limit) bytes" }
            state.open[number] = exchange
            return exchange.cut == nil ? exchange.piece : nil
        }
        guard let piece, piece(Array(data)) else {
            cut(number, "the answer was not read to its end")
            return dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let ended = state.withLock { $0.open.removeValue(forKey: task.taskIdentifier) }
        guard let ended else { return }
        if let reason = ended.cut { return ended.done.resume(returning: .failure(.unknown(reason: reason))) }
        if let error { return ended.done.resume(returning: .failure(Exchanges.failure(error))) }
        guard let response = task.response as? HTTPURLResponse else {
            return ended.done.resume(returning: .failure(.unknown(reason: "no answer")))
        }
        ended.done.resume(returning: .success(Exchanges.head(response)))
    }

    private static func head(_ response: HTTPURLResponse) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String {
                head.headerFields[name] = value
            }
        }
        return head
    }

    /// Classifies an error. Only those that come before the first byte of a request are `notSent`.
    private static func failure(_ error: any Error) -> TransportFailure {
        guard let code = (error as? URLError)?.code else { return .unknown(reason: "the connection failed") }
        switch code {
        case .cannotFindHost, .dnsLookupFailed: return .notSent(reason: "the host was not found")
        case .cannotConnectToHost: return .notSent(reason: "the connection was refused")
        case .notConnectedToInternet: return .notSent(reason: "there is no network")
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            return .notSent(reason: "the certificate is not trusted")
        case .timedOut: return .unknown(reason: "no answer in time")
        default: return .unknown(reason: "the connection broke off (\(code.rawValue))")
        }
    }
}
