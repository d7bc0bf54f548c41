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
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Pages under test with the settings of a shop")
struct ApplePayPagesUnderTestTests {
    private static let shopPage = "http://localhost:3000"
    private static let atelierPage = "http://localhost:3001"
    private static let otherPage = "http://localhost:3002"

    private let clock = ManualClock()

    /// A domain in euros with a name, a country, a network and an icon of its own.
    private func atelier(_ origins: Set<String>) throws -> ApplePayDomain {
        var domain = ApplePayDomain(
            domain: try #require(WebDomain("atelier.example")), merchant: "merchant.example.atelier", origins: origins)
        domain.factory = ApplePayPaymentRequestFactory(
            displayName: "Atelier", countryCode: "FR", supportedNetworks: ["cartesBancaires"])
        domain.currency = .eur
        domain.icons = ["180x180": "https://atelier.example/icon.png"]
        return domain
    }

    /// Runs a body with a simulated Apple for three origins and a shop with these domains.
    private func withShop(
        _ domains: [ApplePayDomain], _ body: (ApplePayRoutes) async throws -> Void
    ) async throws {
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let settings = ApplePayOptions(
            environment: .production, factory: ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB"),
            currency: .gbp, domains: domains, keys: ProcessingKeyRing(),
            area: DeliveryArea(country: "GB", areas: ["EC4M"]))
        let web = try ApplePayWeb.sandbox(
            checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock), journal: journal,
            account: .main, origins: [Self.shopPage, Self.atelierPage, Self.otherPage], settings: settings,
            clock: clock)
        try await body(web.routes)
        await web.shutdown()
    }

    /// Expects the atelier's metadata, or the whole shop's, on the page of an origin; `nil` is a page of the counter.
    private func expect(_ routes: ApplePayRoutes, _ origin: String?, isAtelier: Bool) async throws {
        var headers = HTTPFields()
        headers[.origin] = origin
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost:8080", path: "/applepay/metadata",
            headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let told = try await RoutedCounter.document(routes.metadata(request))
        let place = origin ?? "the counter"
        #expect(told["enabled"] == .bool(true), "\(place)")
        #expect(told["merchantIdentifier"] == .string(ApplePaySandbox.merchant), "\(place)")
        #expect(told["countryCode"] == .string(isAtelier ? "FR" : "GB"), "\(place)")
        #expect(told["currencyCode"] == .string(isAtelier ? "EUR" : "GBP"), "\(place)")
        let networks = isAtelier ? ["cartesBancaires"] : ["visa", "masterCard", "amex"]
        #expect(told["supportedNetworks"]?.arrayValue?.compactMap(\.stringValue) == networks, "\(place)")
        let icons = told["touchIcons"]?.arrayValue?.compactMap { $0["href"]?.stringValue } ?? []
        #expect(icons.contains("https://atelier.example/icon.png") == isAtelier, "\(place)")
    }

    @Test("Of several domains a page under test has the sheets of the one that lists its origin")
    func several() async throws {
        let first = ApplePayDomain(
            domain: try #require(WebDomain("shop.example")), merchant: "merchant.example.shop",
            origins: [Self.shopPage])
        try await withShop([first, try atelier([Self.atelierPage, "https://www.atelier.example"])]) { routes in
            try await expect(routes, Self.atelierPage, isAtelier: true)
            for origin in [Self.shopPage, Self.otherPage, nil] { try await expect(routes, origin, isAtelier: false) }
            #expect(routes.options.currencies == [.gbp, .eur])
            // Pages of the shop itself are none under test.
            let listed = routes.options.domains.reduce(into: Set<String>()) { $0.formUnion($1.origins) }
            #expect(listed == ["https://localhost", Self.shopPage, Self.atelierPage, Self.otherPage])
        }
    }

    @Test("A shop with one domain is tested as that domain, on every page")
    func one() async throws {
        try await withShop([try atelier([])]) { routes in
            for origin in [Self.shopPage, Self.atelierPage, Self.otherPage, nil] {
                try await expect(routes, origin, isAtelier: true)
            }
            #expect(routes.options.currencies == [.eur])
        }
    }

    @Test("A shop without domains is tested with what stands there for all")
    func none() async throws {
        try await withShop([]) { routes in
            for origin in [Self.shopPage, nil] { try await expect(routes, origin, isAtelier: false) }
        }
    }
}
