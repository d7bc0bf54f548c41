public import HTTPTypes

/// One HTTP exchange with a provider, passed in so that floors 0 and 1 need no server library.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer within the deadline. Never follows a redirect.
    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply
    /// Sends a request without a body and hands out its answer's body as it comes, for one that is longer than an
    /// answer that is kept in memory. Never follows a redirect.
    /// - Parameters:
    ///   - limit: bytes of the body; more end it.
    ///   - piece: is called with one piece after the other; `false` ends it.
    /// - Returns: the head of the answer, once the whole body was handed out.
    /// - Throws: also where `limit`, `piece` or a task that is canceled has ended it: `unknown`.
    func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse
}

extension HTTPTransport {
    /// Of a transport that has every answer in memory.
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

/// Why there is no answer, and the one thing that matters about it: whether the request may have arrived.
public enum TransportFailure: Error, Hashable, Sendable {
    /// Not one byte of the request left: name not found, connection refused, TLS failed.
    case notSent(reason: String)
    /// The request or a part of it left; what became of it is not known.
    case unknown(reason: String)
}
