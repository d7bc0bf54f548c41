public import HTTPTypes
public import TillCore

/// A transport that reports the dates of responses to a clock. Only responses over TLS count, with an authenticated
/// sender, and those of this machine's stand-ins; only quick ones, since a date may be as old as the call.
public struct WitnessingTransport: HTTPTransport {
    /// The maximum duration of a call for the date of its response to count.
    public static let longestCall = Span.minutes(1)

    private let base: any HTTPTransport
    private let clock: WitnessedClock
    private let monotonic: @Sendable () -> Span

    public init(
        _ base: any HTTPTransport, clock: WitnessedClock,
        monotonic: @escaping @Sendable () -> Span = SystemClock.reading
    ) {
        self.base = base
        self.clock = clock
        self.monotonic = monotonic
    }

    /// Sends the request; the response is returned unchanged.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let began = monotonic()
        let reply = try await base.send(request, body: body, deadline: deadline)
        if let authority = request.authority, request.scheme == "https" || Loopback.isAuthority(authority),
            monotonic().milliseconds &- began.milliseconds <= WitnessingTransport.longestCall.milliseconds,
            let text = reply.response.headerFields[.date], let date = Timestamp(httpDate: text)
        {
            clock.witness(date, from: authority)
        }
        return reply
    }

    /// Forwards the call. The date of a streamed response is ignored, since the call may take long.
    public func receive(
        _ request: HTTPRequest, atMost limit: Int, deadline: Span, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        try await base.receive(request, atMost: limit, deadline: deadline, piece)
    }
}
