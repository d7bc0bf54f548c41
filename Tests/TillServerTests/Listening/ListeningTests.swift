import Testing
@testable import TillCounter

@testable import TillServer
@testable import TillWeb

@Suite("Where a counter may listen")
struct ListeningTests {
    private let far = [(setting: "receipt_url", address: "https://shop.example")]

    private func options(_ change: (inout ServerOptions) -> Void = { _ in }) -> ServerOptions {
        var options = ServerOptions()
        change(&options)
        return options
    }

    @Test("HTTP beyond this machine is refused unless something protects it, or somebody says so")
    func plainHTTP() throws {
        for host in ["0.0.0.0", "::", "192.0.2.1", "till.example"] {
            #expect(throws: ListeningError.plainHTTP(host: host)) {
                try options { $0.host = host }.checkListening(telling: [])
            }
            try options { ($0.host, $0.allowsPlainHTTP) = (host, true) }.checkListening(telling: [])
            try options { ($0.host, $0.trustedProxies) = (host, NetworkRange.list(parsing: "10.0.0.9") ?? []) }
                .checkListening(telling: far)
        }
        for host in ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.2"] {
            try options { $0.host = host }.checkListening(telling: [])
        }
        #expect(throws: ListeningError.plainHTTP(host: "0.0.0.0")) {
            try options { $0.publicAddress = ListenAddress(host: "0.0.0.0", port: 8443) }.checkListening(telling: [])
        }
    }

    @Test("An address that customers are told needs something that answers there")
    func publicAddress() throws {
        #expect(throws: ListeningError.unreachable(setting: "receipt_url", address: "https://shop.example")) {
            try options().checkListening(telling: far)
        }
        try options().checkListening(telling: [(setting: "receipt_url", address: "http://127.0.0.1:8080")])
        try options { $0.publicAddress = ListenAddress(host: "127.0.0.1", port: 8081) }.checkListening(telling: far)
        try options { $0.trustedProxies = NetworkRange.list(parsing: "127.0.0.1") ?? [] }.checkListening(telling: far)
    }

    @Test("An address to listen on is a host and a port")
    func addresses() {
        #expect(ListenAddress(parsing: "0.0.0.0:8443") == ListenAddress(host: "0.0.0.0", port: 8443))
        #expect(ListenAddress(parsing: "[::]:8443") == ListenAddress(host: "::", port: 8443))
        #expect(ListenAddress(parsing: "[::]:8443")?.url(isSecure: true, port: 1) == "https://[::]:1")
        for text in ["8443", ":8443", "::1:8443", "host:", "host:65536", "host:-1", "[::]"] {
            #expect(ListenAddress(parsing: text) == nil, "\(text)")
        }
    }
}
