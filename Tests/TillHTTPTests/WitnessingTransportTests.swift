import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillHTTP
import TillTestSupport

@Suite("Answers tell the time")
struct WitnessingTransportTests {
    /// Answers with one date.
    private struct Dated: HTTPTransport {
        let date: String
        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            HTTPReply(response: HTTPResponse(status: .ok, headerFields: [.date: date]), body: [])
        }
    }

    private let clock = WitnessedClock(
        ManualClock(Timestamp(milliseconds: 1_795_253_400_000)), monotonic: { .milliseconds(0) })

    private func call(_ date: String, scheme: String = "https", host: String = "api.example", took: Span = .seconds(1))
        async throws
    {
        let calls = Mutex(Int64(0))
        let transport = WitnessingTransport(
            Dated(date: date), clock: clock,
            monotonic: {
                calls.withLock { calls in
                    defer { calls += 1 }
                    return Span(milliseconds: calls * took.milliseconds)
                }
            })
        let request = HTTPRequest(method: .get, scheme: scheme, authority: host, path: "/")
        _ = try await transport.send(request, body: [], deadline: .seconds(1))
    }

    @Test("a date that agrees confirms the clock") func agrees() async throws {
        try await call("Sat, 21 Nov 2026 09:30:00 GMT")
        #expect(clock.standing == .trusted)
    }

    @Test("another date is a doubt") func differs() async throws {
        try await call("Sat, 17 Oct 2026 09:30:00 GMT")
        #expect(clock.standing == .doubted(.contradicted(by: "api.example", off: .days(35))))
    }

    @Test("what nobody proves, what comes late and what cannot be read says nothing") func unusable() async throws {
        try await call("Sat, 21 Nov 2026 09:30:00 GMT", scheme: "http")
        try await call("Sat, 21 Nov 2026 09:30:00 GMT", took: .seconds(61))
        for text in [
            "", "2026-11-21T09:30:00Z", "Sat, 21 Nov 2026 09:30:00 CET", "Sat, 21 Nov 2026 24:30:00 GMT",
            "Sat, 00 Nov 2026 09:30:00 GMT", "Sat, 21 Nox 2026 09:30:00 GMT", "Sat, 21 Nov 2026 09:3:000 GMT",
            "Sat, +1 Nov 2026 09:30:00 GMT",
        ] {
            try await call(text)
        }
        #expect(clock.standing == .doubted(.notCompared))
        try await call("Sat, 21 Nov 2026 09:30:00 GMT", scheme: "http", host: "127.0.0.1:4242")
        #expect(clock.standing == .trusted, "a stand-in of this machine")
    }

    @Test("dates are read to the second") func dates() {
        #expect(Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")?.description == "1994-11-06T08:49:37.000Z")
        #expect(Timestamp(httpDate: "Thu, 01 Jan 1970 00:00:00 GMT")?.milliseconds == 0)
    }
}
