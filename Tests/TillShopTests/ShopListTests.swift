import Foundation
import HTTPTypes
import Testing
import TillCore
import TillHTTP

@testable import TillShop

@Suite("A shop's list of orders")
struct ShopListTests {
    @Test("all orders are listed through pages, by status and by change")
    func pages() async throws {
        try await RunningShop.with(openOrders: 257) { shop in
            let all = try await shop.client.orders()
            #expect(all.map(\.id) == Array(101...357))
            _ = try await shop.client.record(shop.payment())
            #expect(try await shop.client.orders(in: [.pending, .failed]).count == 256)
            #expect(try await shop.client.orders(in: [.processing]).map(\.id) == [101])
            let order = try await shop.client.order(101)
            let before = order.modified.adding(Span(milliseconds: -1_000))
            #expect(try await shop.client.orders(modifiedAfter: before).map(\.id).contains(101))
            #expect(try await shop.client.orders(modifiedAfter: order.modified.adding(.days(1))).isEmpty)
        }
    }

    @Test("an order that leaves the list between two pages hides no other one")
    func moving() async throws {
        try await RunningShop.with(openOrders: 257) { shop in
            let transport = Meddling(shop) { shop in
                _ = try? await shop.control("orders/101", "{\"status\": \"on-hold\"}")
            }
            let client = ShopClient(
                shop.client.shop, key: try ShopKey(key: "ck_a", secret: Secret("cs_a")), transport: transport,
                clock: SystemClock())
            #expect(try await client.orders(in: [.pending]).map(\.id) == Array(102...357))
        }
    }

    @Test("a list that changes each time is an error")
    func unstable() async throws {
        try await RunningShop.with(openOrders: 257) { shop in
            let transport = Meddling(shop) { shop in
                guard let first = try? await shop.client.orders(in: [.pending]).first else { return }
                _ = try? await shop.control("orders/\(first.id)", "{\"status\": \"on-hold\"}")
            }
            let client = ShopClient(
                shop.client.shop, key: try ShopKey(key: "ck_a", secret: Secret("cs_a")), transport: transport,
                clock: SystemClock())
            await #expect(throws: ShopError.unstableList) { try await client.orders(in: [.pending]) }
        }
    }

    /// Changes the shop before each page but the first.
    private struct Meddling: HTTPTransport {
        let shop: RunningShop
        let meddle: @Sendable (RunningShop) async -> Void

        init(_ shop: RunningShop, _ meddle: @escaping @Sendable (RunningShop) async -> Void) {
            (self.shop, self.meddle) = (shop, meddle)
        }

        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            if request.path?.contains("offset=0&") != true { await meddle(shop) }
            return try await shop.transport.send(request, body: body, deadline: deadline)
        }
    }
}

@Suite("The connection with a shop")
struct ShopCheckTests {
    private func client(_ shop: RunningShop, _ name: String, secret: String? = nil) throws -> ShopClient {
        ShopClient(
            shop.client.shop, key: try ShopKey(key: "ck_\(name)", secret: Secret("cs_\(secret ?? name)")),
            transport: shop.transport, clock: SystemClock())
    }

    @Test("rights and version are read, and nothing is changed")
    func check() async throws {
        try await RunningShop.with { shop in
            let standing = try await shop.client.check()
            #expect(standing == ShopClient.Standing(version: "11.0.0", currency: .eur))
            #expect(try await shop.control("ledger")["orders"]?.arrayValue?.count == 3)
        }
    }

    @Test("a key without a right, and a wrong secret, are refused", arguments: ["read", "write"])
    func rights(_ permissions: String) async throws {
        try await RunningShop.with { shop in
            try await shop.control(
                "keys",
                """
                {"consumer_key": "ck_a", "consumer_secret": "cs_a", "permissions": "\(permissions)"}
                """)
            let error = await #expect(throws: ShopError.self) { try await client(shop, "a").check() }
            guard case .unauthorized(let message) = error else { throw Unexpected() }
            #expect(message.text.contains(permissions == "read" ? "write" : "read"))
            let wrong = await #expect(throws: ShopError.self) { try await client(shop, "a", secret: "b").check() }
            guard case .unauthorized = wrong else { throw Unexpected() }
        }
    }

    @Test("no error shows a secret")
    func secrets() throws {
        let key = try ShopKey(key: "ck_abcdefghijk", secret: Secret("cs_hidden"))
        #expect("\(key)" == "ShopKey(…efghijk)")
        #expect(!String(reflecting: key).contains("hidden"))
        let error = #expect(throws: ShopError.self) { try ShopKey(key: "ck_a", secret: Secret("hidden value")) }
        #expect(error.map { !"\($0)".contains("hidden") } == true)
        #expect(error == .key(.secret))
        #expect(throws: ShopError.key(.key)) { try ShopKey(key: "a", secret: Secret("cs_a")) }
    }

    @Test("a shop that repeats the secret, or the header with it, is not repeated", arguments: [401, 400, 404, 500])
    func echoes(_ status: Int) async throws {
        let basic = Data("ck_a:cs_hidden".utf8).base64EncodedString()
        // Without the padding, and with a mark upon its last character, it is the secret all the same.
        let marked = "cs_hidden\u{301} \(basic.filter { $0 != "=" })"
        let long = String(repeating: "x", count: 190)
        let body = """
            {"code": "woocommerce_rest_cs_hidden", "message": "\(marked) \(long)cs_hidden \(basic)"}
            """
        let client = ShopClient(
            try ShopURL("https://shop.example"), key: try ShopKey(key: "ck_a", secret: Secret("cs_hidden")),
            transport: Fixed(status: status, body: body), clock: SystemClock())
        let error = await #expect(throws: ShopError.self) { try await client.check() }
        let words = error.map { "\($0) \($0.what)" } ?? "cs_"
        #expect(!words.contains("cs_") && !words.contains(basic.prefix(8)))
    }

    @Test("what answers in JSON and has no orders is no shop")
    func noShop() async throws {
        let client = ShopClient(
            try ShopURL("https://shop.example"), key: try ShopKey(key: "ck_a", secret: Secret("cs_a")),
            transport: Fixed(status: 404, body: #"{"code": "rest_no_route", "message": "No route"}"#),
            clock: SystemClock())
        await #expect(throws: ShopError.unreadable("list of orders")) { try await client.check() }
    }

    private struct Fixed: HTTPTransport {
        var status: Int
        var body: String

        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            HTTPReply(response: HTTPResponse(status: .init(code: status)), body: Array(self.body.utf8))
        }
    }

    @Test("addresses are the shop's own")
    func addresses() throws {
        #expect(try ShopURL("https://Shop.Example/").text == "https://shop.example")
        #expect(try ShopURL("https://shop.example:443/a/b/").text == "https://shop.example/a/b")
        #expect(try ShopURL("http://localhost:8080").text == "http://localhost:8080")
        #expect(try ShopURL("http://shop.lan", allowsPlain: true).text == "http://shop.lan")
        for text in [
            "shop.example", "http://shop.example", "https://a@shop.example", "https://shop.example/?a=b",
            "https://shop.example/wp-json/wc/v3", "https://shop.example:0", "https://shop.example/../a", "",
            "https://" + String(repeating: "a", count: 600),
        ] { #expect(throws: ShopError.self, "\(text)") { try ShopURL(text) } }
    }

    /// Verified by the stand-in's own parser of signatures as well, in each test of this room.
    @Test("a signature has each parameter once, and the secret nowhere")
    func signature() throws {
        let key = try ShopKey(key: "ck_a", secret: Secret("cs_hidden"))
        let signed = OAuthSigner(key: key).signed(
            method: "GET", address: "http://127.0.0.1/wp-json/wc/v3/orders", query: [("status", "a,b c")],
            at: Timestamp(milliseconds: 1_795_000_000_000), nonce: "n")
        #expect(Set(signed.map(\.name)).count == signed.count)
        #expect(!signed.contains { $0.value.contains("hidden") })
        #expect(PercentEncoding.query([("a b", "ü/+")]) == "a%20b=%C3%BC%2F%2B")
    }
}

@Suite("Answers that are no documents")
struct ShopAnswerTests {
    private struct Canned: HTTPTransport {
        var status: Int
        var body: String

        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            HTTPReply(response: HTTPResponse(status: .init(code: status)), body: Array(self.body.utf8))
        }
    }

    private func client(_ status: Int, _ body: String) throws -> ShopClient {
        ShopClient(
            try ShopURL("https://shop.example"), key: try ShopKey(key: "ck_a", secret: Secret("cs_a")),
            transport: Canned(status: status, body: body), clock: SystemClock())
    }

    @Test("each answer has its error")
    func errors() async throws {
        let message = "{\"code\": \"c\", \"message\": \"m\"}"
        func error(_ status: Int, _ body: String) async throws -> ShopError? {
            await #expect(throws: ShopError.self) { try await client(status, body).order(1) }
        }
        #expect(try await error(301, "") == .redirected)
        #expect(try await error(404, "<html>")?.code == "shop_refused")
        #expect(try await error(404, message)?.code == "shop_order_not_found")
        #expect(try await error(401, message)?.code == "shop_unauthorized")
        #expect(try await error(429, "")?.code == "shop_unavailable")
        #expect(try await error(200, "<html>")?.code == "shop_unavailable")
        #expect(try await error(200, "[]")?.code == "shop_unreadable")
        #expect(try await error(200, "{\"id\": 2}")?.code == "shop_unreadable")
        #expect(try await error(200, String(repeating: " ", count: 1 << 20) + "{}")?.code == "shop_unavailable")
        #expect(try await error(503, message)?.code == "shop_unavailable")
    }

    @Test("a message of the shop is shortened, on one line and without card numbers")
    func messages() {
        let long = "4111 1111 1111 1111\n" + String(repeating: "x", count: 1_000)
        let message = ShopMessage(.members(["code": .string("c"), "message": .string(long)]))
        #expect(!message.text.contains("4111 1111 1111 1111"))
        #expect(!message.text.contains("\n"))
        #expect(message.text.count <= ShopLimits.messageCharacters)
    }
}
