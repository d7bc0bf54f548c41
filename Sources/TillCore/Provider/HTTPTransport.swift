public import HTTPTypes

/// The HTTP transport to a provider, injected so that floors 0 and 1 need no server library.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole response within the deadline. Never follows a redirect.
    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply
    /// Sends a request without a body and streams the response body, for one that exceeds the in-memory limit. Never
    /// follows a redirect.
    /// - Parameters:
    ///   - limit: The most bytes of the body; a longer one ends the transfer.
    ///   - piece: Called with each piece in turn; `false` ends the transfer.
    /// - Returns: The head of the response, once the whole body was delivered.
    /// - Throws: ``TransportFailure/unknown(reason:)`` also if `limit`, `piece` or a canceled task ended the transfer.
    func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse
}

extension HTTPTransport {
    /// The default for a transport that holds every response in memory.
    public func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        let reply = try await send(request, body: [], deadline: deadline)
        guard reply.body.count <= limit, piece(reply.body) else {
            throw .unknown(reason: "the answer was not read to its end")
        }
        return reply.response
    }
}

public struct HTTPReply: Sendable {
    /// Status and header fields.
    public var response: HTTPResponse
    /// The body, at most the transport's limit.
    public var body: [UInt8]

    public init(response: HTTPResponse, body: [UInt8]) {
        self.response = response
        self.body = body
    }
}

/// The failure of an exchange, classified by the one fact that matters: whether the request may have arrived.
public enum TransportFailure: Error, Hashable, Sendable {
    /// Not one byte of the request was sent: name not found, connection refused, TLS failed.
    case notSent(reason: String)
    /// The request was sent at least in part; its outcome is unknown.
    case unknown(reason: String)
}
