import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal
import TillProvider
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("The hosts of a shop's pages with Apple Pay")
struct ApplePayHostTests {
    private static let origins: Set<String> = [
        "https://www.shop.example", "https://pay.shop.example:8443", "http://localhost:3000",
    ]

    /// Runs a body with a shop whose one domain has pages of several hosts.
    private func withShop(_ body: (ApplePayRoutes) async throws -> Void) async throws {
        let clock = ManualClock()
        let domain = ApplePayDomain(
            domain: try #require(WebDomain("shop.example")), merchant: "merchant.example.shop",
            association: Array("file".utf8), origins: ApplePayHostTests.origins)
        let options = ApplePayOptions(
            environment: .production, factory: ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB"),
            currency: .gbp, domains: [domain], keys: ProcessingKeyRing(), area: DeliveryArea(country: "GB", areas: []))
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let web = try ApplePayWeb(
            options: options, checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock),
            journal: journal, account: .main, provider: .sandbox, handovers: [.opened], clock: clock)
        try await body(web.routes)
        await web.shutdown()
    }

    private func request(_ host: String, _ origin: String? = nil, path: String = "/applepay/validate") -> Request {
        var headers = HTTPFields()
        headers[.origin] = origin
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: host, path: path, headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("A page's host is that of its origin over TLS, without the port, or the one that it came to")
    func pages() async throws {
        let cases: [(host: String, origin: String?, page: String)] = [
            ("shop.example", nil, "shop.example"), ("shop.example", "https://shop.example", "shop.example"),
            ("shop.example", "https://www.shop.example", "www.shop.example"),
            ("till.example", "https://www.shop.example", "www.shop.example"),
            ("till.example", "https://pay.shop.example:8443", "pay.shop.example"),
            ("WWW.shop.example:443", nil, "www.shop.example"),
            ("till.example", "http://localhost:3000", "shop.example"),
        ]
        try await withShop { routes in
            for (host, origin, page) in cases {
                let request = request(host, origin)
                let domain = try routes.domain(of: request)
                #expect(routes.host(ofPage: request, on: domain) == page, "\(host) \(origin ?? "")")
            }
            for (host, origin) in [
                ("till.example", nil), ("evil.shop.example", nil), ("localhost", nil),
                ("till.example", "https://evil.shop.example"), ("till.example", "https://pay.shop.example"),
            ] as [(String, String?)] {
                #expect(throws: MerchantSessionError.unknownDomain, "\(host) \(origin ?? "")") {
                    _ = try routes.domain(of: request(host, origin))
                }
            }
        }
    }

    @Test("The association file is served on the domain and on the host of each of its origins over TLS")
    func association() async throws {
        try await withShop { routes in
            for host in ["shop.example", "www.shop.example", "pay.shop.example:8443"] {
                let file = try routes.associationFile(request(host, path: ApplePayRoutes.association))
                #expect(try await RoutedCounter.text(file) == "file", "\(host)")
            }
            for host in ["localhost", "till.example", "evil.shop.example"] {
                #expect(throws: Problem.self, "\(host)") {
                    _ = try routes.associationFile(request(host, path: ApplePayRoutes.association))
                }
            }
        }
    }

    @Test("A host is that of the domain with its name, before another's with an origin there")
    func order() throws {
        let (shop, www) = (try #require(WebDomain("shop.example")), try #require(WebDomain("www.shop.example")))
        var options = ApplePayOptions(
            environment: .production, factory: ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB"),
            currency: .gbp, domains: [], keys: ProcessingKeyRing(), area: DeliveryArea(country: "GB", areas: []))
        options.domains = [
            ApplePayDomain(domain: shop, merchant: "merchant.first", origins: ["https://www.shop.example"]),
            ApplePayDomain(domain: www, merchant: "merchant.second"),
        ]
        #expect(options.domain(withPagesOn: "www.shop.example")?.merchant == "merchant.second")
        #expect(options.domain(withPagesOn: "shop.example")?.merchant == "merchant.first")
        #expect(options.domain(withPagesOn: "example") == nil)
    }

    @Test(
        "An origin is production's with a host of the shop's pages, but not on this machine or in Apple's sandbox",
        arguments: [
            ("https://shop.example", true), ("https://www.shop.example", true), ("https://pay.shop.example:8443", true),
            ("http://shop.example", true), ("https://www.shop.example:444", true), ("http://localhost:3000", false),
            ("https://qa.shop.example", false), ("https://shop.example.test", false),
        ])
    func production(_ origin: String, isShops: Bool) throws {
        var options = ApplePayOptions(
            environment: .production, factory: ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB"),
            currency: .gbp, domains: [], keys: ProcessingKeyRing(), area: DeliveryArea(country: "GB", areas: []))
        let domain = try #require(WebDomain("shop.example"))
        options.domains = [ApplePayDomain(domain: domain, merchant: "merchant.shop", origins: Self.origins)]
        #expect(options.productionDomain(ofOrigin: origin)?.merchant == (isShops ? "merchant.shop" : nil))
        options.environment = .sandbox
        #expect(options.productionDomain(ofOrigin: origin) == nil)
    }

    @Test("A session is for the host of the page that asked for it, and opens no sheet on another")
    func sessions() async throws {
        let counter = try await RoutedCounter(
            shop: { counter in
                try .sandbox(
                    checkout: counter.checkout, journal: counter.journal, account: .main,
                    origins: ["https://www.shop.example"])
            })
        do { try await ask(counter) } catch {
            await counter.close()
            throw error
        }
        await counter.close()
    }

    private func ask(_ counter: RoutedCounter) async throws {
        let opened = try await counter.ask(
            "POST", "/v1/applepay/baskets", headers: ["Idempotency-Key": "h-a"],
            #"{"order_id":"h-a","amount":899,"currency":"GBP","items":[{"label":"Tea","amount":899}]}"#)
        let id = try #require(try await RoutedCounter.document(opened)["id"]?.stringValue)
        let sheet = try await RoutedCounter.document(
            counter.ask("GET", "/applepay/basket/\(id)", isStranger: true))
        let proof = try #require(sheet["proof"]?.stringValue)
        func post(_ path: String, _ origin: String, _ members: JSONValue) async throws -> (Int, JSONValue) {
            let response = try await counter.ask(
                "POST", path, isStranger: true, headers: ["X-Till-Basket-Proof": proof, "Origin": origin],
                String(decoding: members.bytes(), as: UTF8.self))
            return (response.status.code, try await RoutedCounter.document(response))
        }
        let gateway = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"
        let pages = [("https://www.shop.example", "www.shop.example"), ("http://localhost:8080", "localhost")]
        for (index, (origin, host)) in pages.enumerated() {
            let (status, session) = try await post(
                "/applepay/validate", origin,
                .members(["basket": .string(id), "validationURL": .string(gateway)]))
            #expect(status == 200, "\(session)")
            #expect(session["domainName"]?.stringValue == host)
            let authorization = JSONValue.members([
                "sheet": .string(id), "session": session, "amount": .string("8.99"), "currencyCode": .string("GBP"),
            ])
            let elsewhere = pages[1 - index].0
            #expect(try await post("/applepay/sandbox/authorize", elsewhere, authorization).0 == 409)
            #expect(try await post("/applepay/sandbox/authorize", origin, authorization).0 == 200)
        }
    }
}
