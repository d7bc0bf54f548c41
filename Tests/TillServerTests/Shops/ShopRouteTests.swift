import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureShops
import TillJournal
import TillStandInShop

@testable import TillServer
@testable import TillWeb

@Suite("Connecting shops over HTTP") struct ShopRouteTests {
    private static let secret = "cs_marked4111111111111111"
    private static let key = "ck_marked4111111111111111"

    /// Runs a shop on this machine for the time of a body.
    private func withShop(_ body: (String) async throws -> Void) async throws {
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let server = Task {
            defer { found.finish() }
            try await SandboxShopServer(openOrders: 2).run(port: 0) { found.yield($0) }
        }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await body("http://127.0.0.1:\(port)")
    }

    private func connect(
        _ counter: RoutedCounter, _ url: String, more: String = "", key: String = ShopRouteTests.key,
        secret: String = ShopRouteTests.secret, as bearer: String = "key"
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue, text: String) {
        let response = try await counter.ask(
            "POST", "/v1/shops", headers: ["Authorization": "Bearer \(bearer)"],
            #"{"url":"\#(url)","key":"\#(key)","secret":"\#(secret)"\#(more)}"#)
        let text = try await RoutedCounter.text(response)
        return (response.status, JSONValue(ifValid: Array(text.utf8)) ?? .null, text)
    }

    private func shops(_ counter: RoutedCounter) async throws -> [JSONValue] {
        try await RoutedCounter.document(try await counter.ask("GET", "/v1/shops"))["shops"]?.arrayValue ?? []
    }

    @Test("A shop is asked, connected once, and named if it is connected already; the secret is nowhere to be read")
    func life() async throws {
        let counter = try await RoutedCounter(privateShops: true)
        try await withShop { url in
            let made = try await connect(counter, url)
            #expect(made.status == .created && made.document["url"]?.stringValue == url, "\(made.text)")
            #expect(made.document["key"]?.stringValue == "…1111111" && !made.text.contains("cs_"))
            let id = try #require(made.document["id"]?.stringValue)
            let again = try await connect(counter, url + "/", key: "ck_other", secret: "cs_other")
            #expect(again.status == .conflict && again.document["code"]?.stringValue == "shop_connected")
            #expect(again.document["detail"]?.stringValue?.contains(id) == true)
            #expect(try await shops(counter) == [made.document])
            let kept = try #require(try await Records<ConnectedShop>(counter.journal).document(id))
            #expect(kept.isGuarded && kept.key == ShopRouteTests.key, "the digits of a key are not masked")
            #expect(!String(decoding: kept.record.body, as: UTF8.self).contains("cs_"))
            let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
                .filter { $0.subject == id }
            #expect(notes.map(\.action) == [.shopConnected])
            #expect(notes.allSatisfy { $0.by.actor != .unattributed && !"\($0)".contains("cs_") })
            let second = try await connect(counter, url.replacing("127.0.0.1", with: "localhost"))
            #expect(second.document["code"]?.stringValue == "shop_scope_taken")
        }
        await counter.close()
    }

    @Test("What is not accepted of a shop is named with its field, moves no money, and connects nothing")
    func refusals() async throws {
        let counter = try await RoutedCounter()
        let test = #","test_shop":true"#
        for (url, more, field, code) in [
            ("shop.example", test, "url", "shop_address"), ("http://shop.example", test, "url", "shop_address"),
            ("https://shop.example/wp-json/wc/v3", test, "url", "shop_address"),
            ("https://shop.example", "", "test_shop", "shop_in_test_mode"),
            ("https://127.0.0.1", test, "url", "shop_address_inside"),
            ("http://127.0.0.1:1", "", "url", "shop_address_inside"),
            ("http://localhost:1", "", "url", "shop_address_inside"),
            ("http://[::1]:1", "", "url", "shop_address_inside"),
            ("https://10.0.0.1", test, "url", "shop_address_inside"),
            ("https://[::ffff:10.0.0.1]", test, "url", "shop_address_inside"),
            ("https://169.254.169.254", test, "url", "shop_address_inside"),
            ("https://[fe80::1]", test, "url", "shop_address_inside"),
            ("https://[64:ff9b::a9fe:a9fe]", test, "url", "shop_address_inside"),
            ("https://127.1", test, "url", "shop_address_inside"),
            ("https://2130706433", test, "url", "shop_address_inside"),
            ("https://shop.example", #","scope":"a b""#, "scope", "invalid_scope"),
            ("https://shop.example", #","notify_at":"ftp://a""#, "notify_at", "invalid_notify_at"),
            ("https://shop.example", #","test_shop":1"#, "test_shop", "invalid_request"),
            ("https://shop.example", #","allow_plain":true"#, "allow_plain", "invalid_request"),
        ] {
            let refused = try await connect(counter, url, more: more)
            #expect(refused.document["code"]?.stringValue == code, "\(url) \(refused.text)")
            #expect([.unprocessableContent, .conflict].contains(refused.status))
            #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == field, "\(url)")
            #expect(refused.document["money_moved"]?.stringValue == "no")
            #expect(!refused.text.contains("marked"))
        }
        for (key, secret, field) in [("x", "cs_marked", "key"), ("ck_marked", "marked", "secret")] {
            let refused = try await connect(counter, "https://shop.example", more: test, key: key, secret: secret)
            #expect(refused.document["code"]?.stringValue == "shop_key" && !refused.text.contains("marked"))
            #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == field)
        }
        #expect(try await shops(counter).isEmpty)
        await counter.close()
    }

    @Test("Where shops inside are allowed, they are for accounts with the counter's hardware, and none is link-local")
    func inside() async throws {
        let counter = try await RoutedCounter(privateShops: true)
        for url in ["https://169.254.169.254", "https://[fe80::1]", "https://0.0.0.0"] {
            let refused = try await connect(counter, url, more: #","test_shop":true"#)
            #expect(refused.document["code"]?.stringValue == "shop_address_inside", "\(url)")
        }
        let closed = try await connect(counter, "http://127.0.0.1:1")
        #expect(closed.document["code"]?.stringValue == "shop_not_reached", "\(closed.text)")
        let other = try await connect(counter, "http://127.0.0.1:1", as: "other")
        #expect(other.document["code"]?.stringValue == "shop_address_inside")
        await counter.close()
    }

    @Test("A key without the scope admin connects no shop")
    func scopes() async throws {
        let counter = try await RoutedCounter(privateShops: true)
        let made = try await APIKeys(counter.journal, clock: SystemClock()).create(
            account: .main, label: "test", scopes: [.read, .sell, .readers], life: nil)
        let refused = try await connect(counter, "http://127.0.0.1:1", as: made.key.reveal())
        #expect(refused.status == .forbidden && refused.document["scope_needed"]?.stringValue == "admin")
        await counter.close()
    }

    @Test("The calls of a trial end together")
    func trial() async throws {
        struct Slow: HTTPTransport {
            func send(
                _ request: HTTPRequest, body: [UInt8], deadline: Span
            ) async throws(TransportFailure) -> HTTPReply { throw .unknown(reason: "\(deadline.milliseconds)") }
        }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "shop.example", path: "/")
        await #expect(throws: TransportFailure.notSent(reason: "it had taken too long before")) {
            try await TrialTransport(Slow(), within: .milliseconds(0)).send(request, body: [], deadline: .seconds(9))
        }
        do throws(TransportFailure) {
            _ = try await TrialTransport(Slow(), within: .seconds(5)).send(request, body: [], deadline: .seconds(9))
        } catch {
            guard case .unknown(let left) = error else {
                Issue.record("\(error)")
                return
            }
            #expect((Int(left) ?? 9_000) <= 5_000)
        }
    }
}
