import Foundation
import HTTPTypes
import Synchronization
import Testing
import TillClient
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server of one machine, for one answer to each connection.
private final class LoopbackServer: Sendable {
    let port: UInt16
    let requests = Mutex<[String]>([])
    private let listener: Int32

    /// - Parameters:
    ///   - pieces: what is sent, one after the other.
    ///   - staysOpen: the connection stays open afterwards.
    init(_ pieces: [String], staysOpen: Bool = false) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
            let quiet = Int32(MSG_NOSIGNAL)
        #else
            let stream = SOCK_STREAM
            let quiet: Int32 = 0
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, generic, &size) == 0
            }
        }
        try #require(bound)
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                let request = LoopbackServer.read(connection)
                guard !request.isEmpty else {
                    _ = close(connection)
                    continue
                }
                requests.withLock { $0.append(request) }
                for piece in pieces {
                    _ = Array(piece.utf8).withUnsafeBytes { send(connection, $0.baseAddress, $0.count, quiet) }
                    usleep(20_000)
                }
                if !staysOpen { _ = close(connection) }
            }
        }
    }

    /// Reads a whole request: a connection that is closed with something unread is reset.
    private static func read(_ connection: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !(text.contains("\r\n\r\n") && (!text.contains("Content-Length: 2") || text.hasSuffix("{}"))) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        return text
    }

    func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = close(listener)
    }
    var count: Int { requests.withLock { $0.count } }
}

@Suite("Connections over URLSession", .timeLimit(.minutes(10)))
struct URLSessionTransportTests {
    private func request(_ port: UInt16, _ path: String = "/v1/payments") -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
    }

    private func failure(
        _ server: LoopbackServer, _ transport: URLSessionTransport, _ deadline: Span = .seconds(300)
    ) async -> TransportFailure? {
        do throws(TransportFailure) {
            _ = try await transport.send(request(server.port), body: Array("{}".utf8), deadline: deadline)
        } catch { return error }
        return nil
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: r-1\r\n"

    @Test("an answer comes with its status, its fields and its body")
    func answers() async throws {
        let server = try LoopbackServer([Self.head + "Content-Length: 10\r\n\r\n", "12345", "67890"])
        defer { server.stop() }
        var asked = request(server.port)
        asked.headerFields[.authorization] = "Bearer k"
        let reply = try await URLSessionTransport().send(asked, body: Array("{}".utf8), deadline: .seconds(300))
        #expect(reply.response.status.code == 200)
        #expect(String(decoding: reply.body, as: UTF8.self) == "1234567890")
        #expect(HTTPField.Name("X-Request-Id").flatMap { reply.response.headerFields[$0] } == "r-1")
        let sent = try #require(server.requests.withLock { $0 }.first)
        #expect(sent.hasPrefix("POST /v1/payments HTTP/1.1\r\n"))
        #expect(sent.contains("Authorization: Bearer k\r\n"))
    }

    @Test("a body is read up to the limit")
    func limit() async throws {
        let body = String(repeating: "x", count: 2000)
        let server = try LoopbackServer([Self.head + "Content-Length: 2000\r\n\r\n", body])
        defer { server.stop() }
        #expect(
            await failure(server, URLSessionTransport(maximumBytes: 1999))
                == .unknown(reason: "the answer is longer than 1999 bytes"))
        #expect(await failure(server, URLSessionTransport(maximumBytes: 2000)) == nil)
    }

    @Test("no redirect is followed: a key is sent to its counter only")
    func redirects() async throws {
        let other = try LoopbackServer([Self.head + "Content-Length: 0\r\n\r\n"])
        let server = try LoopbackServer([
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:\(other.port)/\r\nContent-Length: 0\r\n\r\n"
        ])
        defer {
            server.stop()
            other.stop()
        }
        do throws(TransportFailure) {
            let reply = try await URLSessionTransport().send(request(server.port), body: [], deadline: .seconds(300))
            #expect(reply.response.status.code == 307)
        } catch {
            guard case .unknown = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(other.count == 0)
    }

    @Test("an answer that does not come in time is unknown, and so is one that breaks off")
    func unknown() async throws {
        let silent = try LoopbackServer([], staysOpen: true)
        let cut = try LoopbackServer([Self.head + "Content-Length: 100\r\n\r\n", "12345"])
        defer {
            silent.stop()
            cut.stop()
        }
        #expect(
            await failure(silent, URLSessionTransport(), .milliseconds(200))
                == .unknown(reason: "no answer within 200 ms"))
        guard case .unknown = await failure(cut, URLSessionTransport()) else {
            Issue.record("a cut answer counts")
            return
        }
    }

    @Test("a refused connection is not sent")
    func refused() async throws {
        do throws(TransportFailure) {
            // Nobody serves on port 1.
            _ = try await URLSessionTransport().send(
                request(1), body: Array("{}".utf8), deadline: .seconds(300))
            Issue.record("there is no server")
        } catch {
            #expect(error == .notSent(reason: "the connection was refused"))
        }
    }

    @Test("a stream is delivered as it comes, and ends with its task")
    func streams() async throws {
        let server = try LoopbackServer(
            ["HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", "data: 1\n\n", "data: 2\n\n"],
            staysOpen: true)
        defer { server.stop() }
        let transport = URLSessionTransport()
        let seen = Mutex("")
        let stream = Task { () -> TransportFailure? in
            do throws(TransportFailure) {
                _ = try await transport.receive(
                    request(server.port, "/v1/events"), atMost: 1000, deadline: .seconds(300)
                ) { piece in
                    seen.withLock { $0 += String(decoding: piece, as: UTF8.self) }
                    return true
                }
            } catch { return error }
            return nil
        }
        while !seen.withLock({ $0.hasSuffix("2\n\n") }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(seen.withLock { $0 } == "data: 1\n\ndata: 2\n\n")
        stream.cancel()
        #expect(await stream.value == .unknown(reason: "canceled"))
    }

    @Test("a task that is canceled at any moment ends its exchange")
    func cancellation() async throws {
        let server = try LoopbackServer([], staysOpen: true)
        defer { server.stop() }
        let transport = URLSessionTransport()
        for delay in 0..<40 {
            let exchange = Task { await failure(server, transport, .seconds(60)) }
            try await Task.sleep(for: .microseconds(delay * 100))
            exchange.cancel()
            #expect(await exchange.value != nil)
        }
    }
}
