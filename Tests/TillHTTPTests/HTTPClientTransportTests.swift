import HTTPTypes
import Testing
import TillCore
import TillHTTP

@Suite("The transport", .serialized) struct HTTPClientTransportTests {
    enum End: Equatable {
        case status(Int)
        case notSent
        case unknown
    }

    private func end(
        _ transport: any HTTPTransport, scheme: String = "http", host: String = "127.0.0.1", port: Int,
        deadline: Span = .seconds(3)
    ) async -> End {
        let request = HTTPRequest(method: .post, scheme: scheme, authority: "\(host):\(port)", path: "/x")
        do {
            return .status(
                try await transport.send(request, body: Array("a=1".utf8), deadline: deadline).response.status.code)
        } catch {
            switch error {
            case .notSent: return .notSent
            case .unknown: return .unknown
            }
        }
    }

    private func with(
        _ steps: [ScriptedServer.Step], _ body: (HTTPClientTransport, Int) async -> Void
    ) async throws {
        let server = try await ScriptedServer.start(steps)
        let transport = HTTPClientTransport(connectTimeout: .seconds(2))
        await body(transport, server.port)
        await transport.shutdown()
        await server.stop()
    }

    private let fine = ScriptedServer.Step.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    @Test("a refused connection and a name that does not exist are not sent")
    func refused() async throws {
        let server = try await ScriptedServer.start([])
        let port = server.port
        await server.stop()
        let transport = HTTPClientTransport(connectTimeout: .seconds(4))
        #expect(await end(transport, port: port) == .notSent)
        #expect(await end(transport, host: "no-such-host.invalid", port: 80, deadline: .seconds(8)) == .notSent)
        #expect(await end(transport, port: port, deadline: .milliseconds(0)) == .notSent)
        await transport.shutdown()
        #expect(await end(transport, port: port) == .notSent)
    }

    @Test("TLS with a server that speaks none is not sent")
    func tls() async throws {
        try await with([.answer("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")]) { transport, port in
            #expect(await end(transport, scheme: "https", host: "localhost", port: port) == .notSent)
        }
    }

    @Test("a connection closed after the request is unknown")
    func closed() async throws {
        try await with([.close]) { transport, port in #expect(await end(transport, port: port) == .unknown) }
    }

    @Test("a kept connection that dies is unknown, not sent again")
    func keptConnectionDies() async throws {
        try await with([fine, .close]) { transport, port in
            #expect(await end(transport, port: port) == .status(200))
            #expect(await end(transport, port: port) == .unknown)
        }
    }

    @Test("silence until the deadline is unknown")
    func silence() async throws {
        try await with([.silence]) { transport, port in
            #expect(await end(transport, port: port, deadline: .milliseconds(200)) == .unknown)
        }
    }

    @Test("a body that stops half-way until the deadline is unknown")
    func halfBody() async throws {
        try await with([.answer("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}")]) { transport, port in
            #expect(await end(transport, port: port, deadline: .milliseconds(300)) == .unknown)
        }
    }

    @Test("a redirect is an answer and is not followed")
    func redirect() async throws {
        let text = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        try await with([.answer(text)]) { transport, port in
            #expect(await end(transport, port: port) == .status(302))
        }
    }

    @Test("an answer longer than the limit is unknown")
    func tooLong() async throws {
        let length = HTTPClientTransport.maximumAnswerBytes + 1
        let text = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" + String(repeating: "x", count: length)
        try await with([.answer(text)]) { transport, port in #expect(await end(transport, port: port) == .unknown) }
    }

    @Test("the recorder keeps the exchange without key, number and code")
    func recorder() async throws {
        try await with([fine]) { transport, port in
            let recorder = RecordingTransport(transport)
            var request = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: "/x")
            request.headerFields[.authorization] = "Bearer sk_test_marked"
            let body = "type=card&card[number]=4242424242424242&card%5Bcvc%5D=987&note=4000-0000-0000-0341"
            _ = try? await recorder.send(request, body: Array(body.utf8), deadline: .seconds(3))
            let text = "\(recorder.exchanges)"
            #expect(recorder.exchanges.first?.status == 200)
            #expect(recorder.exchanges.first?.body == "type=card&card[number]=••••&card%5Bcvc%5D=••••&note=••••")
            for secret in ["sk_test_marked", "4242424242424242", "987", "4000-0000"] { #expect(!text.contains(secret)) }
        }
    }
}
