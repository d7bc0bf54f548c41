import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A shop that sells one thing, with nothing of Till but the counter's HTTP interface (docs/integrate/README.md).
///
/// The counter's address is in `TILL_COUNTER` (`http://127.0.0.1:8080` without it), its key in `TILL_API_KEY`. In
/// `SHOP_WEBHOOK_SECRET` is what the counter showed when the endpoint `http://127.0.0.1:3000/till` was added, or what
/// `till listen --forward-to http://127.0.0.1:3000/till` prints. `POST /orders {"card": "pm_card_visa"}` buys.
@main
struct ShopInSwift {
    enum Usage: Error { case environment }

    /// Of a webhook.
    private static let maximumBytes = 20_000

    static func main() async throws {
        let variables = ProcessInfo.processInfo.environment
        guard let key = variables["TILL_API_KEY"], let port = Int(variables["SHOP_PORT"] ?? "3000"),
            let verifier = variables["SHOP_WEBHOOK_SECRET"].flatMap({ WebhookVerifier(secret: $0) })
        else { throw Usage.environment }
        let counter = CounterAPI(address: variables["TILL_COUNTER"] ?? "http://127.0.0.1:8080", key: key)
        let shop = Shop(counter: counter)

        let router = Router()
        router.post("orders") { request, context in
            try await shop.buy(request.decode(as: Purchase.self, context: context))
        }
        router.get("orders/:order") { _, context in try await shop.show(context.parameters.require("order")) }
        router.post("orders/:order/hand_over") { _, context in
            try await shop.handOver(context.parameters.require("order"))
        }
        router.get("shelf") { _, _ in ["left": await shop.left] }
        router.post("till") { request, _ -> HTTPResponse.Status in
            let body = Data(try await request.body.collect(upTo: maximumBytes).readableBytesView)
            guard let id = verifier.identifier(of: body, request.headers, at: Date()) else { return .badRequest }
            try await shop.hear(CounterAPI.decoder.decode(Message.self, from: body), id: id)
            return .noContent
        }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
            .runService()
    }
}

/// What the customer's page sends: the reference that the card fields gave it, and nothing else of the card.
struct Purchase: Decodable { var card: String }
struct Sale: ResponseEncodable { var order, payment, status, message: String }
struct Shown: ResponseEncodable { var order: String, paid: Bool }

/// The shop's orders. In memory: a real shop has them, and the messages that it has seen, in its database.
actor Shop {
    private struct Order {
        var payment: String?
        var isPaid = false
    }

    private static let thing = "Teapot"
    /// €18.50 in minor units, as all amounts are.
    private static let price = 1_850
    private static let currency = "EUR"

    private let counter: CounterAPI
    private var orders: [String: Order] = [:]
    private var seen: Set<String> = []
    private(set) var left = 10

    init(counter: CounterAPI) { self.counter = counter }

    /// Books the order and asks for the money. Whether it is paid is decided by the webhook alone.
    func buy(_ purchase: Purchase) async throws -> Sale {
        guard left > 0 else { throw HTTPError(.conflict, message: "Sold out.") }
        guard purchase.card.wholeMatch(of: /[A-Za-z0-9_-]{1,200}/) != nil else { throw HTTPError(.badRequest) }
        let order = "teapot-\(UUID().uuidString.lowercased().suffix(12))"
        orders[order] = Order()
        let money: [String: any Sendable] = ["order_id": order, "amount": Shop.price, "currency": Shop.currency]
        let lines: [[String: any Sendable]] = [["name": Shop.thing, "amount": Shop.price]]
        let _: OrderState = try await counter.ask(
            "POST", "/v1/orders", money.merging(["lines": lines, "handover": "collection"]) { $1 })
        let payment: Payment = try await counter.ask("POST", "/v1/payments", money, key: order + "-payment")
        // Kept before the card is charged, so that no webhook is about a payment that the shop does not know.
        orders[order]?.payment = payment.id
        let charged: Payment = try await counter.ask(
            "POST", "/v1/payments/\(payment.id)/confirm", ["tender": ["type": "token", "token": purchase.card]],
            key: order + "-card-1")
        return Sale(order: order, payment: payment.id, status: charged.status, message: charged.message)
    }

    func show(_ order: String) throws -> Shown {
        guard let found = orders[order] else { throw HTTPError(.notFound) }
        return Shown(order: order, paid: found.isPaid)
    }

    /// The customer has come for it. The counter refuses what is not paid.
    func handOver(_ order: String) async throws -> OrderState {
        guard orders[order] != nil else { throw HTTPError(.notFound) }
        return try await counter.ask("POST", "/v1/orders/\(order)/fulfil")
    }

    /// Marks an order as paid, once, if the counter says so when it is asked. An answer that is lost is an error, and
    /// the counter sends the message again.
    func hear(_ message: Message, id: String) async throws {
        guard message.type == "payment.captured", let named = message.data.paymentId, !seen.contains(id),
            let order = orders.first(where: { $0.value.payment == named })?.key
        else { return }
        let payment: Payment = try await counter.ask("GET", "/v1/payments/\(named)")
        let isPaid = payment.currency == Shop.currency && payment.captured >= Shop.price
        guard isPaid, payment.orderId == order else { return }
        // The same message may have come again while the counter was asked.
        guard seen.insert(id).inserted, orders[order]?.isPaid == false else { return }
        orders[order]?.isPaid = true
        left -= 1
    }
}

/// Verifies messages as Standard Webhooks 1.0.0 has it.
struct WebhookVerifier: Sendable {
    /// The age at which a message is a replay, in seconds.
    private static let tolerance: TimeInterval = 300
    private let key: SymmetricKey

    /// Reads `whsec_` and base64; `nil` for any other text.
    init?(secret: String) {
        guard secret.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(secret.dropFirst(6))),
            (24...64).contains(bytes.count)
        else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Returns the identifier of a genuine message, of the bytes as they came; `nil` for one that is forged or old.
    func identifier(of body: Data, _ fields: HTTPFields, at now: Date) -> String? {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
        guard let id = field("webhook-id"), let time = field("webhook-timestamp"), let seconds = Int64(time),
            let signatures = field("webhook-signature"),
            abs(now.timeIntervalSince1970 - TimeInterval(seconds)) <= WebhookVerifier.tolerance
        else { return nil }
        let signed = Data("\(id).\(time).".utf8) + body
        // Several while a secret is being exchanged.
        let isGenuine = signatures.split(separator: " ").contains { signature in
            guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
        }
        return isGenuine ? id : nil
    }
}

/// Requests to the counter.
struct CounterAPI: Sendable {
    /// For one request: the counter waits ten for the answer to a webhook.
    private static let seconds: TimeInterval = 8
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    let address: String
    let key: String

    /// Sends a request. Under the same key it is carried out once, however often it is sent.
    /// - Throws: 409 with the counter's own words for a refusal, 503 for an answer that is lost.
    func ask<Answer: Decodable & Sendable>(
        _ method: String, _ path: String, _ body: [String: any Sendable]? = nil, key idempotencyKey: String? = nil
    ) async throws -> Answer {
        guard let url = URL(string: address + path) else { throw HTTPError(.internalServerError) }
        var request = URLRequest(url: url, timeoutInterval: CounterAPI.seconds)
        request.httpMethod = method
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        if let idempotencyKey { request.setValue(idempotencyKey, forHTTPHeaderField: "Idempotency-Key") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
        }
        guard let (data, response) = try? await URLSession.shared.data(for: request),
            let status = (response as? HTTPURLResponse)?.statusCode, status < 500
        else { throw HTTPError(.serviceUnavailable, message: "No answer. If the order is paid, the webhook says so.") }
        guard (200..<300).contains(status) else {
            let problem = try? CounterAPI.decoder.decode(Problem.self, from: data)
            throw HTTPError(.conflict, message: problem.map { "\($0.detail) \($0.next)" } ?? "Refused: \(status).")
        }
        return try CounterAPI.decoder.decode(Answer.self, from: data)
    }
}

struct Payment: Decodable { var id, orderId, currency, status, message: String, captured: Int }
struct OrderState: Decodable, ResponseEncodable { var state: String }
struct Problem: Decodable { var detail, next: String }
/// A webhook: a hint, after which the payment is read.
struct Message: Decodable {
    struct Subject: Decodable { var paymentId: String? }
    var type: String, data: Subject
}
