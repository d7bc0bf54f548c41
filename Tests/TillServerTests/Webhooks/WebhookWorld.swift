import Foundation
import Logging
import Synchronization
import Testing
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureWebhooks
import TillJournal
import TillTestSupport

/// A shop's program as a counter meets it: keeps what comes, and answers what a test says.
final class WebhookReceiver: WebhookTransport {
    struct Message: Hashable, Sendable {
        var url: String
        var id: String
        var timestamp: Int64
        var signatures: [String]
        var body: String

        var json: JSONValue { (try? JSONValue(parsing: Array(body.utf8))) ?? .null }
        var type: String? { json["type"]?.stringValue }
        var payment: String? { json["data"]?["payment_id"]?.stringValue }
    }

    typealias Answer = @Sendable (Message) -> Result<WebhookAnswer, WebhookFailure>

    private struct State {
        var messages: [Message] = []
        var answer: Answer = { _ in .success(WebhookAnswer(status: 204)) }
    }

    private let state = Mutex(State())

    var messages: [Message] { state.withLock { $0.messages } }

    /// Answers like this from now on.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
    func answer(status: Int, retryAfter: String? = nil) {
        answer { _ in .success(WebhookAnswer(status: status, retryAfter: retryAfter, body: Array("no".utf8))) }
    }

    func post(
        _ body: [UInt8], to url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> WebhookAnswer {
        let values = fields.reduce(into: [:]) { $0[$1.name] = $1.value }
        let message = Message(
            url: url.text, id: values["webhook-id"] ?? "", timestamp: Int64(values["webhook-timestamp"] ?? "") ?? 0,
            signatures: (values["webhook-signature"] ?? "").split(separator: " ").map(String.init),
            body: String(decoding: body, as: UTF8.self))
        let answer = state.withLock { state in
            state.messages.append(message)
            return state.answer
        }
        return try answer(message).get()
    }
}

/// Processes on one journal in memory, and the program that they tell of payments.
final class WebhookWorld: Sendable {
    /// One process.
    struct Counter: Sendable {
        let journal: MemoryJournal
        let checkout: Checkout
        let endpoints: WebhookEndpoints
        let service: WebhookService

        /// Makes a payment.
        func create(_ order: String, of account: AccountID = .main) async throws -> PaymentID {
            let order = try Order(id: OrderID(rawValue: order), amount: Money(minorUnits: 1_250, currency: .eur))
            return try await checkout.create(
                checkout.draft(account: account, order: order, captureMode: .automatic)
            ).id
        }

        /// Takes cash for it.
        func pay(_ id: PaymentID) async throws {
            _ = try await checkout.confirm(
                id, account: .main, provider: .cash, tender: .cash(tendered: Money(minorUnits: 1_250, currency: .eur)))
        }

        func endpoint(
            _ types: [String]? = nil, key: String = "k"
        ) async throws -> (endpoint: WebhookEndpoint, secret: WebhookSecret) {
            try await endpoints.create(
                account: .main, url: "https://shop.example/till", types: types, allowsPrivate: false, key: key)
        }

        func state(_ id: WebhookEndpointID) async throws -> WebhookEndpoint {
            try await endpoints.endpoint(id, of: .main)
        }

        func messages(_ id: WebhookEndpointID) async throws -> [WebhookMessage] {
            try await endpoints.deliveries(id, of: .main, limit: 100)
        }
    }

    let clock = ManualClock()
    let receiver = WebhookReceiver()
    private let storage = MemoryJournal.Storage()
    private let folder = FileManager.default.temporaryDirectory.path + "/till-webhooks-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Starts a process.
    /// - Parameter pepper: The name of its pepper: processes of one journal have the same.
    func start(transport: (any WebhookTransport)? = nil, pepper: String = "journal") -> Counter {
        let journal = MemoryJournal(storage: storage, clock: clock)
        let endpoints = WebhookEndpoints(
            journal, pepper: Pepper(besideJournal: folder + "/" + pepper), clock: clock, mode: .test,
            reachesInside: { _ in true })
        var logger = Logger(label: "webhooks")
        logger.logLevel = .critical
        return Counter(
            journal: journal, checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock),
            endpoints: endpoints,
            service: WebhookService(
                endpoints, transport: transport ?? receiver, schedule: WebhookSchedule { _ in 0 }, logger: logger))
    }
}
