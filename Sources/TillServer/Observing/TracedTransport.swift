import HTTPTypes
import TillCore
import Tracing

/// A transport that tells the other side in which trace it is called. Without a trace nothing is added.
struct TracedTransport: HTTPTransport {
    let transport: any HTTPTransport

    /// Sends the request with the headers of the trace.
    func send(_ request: HTTPRequest, body: [UInt8], deadline: TillCore.Span) async throws(TransportFailure)
        -> HTTPReply
    {
        try await transport.send(traced(request), body: body, deadline: deadline)
    }

    /// Sends the request with the headers of the trace.
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
