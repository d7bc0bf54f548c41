import HTTPTypes
import Hummingbird
import Synchronization
import Testing
import TillCore
@testable import TillFeatureCardFields
import TillProvider

@testable import TillWeb

/// A module of the sandbox's provider, with card fields that count who asks for their key.
private struct FieldsModule: ProviderModule {
    static let name = ProviderName.sandbox
    static let title = "Sandbox"
    static let settings: [Setting] = []
    static let required: [Setting] = []
    static let hosts: [String] = []
    static let sources = ProviderCardFields.Sources(
        scripts: ["https://js.example"], frames: ["https://frames.example"], connections: ["https://api.example"],
        images: ["https://images.example"], asksBanks: false)

    let cardFields: ProviderCardFields?

    init(_ fields: ProviderCardFields) { cardFields = fields }

    static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> FieldsModule? { nil }

    var mode: PaymentMode { .test }
    var addresses: [String] { [] }
    var providers: [any PaymentServiceProvider] { [] }
}

/// Counts, for closures.
private final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

@Suite("The provider's own card fields")
struct ProviderFieldsTests {
    private static let origin = "https://shop.example"

    private struct Opened {
        let counter: RoutedCounter
        let payment: String
        let session: String

        /// Asks as the frame, or as an app: without a key.
        func ask(
            _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]
        ) async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            let response = try await counter.ask(
                method, path, isStranger: true, headers: headers, ofThePublic: true, body)
            return (response.status, try await RoutedCounter.document(response))
        }

        func pay(_ tender: String) async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            try await ask("POST", "/card/pay", #"{"session":"\#(session)","tender":\#(tender)}"#)
        }

        func fields() async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            try await ask("POST", "/card/fields", #"{"session":"\#(session)"}"#)
        }
    }

    private func opened(_ modules: [any ProviderModule], _ place: String = "card_session") async throws -> Opened {
        let counter = try await RoutedCounter(modules: modules)
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "create"],
            #"{"order_id":"o-1","amount":1250,"currency":"EUR"}"#)
        let payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
        let body = place == "app_session" ? "{}" : #"{"origin":"\#(Self.origin)"}"#
        let answer = try await counter.ask("POST", "/v1/payments/\(payment)/\(place)", body)
        #expect(answer.status == .created)
        let session = try #require(try await RoutedCounter.document(answer)["session"]?.stringValue)
        return Opened(counter: counter, payment: payment, session: session)
    }

    private func module(_ key: @escaping @Sendable () -> ProviderCardFields.Key?) -> FieldsModule {
        FieldsModule(ProviderCardFields(sources: FieldsModule.sources) { _ in key() })
    }

    private static let card = #"{"type":"card","number":"4242424242424242","expiry":"12/34","cvc":"123"}"#
    private static let token = #"{"type":"token","token":"pm_card_visa"}"#

    private func frame(_ opened: Opened) async throws -> (policy: String, page: String) {
        let path = try #require(opened.session.split(separator: "_").first)
        let response = try await opened.counter.ask("GET", "/card/frame/\(path)", isStranger: true, ofThePublic: true)
        return (response.headers[.contentSecurityPolicy] ?? "", try await RoutedCounter.text(response))
    }

    @Test("the counter's own fields load nothing of others, and take cards alone")
    func own() async throws {
        let opened = try await opened([])
        let (policy, page) = try await frame(opened)
        #expect(
            policy == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                + "frame-src https: http://127.0.0.1:* http://localhost:*; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors \(Self.origin)")
        #expect(page.contains("<input id=\"number\"") && !page.contains("data-provider"))
        let key = try await opened.fields()
        #expect(key.status == .conflict && key.json["code"]?.stringValue == "no_card_fields")
        #expect(try await opened.pay(Self.token).status == .unprocessableContent)
        #expect(try await opened.pay(Self.card).json["status"]?.stringValue == "paid")
        await opened.counter.close()
    }

    @Test("the provider's fields load what it names, and take references alone")
    func provided() async throws {
        let opened = try await opened([module { .publishable("pk_test_1") }])
        let (policy, page) = try await frame(opened)
        #expect(
            policy == "default-src 'none'; script-src 'self' https://js.example; style-src 'self'; "
                + "connect-src 'self' https://api.example; frame-src https://frames.example; "
                + "img-src https://images.example; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors \(Self.origin)")
        #expect(page.contains("data-provider=\"sandbox\"") && !page.contains("<input"))
        let key = try await opened.fields()
        #expect(key.status == .ok && key.json["publishable_key"]?.stringValue == "pk_test_1")
        #expect(key.json["provider"]?.stringValue == "sandbox")
        let typed = try await opened.pay(Self.card)
        #expect(typed.status == .unprocessableContent && typed.json["money_moved"]?.stringValue == "no")
        #expect(try await opened.pay(Self.token).json["status"]?.stringValue == "paid")
        // There is nothing left to pay.
        #expect(try await opened.fields().status == .conflict)
        await opened.counter.close()
    }

    @Test("fields that attach to an order have a nonce of the page's, and take no card and no reference")
    func order() async throws {
        let sources = ProviderCardFields.Sources(
            scripts: ["https://*.paypal.example"], frames: ["https://*.paypal.example"],
            connections: ["https://*.paypal.example"], images: ["data:"], asksBanks: false, usesNonce: true)
        let fields = ProviderCardFields(sources: sources, reference: .order) { _ in .clientID("client") }
        // The sandbox prepares no order, so a session in the frame is refused before there is one.
        let counter = try await RoutedCounter(modules: [FieldsModule(fields)])
        let offered = OfferedCardFields([FieldsModule(fields)], of: .sandbox)
        #expect(offered.tenderType == "paypal_card")
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "create"],
            #"{"order_id":"o-1","amount":1250,"currency":"EUR"}"#)
        let payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
        let refused = try await counter.ask(
            "POST", "/v1/payments/\(payment)/card_session", #"{"origin":"\#(Self.origin)"}"#)
        #expect(refused.status == .conflict)
        let policy = CardFramePolicy.text(around: Self.origin, sources: sources, mode: .test, nonce: "abc123")
        #expect(
            policy == "default-src 'none'; script-src 'self' 'nonce-abc123' https://*.paypal.example; "
                + "style-src 'self' 'nonce-abc123'; connect-src 'self' https://*.paypal.example; "
                + "frame-src https://*.paypal.example; img-src data:; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors \(Self.origin)")
        let opened = try await counter.ask("POST", "/v1/payments/\(payment)/app_session", "{}")
        let session = try #require(try await RoutedCounter.document(opened)["session"]?.stringValue)
        let answer = try await counter.ask(
            "GET", "/app/card_fields", isStranger: true, headers: ["X-Till-Session": session], ofThePublic: true)
        let key = try await RoutedCounter.document(answer)
        #expect(key["client_id"]?.stringValue == "client" && key["provider"]?.stringValue == "sandbox")
        #expect(key["currency"]?.stringValue == "EUR" && key["intent"]?.stringValue == "capture")
        await counter.close()
    }

    @Test("a session has one key, however often it asks, and the provider is asked ten times at most")
    func keys() async throws {
        let count = Count()
        var opened = try await opened([
            module {
                count.add()
                return .clientToken(Secret("token-\(count.value)"))
            }
        ])
        for _ in 0..<3 {
            #expect(try await opened.fields().json["client_token"]?.stringValue == "token-1")
        }
        #expect(try await opened.ask("POST", "/card/fields", #"{"session":"cf-x_y"}"#).status == .notFound)
        await opened.counter.close()
        let failures = Count()
        opened = try await self.opened([
            module {
                failures.add()
                return nil
            }
        ])
        for _ in 0..<12 {
            let refused = try await opened.fields()
            #expect(refused.status == .serviceUnavailable && refused.json["money_moved"]?.stringValue == "no")
            #expect(refused.json["code"]?.stringValue == "card_fields_unavailable")
        }
        #expect(failures.value == OfferedCardFields.maximumAsks)
        await opened.counter.close()
    }

    @Test("where banks must be asked, the key tells for which amount")
    func verified() async throws {
        let fields = ProviderCardFields(sources: FieldsModule.sources, verifiesCards: true) { _ in
            .clientToken(Secret("token"))
        }
        let opened = try await opened([FieldsModule(fields)])
        let key = try await opened.fields().json
        #expect(key["three_d_secure"]?["amount"]?.stringValue == "12.50")
        await opened.counter.close()
        let other = try await self.opened([module { .clientToken(Secret("token")) }])
        let plain = try await other.fields().json
        #expect(plain["client_token"]?.stringValue == "token" && plain["three_d_secure"] == nil)
        await other.counter.close()
    }

    @Test("an app gets the key for the provider's SDK, with its session only")
    func app() async throws {
        var opened = try await opened([module { .publishable("pk_test_1") }], "app_session")
        let key = try await opened.ask("GET", "/app/card_fields", headers: ["X-Till-Session": opened.session])
        #expect(key.status == .ok && key.json["publishable_key"]?.stringValue == "pk_test_1")
        #expect(try await opened.ask("GET", "/app/card_fields").status == .notFound)
        // An app's session draws nothing in a frame.
        #expect(try await opened.fields().status == .notFound)
        await opened.counter.close()
        opened = try await self.opened([], "app_session")
        let none = try await opened.ask("GET", "/app/card_fields", headers: ["X-Till-Session": opened.session])
        #expect(none.status == .conflict && none.json["code"]?.stringValue == "no_card_fields")
        await opened.counter.close()
    }
}
