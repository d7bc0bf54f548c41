import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing
@testable import TillCounter

@testable import TillServer
@testable import TillWeb

@Suite("Where a request comes from")
struct RequestOriginTests {
    private static let proxy = "10.0.0.9"

    private func ask(
        from peer: String, _ fields: [(String, String)], trusting networks: String = "10.0.0.0/8",
        isEncrypted: Bool = false, path: String = "/", allowsPlainHTTP: Bool = false
    ) throws -> (origin: RequestOrigin, host: String?, scheme: String?) {
        let reader = OriginReader(
            trusted: NetworkRange.list(parsing: networks) ?? [], allowsPlainHTTP: allowsPlainHTTP)
        var headers = HTTPFields()
        for (name, value) in fields { headers.append(HTTPField(name: HTTPField.Name.literal(name), value: value)) }
        var request = Request(
            head: HTTPRequest(
                method: .get, scheme: "http", authority: "127.0.0.1:8080", path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
        let address = try #require(ClientAddress(peer))
        let gate = ConnectionGate(
            "main", places: .init(all: 1, perAddress: 1, perNearAddress: 1, forProbes: 0),
            logger: Logger(label: "test"), isNear: { _ in false })
        let connection = Connection(
            peer: address, isEncrypted: isEncrypted, place: ConnectionPlace(address, isForProbes: false) {},
            gate: gate)
        let origin = try reader.origin(of: &request, over: connection)
        return (origin, request.head.authority, request.head.scheme)
    }

    @Test("Without headers of proxies it is the peer, over TLS or not")
    func plain() throws {
        #expect(try ask(from: "192.0.2.1", [], trusting: "").origin.client.description == "192.0.2.1")
        #expect(try !ask(from: "192.0.2.1", [], trusting: "").origin.isSecure)
        #expect(try ask(from: "192.0.2.1", [], isEncrypted: true).origin.isSecure)
        #expect(try ask(from: "192.0.2.1", [], isEncrypted: true).scheme == "https")
        #expect(try ask(from: "192.0.2.1", [], trusting: "").scheme == "http")
        #expect(try ask(from: "2001:db8::7", [], trusting: "").origin.bucket == "2001:db8:0:0:0:0:0:0")
        #expect(try ask(from: Self.proxy, []).origin.isProxied)
    }

    @Test("Past a proxy only TLS, this machine and probes without a key are taken")
    func past() throws {
        let problem = #expect(throws: Problem.self) { try ask(from: "192.0.2.1", []) }
        #expect(problem?.code == "past_the_proxy" && problem?.status == .forbidden)
        #expect(try ask(from: "192.0.2.1", [], isEncrypted: true).origin.isSecure)
        #expect(try !ask(from: "127.0.0.1", []).origin.isProxied)
        #expect(try !ask(from: "192.0.2.1", [], allowsPlainHTTP: true).origin.isSecure)
        #expect(try ask(from: "192.0.2.1", [], path: "/healthz").origin.client.description == "192.0.2.1")
        #expect(throws: Problem.self) {
            try ask(from: "192.0.2.1", [("Authorization", "Bearer key")], path: "/metrics")
        }
    }

    @Test(
        "A header of proxies from a peer that is not trusted is refused, and the setting is named",
        arguments: [
            "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "Forwarded", "X-Real-IP",
        ])
    func untrusted(name: String) throws {
        for trusted in ["10.0.0.0/8", ""] {
            let problem = #expect(throws: Problem.self) {
                try ask(from: "127.0.0.1", [(name, "192.0.2.7")], trusting: trusted)
            }
            #expect(problem?.code == "untrusted_proxy" && problem?.status == .badRequest)
            #expect(problem?.next.contains("trusted_proxies") == true)
        }
    }

    @Test("What a client writes before the proxy's word changes nothing")
    func spoofed() throws {
        let hops = "127.0.0.1, 203.0.113.66, 198.51.100.7, 10.1.1.1"
        let asked = try ask(from: Self.proxy, [("X-Forwarded-For", hops)])
        #expect(asked.origin.client.description == "198.51.100.7")
        let twice = try ask(from: Self.proxy, [("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "198.51.100.7")])
        #expect(twice.origin.client.description == "198.51.100.7")
    }

    @Test("A chain of trusted proxies alone leads to its first")
    func allTrusted() throws {
        let asked = try ask(from: Self.proxy, [("X-Forwarded-For", "10.0.0.1, 10.0.0.2")])
        #expect(asked.origin.client.description == "10.0.0.1")
    }

    @Test("Ports and brackets are taken off; what is no address is refused")
    func notations() throws {
        for (text, client) in [
            ("192.0.2.7:5000", "192.0.2.7"), ("[2001:db8::1]:5000", "2001:db8:0:0:0:0:0:1"),
            ("[2001:db8::1]", "2001:db8:0:0:0:0:0:1"),
        ] {
            #expect(try ask(from: Self.proxy, [("X-Forwarded-For", text)]).origin.client.description == client)
        }
        for text in ["unknown", "_hidden", "192.0.2.7, x", "[::1"] {
            let problem = #expect(throws: Problem.self) { try ask(from: Self.proxy, [("X-Forwarded-For", text)]) }
            #expect(problem?.code == "forwarding_unreadable", "\(text)")
        }
    }

    @Test("Forwarded says the same; both kinds at once say nothing sound")
    func forwarded() throws {
        let element = #"for=203.0.113.1;proto=http, for="[2001:db8::1]:47";proto=https;host=till.example"#
        let asked = try ask(from: Self.proxy, [("Forwarded", element)])
        #expect(asked.origin.client.description == "2001:db8:0:0:0:0:0:1")
        #expect(!asked.origin.isSecure, "one hop was in the clear")
        #expect(asked.host == "till.example")
        let problem = #expect(throws: Problem.self) {
            try ask(from: Self.proxy, [("Forwarded", "for=192.0.2.7"), ("X-Forwarded-For", "192.0.2.8")])
        }
        #expect(problem?.code == "forwarding_unreadable")
    }

    @Test("The proxy's scheme and host hold")
    func schemeAndHost() throws {
        let asked = try ask(
            from: Self.proxy,
            [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "till.example")])
        #expect(asked.origin.isSecure && asked.origin.isProxied && asked.host == "till.example")
        #expect(asked.scheme == "https")
        #expect(try !ask(from: Self.proxy, [("X-Forwarded-Proto", "https, http")]).origin.isSecure)
        let problem = #expect(throws: Problem.self) {
            try ask(from: Self.proxy, [("X-Forwarded-Host", "till.example/@evil")])
        }
        #expect(problem?.code == "forwarding_unreadable")
    }

    @Test("A place for probes answers them and nothing else")
    func probes() throws {
        let address = try #require(ClientAddress("192.0.2.1"))
        let gate = ConnectionGate(
            "main", places: .init(all: 1, perAddress: 1, perNearAddress: 1, forProbes: 1),
            logger: Logger(label: "test"), isNear: { _ in false })
        func check(_ path: String, isForProbes: Bool) throws {
            let place = ConnectionPlace(address, isForProbes: isForProbes) {}
            try Connection(peer: address, isEncrypted: false, place: place, gate: gate).checkPlace(
                Request(
                    head: HTTPRequest(method: .get, scheme: "http", authority: "x", path: path),
                    body: RequestBody(buffer: ByteBuffer())))
        }
        for path in ["/healthz", "/readyz", "/metrics"] { try check(path, isForProbes: true) }
        try check("/v1/payments", isForProbes: false)
        let problem = #expect(throws: Problem.self) { try check("/v1/payments", isForProbes: true) }
        #expect(problem?.code == "connections_full" && problem?.status == .serviceUnavailable)
        #expect(problem?.headers[.connection] == "close" && gate.counts[.notAProbe] == 1)
    }
}
