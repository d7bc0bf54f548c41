import HTTPTypes
import TillCore
import Tracing

/// A transport that adds the trace headers to requests. Without a trace it adds nothing.
struct TracedTransport: HTTPTransport {
    let transport: any HTTPTransport

    /// Sends the request with the trace headers.
    func send(_ request: HTTPRequest, body: [UInt8], deadline: TillCore.Span) async throws(TransportFailure)
        -> HTTPReply
    {
        try await transport.send(traced(request), body: body, deadline: deadline)
    }

    /// Sends the request with the trace headers.
    func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: TillCore.Span,
        _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        try await transport.receive(traced(request), atMost: limit, deadline: deadline, piece)
    }

    private func traced(_ request: HTTPRequest) -> HTTPRequest {
        guard let context = ServiceContext.current else { return request }
        var traced = request
        if let parent = context.traceParent {
            traced.headerFields[TraceParent.headerName] = parent.header
            if let state = parent.state { traced.headerFields[TraceParent.stateName] = state }
        }
        InstrumentationSystem.instrument.inject(context, into: &traced.headerFields, using: HTTPFieldsCarrier())
        return traced
    }
}
