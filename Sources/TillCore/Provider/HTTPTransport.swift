public import HTTPTypes

/// One HTTP exchange with a provider, passed in so that floors 0 and 1 need no server library.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer within the deadline. Never follows a redirect.
    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply
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
