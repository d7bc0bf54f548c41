import HTTPTypes
import TillCore
import TillFeatureWebhooks

/// A transport whose calls have one time limit together: a shop that is slow in each of them is waited for no longer.
struct TrialTransport: HTTPTransport {
    private let wire: any HTTPTransport
    private let end: ContinuousClock.Instant

    init(_ wire: any HTTPTransport, within limit: Span) {
        self.wire = wire
        end = ContinuousClock.now + limit.duration
    }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let left = Span(until: end)
        guard left > .milliseconds(0) else { throw .notSent(reason: "it had taken too long before") }
        return try await wire.send(request, body: body, deadline: min(deadline, left))
    }
}
