import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
@testable import TillFeatureCardFields
@testable import TillFeaturePage

@testable import TillServer
@testable import TillWeb

@Suite("Routes and their description")
struct DescribedRoutesTests {
    /// Not in a description on purpose: pages, what they load, and the demo shop with its simulator.
    private static let undescribed = Set(
        [
            "/", "/payments", "/payments/{id}", "/day", "/insights", "/shop", "/shop/session", "/shop/baskets",
            "/applepay/sandbox/authorize",
            // A file of Apple's at its two addresses.
            ApplePayRoutes.associations[0], ApplePayRoutes.associations[1],
            // What the frame with the card fields asks of its own counter.
            "/card/frame/{id}", "/card/fields", "/card/pay", "/card/status", "/card/cancel",
            "/kitchen", "/kitchen.js", "/kitchen.css", "/docs",
        ] + PageRoutes.settings + Self.files.filter { $0 != "/openapi.yaml" })

    /// What pages load.
    private static let files =
        Array(PageAsset.ofCounter.keys) + PageAsset.ofWords.keys + PageAsset.ofApplePay.keys
        + PageAsset.ofCardFields.keys

    /// Addresses that others make, send and open, with parameters of their own.
    private static let anyQuery: Set<String> = [
        "/", "/payments", "/day", "/insights", "/shop", "/r/{link}", "/back/{attempt}/{way}", "/webhooks/{provider}",
        "/applepay/notifications/{event}", "/applepay/notifications/merchantToken/{event}",
    ]

    @Test("What is registered is described, and what is described is registered: methods and parameters too")
    func bothDirections() async throws {
        let counter = try await RoutedCounter()
        let routes = counter.router.routes
        await counter.close()
        var registered: Set<Operation> = []
        for route in routes where !Self.undescribed.contains(route.template) {
            // Whoever may read may ask for the head alone; that is not described again each time.
            for method in route.methods where method != .head {
                registered.insert(
                    Operation(method: method.rawValue, path: route.template, query: route.query.names.sorted()))
            }
        }
        let documents = [
            TillFeaturePage.PackageResources.openapi_yaml, TillFeatureApplePay.PackageResources.applepay_openapi_yaml,
        ]
        .map(DocumentedOperations.init)
        // The state of a return URL is checked with the address, beside whatever the bank adds.
        let described = Set(
            documents.flatMap(\.all).map { operation in
                var operation = operation
                if Self.anyQuery.contains(operation.path) { operation.query = [] }
                return operation
            })
        #expect(described.subtracting(registered) == [], "described, and not there")
        #expect(registered.subtracting(described) == [], "there, and not described")
        #expect(registered.count > 35)
    }

    @Test("The scope of every route is in its description, and every described scope is a route's")
    func scopes() async throws {
        let counter = try await RoutedCounter()
        var registered: [String: String] = [:]
        var needed: [String: String] = [:]
        for route in counter.router.routes {
            for method in route.methods where method != .head {
                registered["\(method.rawValue) \(route.template)"] = route.scope?.rawValue
                needed["\(method.rawValue) \(route.template)"] = route.needed?.rawValue
            }
        }
        await counter.close()
        let document = DocumentedOperations(TillFeaturePage.PackageResources.openapi_yaml)
        #expect(document.scopes == registered)
        #expect(document.permissions == needed && needed.count > 5)
        #expect(Set(registered.keys).subtracting(document.forbidding) == [], "they do not say what happens without it")
        #expect(DocumentedOperations(TillFeatureApplePay.PackageResources.applepay_openapi_yaml).scopes == [:])
        #expect(registered.count > 35)
    }

    @Test("An unknown parameter is refused by every route but those that others make addresses for")
    func unknownParameters() async throws {
        let counter = try await RoutedCounter()
        for route in counter.router.routes where !Self.anyQuery.contains(route.template) {
            let path = route.template.replacing(/\{\w+\}/, with: "x")
            let response = try await counter.ask(route.methods[0].rawValue, path + "?created_after=1")
            #expect(response.status == .badRequest, "\(route.template)")
            let problem = try await RoutedCounter.document(response)
            #expect(problem["code"]?.stringValue == "unknown_parameter", "\(route.template)")
            #expect(problem["errors"]?.arrayValue?.first?["field"]?.stringValue == "created_after")
            #expect(
                problem["next"]?.stringValue
                    == "Parameters of this address: "
                    + (route.query.names.isEmpty ? "none" : route.query.names.joined(separator: ", ")) + ".")
        }
        let open = Set(counter.router.routes.filter { if case .any = $0.query { true } else { false } }.map(\.template))
        await counter.close()
        #expect(open == Self.anyQuery)
    }

    @Test("Whom an open route is there for is what its description says; a route with a key says nothing")
    func audiences() async throws {
        let counter = try await RoutedCounter()
        let routes = counter.router.routes
        await counter.close()
        let described = [
            TillFeaturePage.PackageResources.openapi_yaml, TillFeatureApplePay.PackageResources.applepay_openapi_yaml,
        ]
        .map(DocumentedOperations.init).flatMap(\.audiences)
        .reduce(into: [String: String]()) { $0["\($1.key.method) \($1.key.path)"] = $1.value }
        let registered = routes.filter(\.isOpen).reduce(into: [String: String]()) { all, route in
            guard !Self.undescribed.contains(route.template) else { return }
            for method in route.methods where method != .head {
                all["\(method.rawValue) \(route.template)"] = route.audience.rawValue
            }
        }
        #expect(described == registered)
        #expect(registered.values.contains("customer") && registered.values.contains("provider"))
    }

    @Test("The public has the routes of customers and providers, and nothing of the clerk's or the operators'")
    func forThePublic() async throws {
        let counter = try await RoutedCounter()
        for route in counter.router.routes {
            let path = route.template.replacing(/\{\w+\}/, with: "x")
            let response = try await counter.ask(route.methods[0].rawValue, path, ofThePublic: true)
            let problem = try await RoutedCounter.document(response)
            let isThere = route.audience == .customer || route.audience == .provider
            // An address that is there for nobody answers what every such address does.
            if !isThere { #expect(problem["code"]?.stringValue == "not_found", "\(route.template)") }
            if !route.isOpen { #expect(!isThere, "\(route.template)") }
        }
        let files = ["/openapi.yaml", "/counter.js", "/", "/metrics", "/readyz", "/v1/payments", "/session"]
        for path in files {
            #expect(try await counter.ask("GET", path, ofThePublic: true).status == .notFound, "\(path)")
        }
        for path in ["/counter.css", "/shop", "/applepay/client.js"] {
            #expect(try await counter.ask("GET", path, isStranger: true, ofThePublic: true).status == .ok, "\(path)")
        }
        #expect(try await counter.ask("GET", "/webhooks/stripe", ofThePublic: true).status == .methodNotAllowed)
        await counter.close()
    }

    @Test("Every description says that an unknown parameter is refused")
    func refusals() throws {
        for bytes in [
            TillFeaturePage.PackageResources.openapi_yaml, TillFeatureApplePay.PackageResources.applepay_openapi_yaml,
        ] {
            let document = DocumentedOperations(bytes)
            let silent = document.all.subtracting(document.refusing).filter { !Self.anyQuery.contains($0.path) }
            #expect(silent == [])
        }
    }

    @Test("Metrics name a request after its route's template, never after its address")
    func labels() async throws {
        let counter = try await RoutedCounter()
        for path in [
            "/v1/payments/pay_1", "/v1/payments/pay_1/receipt", "/v1/nothing/pay_1", "/r/pay_1.a.b", "//pay_1",
        ] {
            _ = try await counter.ask("GET", path)
        }
        _ = try await counter.ask("PUT", "/v1/payments/pay_1")
        let response = try await counter.ask("GET", "/metrics")
        let text = try await RoutedCounter.text(response)
        await counter.close()
        let labels = Set(text.matches(of: /http_requests_total\{route="([^"]*)"/).map { String($0.1) })
        #expect(labels == ["/v1/payments/{id}", "/v1/payments/{id}/receipt", "/r/{link}", "unknown"])
    }
}

extension QueryParameters {
    /// Those that are known by name.
    fileprivate var names: [String] {
        switch self {
        case .named(let names): names
        case .any: []
        }
    }
}
