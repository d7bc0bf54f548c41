import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillAdyen
import TillBooks
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
@testable import TillFeatureTap
import TillJournal
import TillJournalSQLite

@testable import TillServer
import TillStatements
@testable import TillWeb
import TillProvider

/// A counter with everything that can be mounted into one, asked without a socket, so that an address can have any
/// form at all.
struct RoutedCounter {
    private(set) var responder: CounterResponder
    private let forPublic: CounterResponder
    /// What the responder was built from, made a second time.
    let router: CounterRouter
    private let counter: Counter
    private let applePay: ApplePayMount
    private let folder: String
    private let server: CounterServer
    private let authenticator: RequestAuthenticator

    var journal: any CounterStore { counter.journal }

    /// - Parameters:
    ///   - account: the one that it runs for, whose key is `key`.
    ///   - other: whose key is `other`.
    ///   - hardware: accounts that may use its readers, too.
    ///   - privateShops: whether shops in its own network are connected over HTTP.
    ///   - modules: the configured providers.
    ///   - providers: those that the payments are made with instead of the counter's own, the default one first.
    ///   - shop: makes its Apple Pay; by default the sandbox's shop.
    init(
        orderScope: OrderScope? = nil, account: AccountID = .main, other: AccountID = AccountID(rawValue: "other"),
        hardware: Set<AccountID> = [], privateShops: Bool = false, modules: [any ProviderModule] = [],
        providers: [any PaymentServiceProvider] = [], shop: ((Counter) throws -> ApplePayWeb)? = nil
    ) async throws {
        folder = NSTemporaryDirectory() + "till-routes-\(UUID().uuidString)"
        let path = folder + "/journal.sqlite"
        var setup = CounterOptions(journal: path)
        setup.account = account
        let counter = try await Counter.open(setup, journal: SQLiteJournal.open(at: path))
        let mount: ApplePayMount
        if let shop {
            mount = ApplePayMount(try shop(counter))
        } else {
            mount = ApplePayMount(shop: {
                try .sandbox(checkout: counter.checkout, journal: counter.journal, account: account)
            })
        }
        var options = ServerOptions()
        options.orderScope = orderScope
        if let provider = providers.first { options.defaultProvider = provider.name }
        options.account = account
        options.hardwareAccounts = hardware
        options.connectsPrivateShops = privateShops
        // SHA-256 of "key" and of "other".
        options.keys = [
            "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683": account,
            "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa": other,
        ]
        options.statementForms = StatementForm.all(of: [AdyenModule.self])
        let checkout =
            providers.isEmpty
            ? counter.checkout : Checkout(journal: counter.journal, providers: providers, clock: counter.clock)
        let server = CounterServer(
            journal: counter.journal, checkout: checkout, options: options, applePay: mount,
            modules: modules, offline: counter.offline, tap: VirtualTapService(clock: counter.clock, account: account))
        let authenticator = server.authenticator()
        responder = server.responder(authenticator)
        forPublic = server.responders(authenticator)(RouteAudience.ofThePublic)
        router = CounterRouter(authenticator: authenticator, options: options)
        server.register(on: router, authenticator, ServerMetrics())
        (self.counter, applePay) = (counter, mount)
        (self.server, self.authenticator) = (server, authenticator)
    }

    /// What a process that was started anew on the same journal answers with: nothing is remembered.
    mutating func forget() { responder = server.responder(authenticator) }

    func close() async {
        await applePay.opened?.shutdown()
        await counter.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Asks as the counter's own shop, or as a stranger.
    func ask(
        _ method: String, _ path: String, isStranger: Bool = false, headers more: [String: String] = [:],
        ofThePublic: Bool = false, _ body: String = ""
    ) async throws -> Response {
        var headers = HTTPFields()
        if !isStranger { headers[.authorization] = "Bearer key" }
        for (name, value) in more { headers[HTTPField.Name.literal(name)] = value }
        if !body.isEmpty { headers[.contentType] = "application/json" }
        let head = HTTPRequest(
            method: HTTPRequest.Method(method) ?? .get, scheme: "http", authority: "localhost:8080", path: path,
            headerFields: headers)
        return await (ofThePublic ? forPublic : responder).respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body))))
    }

    /// The document of an answer; `null` if it is none.
    static func document(_ response: Response) async throws -> JSONValue {
        (try? JSONValue(parsing: try await bytes(response))) ?? .null
    }

    static func text(_ response: Response) async throws -> String {
        String(decoding: try await bytes(response), as: UTF8.self)
    }

    static func bytes(_ response: Response) async throws -> [UInt8] {
        let collector = Collector()
        try await response.body.write(collector)
        return await collector.store.bytes
    }
}

/// Keeps what a body writes.
private struct Collector: ResponseBodyWriter {
    actor Store {
        var bytes: [UInt8] = []
        func add(_ more: [UInt8]) { bytes += more }
    }

    let store = Store()

    mutating func write(_ buffer: ByteBuffer) async throws { await store.add(Array(buffer.readableBytesView)) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
