import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureWebhooks

/// The transport against a server on loopback.
@Suite("Webhooks over a socket")
struct WebhookLoopbackTests {
    /// What a server was asked.
    private final class Heard: Sendable {
        private let requests = Mutex<[HTTPRequest]>([])

        var all: [HTTPRequest] { requests.withLock { $0 } }
        func add(_ request: HTTPRequest) { requests.withLock { $0.append(request) } }
    }

    private func withServer(
        _ respond: @escaping @Sendable (Request) async throws -> Response, _ body: (Int) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "receiver")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in try await respond(request) },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) }, logger: logger)
        let running = Task { try await application.runService(gracefulShutdownSignals: []) }
        defer { running.cancel() }
        var iterator = ports.makeAsyncIterator()
        try await body(try #require(await iterator.next()))
    }

    private func post(_ port: Int, host: String = "127.0.0.1", _ resolver: any HostResolver = SystemResolver())
        async throws -> WebhookAnswer
    {
        try await PinnedTransport(resolver: resolver).post(
            Array("{}".utf8), to: WebhookURL("http://\(host):\(port)/till?a=b", allowsPrivate: true),
            fields: [("webhook-id", "msg_a"), ("content-type", "application/json")], allowsPrivate: true, attempt: 0)
    }

    @Test("The request arrives as it is, and of the answer a beginning is kept")
    func exchange() async throws {
        let heard = Heard()
        try await withServer { request in
            heard.add(request.head)
            let body = try await request.body.collect(upTo: 100)
            #expect(body == ByteBuffer(string: "{}"))
            return Response(
                status: .created, headers: [.retryAfter: "7"],
                body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: 100_000)))
        } _: { port in
            let answer = try await post(port)
            #expect(answer.status == 201 && answer.retryAfter == "7" && answer.isSuccess)
            #expect(answer.body == [UInt8](repeating: 0x61, count: WebhookLimits.answerBytes))
            let request = try #require(heard.all.first)
            #expect(heard.all.count == 1 && request.method == .post && request.path == "/till?a=b")
            #expect(request.headerFields[.init("webhook-id") ?? .contentType] == "msg_a")
        }
    }

    @Test("A redirect is not followed")
    func redirect() async throws {
        let heard = Heard()
        try await withServer { request in
            heard.add(request.head)
            return Response(status: .found, headers: [.location: "/elsewhere"])
        } _: { port in
            let answer = try await post(port)
            #expect(answer.status == 302 && !answer.isSuccess && heard.all.count == 1)
        }
    }

    /// Answers with a name's checked address the first time, and with none after that.
    private final class Once: HostResolver {
        private let calls = Mutex(0)

        func addresses(of host: String) async -> [ClientAddress]? {
            calls.withLock { $0 += 1 }
            return calls.withLock { $0 } == 1 ? [.loopback] : []
        }
    }

    @Test("The connection goes to the address that was checked, and names the host")
    func pinned() async throws {
        let heard = Heard()
        try await withServer { request in
            heard.add(request.head)
            return Response(status: .ok)
        } _: { port in
            let answer = try await post(port, host: "shop.invalid", Once())
            #expect(answer.status == 200)
            #expect(heard.all.first?.authority == "shop.invalid:\(port)")
        }
    }

    @Test("The checked transport connects to the address that it checked, names the host, and follows no redirect")
    func checked() async throws {
        let heard = Heard()
        try await withServer { request in
            heard.add(request.head)
            return Response(status: .found, headers: [.location: "/elsewhere"])
        } _: { port in
            let transport = CheckedTransport(allowsPrivate: true, resolver: Once(), lookUpValidity: .seconds(3_600))
            let request = HTTPRequest(method: .get, scheme: "http", authority: "shop.invalid:\(port)", path: "/a")
            for _ in 0..<2 {
                let reply = try await transport.send(request, body: [], deadline: .seconds(10))
                #expect(reply.response.status == .found)
            }
            #expect(heard.all.map(\.path) == ["/a", "/a"])
            #expect(heard.all.first?.authority == "shop.invalid:\(port)")
        }
    }

    @Test("An answer that is waited for is read whole, or is none")
    func whole() async throws {
        try await withServer { request in
            switch request.uri.path {
            case "/slow": try await Task.sleep(for: .seconds(20))
            default: break
            }
            let count = request.uri.path == "/large" ? 2_001 : 2_000
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: count)))
        } _: { port in
            func ask(_ path: String, within: Span = .seconds(10)) async throws -> WebhookAnswer {
                try await PinnedTransport().ask(
                    Array("{}".utf8), at: WebhookURL("http://127.0.0.1:\(port)\(path)", allowsPrivate: true),
                    fields: [], allowsPrivate: true, within: within, atMost: 2_000)
            }
            let answer = try await ask("/")
            #expect(answer.status == 200 && answer.body == [UInt8](repeating: 0x61, count: 2_000))
            await #expect(throws: WebhookFailure.self) { try await ask("/large") }
            await #expect(throws: WebhookFailure.self) { try await ask("/slow", within: .milliseconds(200)) }
        }
    }

    @Test("No answer is a failure with a reason")
    func refused() async throws {
        await #expect(throws: WebhookFailure.noAnswer("connection refused")) { try await post(1) }
    }
}
