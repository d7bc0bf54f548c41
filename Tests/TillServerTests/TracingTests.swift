import HTTPTypes
import InMemoryTracing
import Synchronization
import Testing
import TillCore
@testable import TillCounter
import Tracing

@testable import TillServer

@Suite("Traces")
struct TracingTests {
    static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("a well-formed header is taken as it came")
    func wellFormed() throws {
        let parent = try #require(TraceParent(TracingTests.parent, state: "shop=1"))
        #expect(parent.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(parent.header == TracingTests.parent)
        #expect(parent.state == "shop=1")
        #expect(TraceParent("cc" + TracingTests.parent.dropFirst(2) + "-more") != nil)
        #expect(TraceParent(TracingTests.parent, state: String(repeating: "x", count: 513))?.state == nil)
    }

    @Test(
        "a header that is not well formed begins no trace",
        arguments: [
            "", "00", "00-0-0-01", "ff" + parent.dropFirst(2), parent.uppercased(), parent + "-more", parent + "0",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "cc" + parent.dropFirst(2) + "x",
            String(repeating: "0", count: 500), "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ])
    func malformed(header: String) { #expect(TraceParent(header) == nil) }

    /// A transport that answers with the request's own headers.
    private struct Echo: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8], deadline: TillCore.Span) async throws(TransportFailure)
            -> HTTPReply
        {
            HTTPReply(response: HTTPResponse(status: .ok, headerFields: request.headerFields), body: [])
        }
    }

    @Test("a transport passes the trace on, and adds nothing without one")
    func transport() async throws {
        let transport = TracedTransport(transport: Echo())
        let request = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        let plain = try await transport.send(request, body: [], deadline: .seconds(1))
        #expect(plain.response.headerFields[TraceParent.headerName] == nil)
        var context = ServiceContext.topLevel
        context.traceParent = TraceParent(TracingTests.parent, state: "shop=1")
        let reply = try await ServiceContext.withValue(context) {
            try await transport.send(request, body: [], deadline: .seconds(1))
        }
        #expect(reply.response.headerFields[TraceParent.headerName] == TracingTests.parent)
        #expect(reply.response.headerFields[TraceParent.stateName] == "shop=1")
    }
}

/// The one tracer of this process; each test finds its own spans by payment.
private let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
}()

extension CounterServerTests {
    @Test("each request, step and provider call has a span that says which payment it is for, and no secret")
    func spans() async throws {
        let tracer = tracer
        try await withCounter { call, _ in
            let created = try await call(
                "POST", "/v1/payments", key: "k", #"{"order_id":"traced","amount":100,"currency":"EUR"}"#)
            let id = try #require(created.json["id"]?.stringValue)
            let card = #"{"tender":{"type":"card","number":"4242424242424242","expiry":"12/39","cvc":"123"}}"#
            _ = try await call("POST", "/v1/payments/\(id)/confirm", key: "c", card)
            _ = try await call("POST", "/v1/payments/\(id)/refunds", key: "r", #"{"amount":40}"#)

            let spans = tracer.finishedSpans
            let steps = spans.filter { $0.attributes.get("till.payment_id") == .string(id) }
            let names = Set(steps.map(\.operationName))
            #expect(
                names.isSuperset(of: [
                    "payment create", "payment confirm", "payment refunds", "provider prepare", "provider authorize",
                    "provider capture", "provider refund",
                ]), "\(names)")
            let confirm = try #require(steps.first { $0.operationName == "payment confirm" })
            #expect(confirm.attributes.get("till.payment_status") == .string("succeeded"))
            let authorize = try #require(steps.first { $0.operationName == "provider authorize" })
            #expect(authorize.attributes.get("till.outcome") == .string("approved"))
            #expect(authorize.attributes.get("till.request_id") == confirm.attributes.get("till.request_id"))
            #expect(authorize.traceID == confirm.traceID)
            let request = try #require(
                spans.first {
                    $0.traceID == confirm.traceID && $0.operationName == "POST /v1/payments/{id}/confirm"
                })
            #expect(request.attributes.get("http.response.status_code") == .int64(200))
            for span in spans {
                #expect(!"\(span.attributes) \(span.operationName)".contains("4242424242424242"))
            }
        }
    }
}
