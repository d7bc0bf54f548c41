import Crypto
import HTTPTypes
import TillCore
import TillStandInServing

/// The shop's webhooks: registered, queued, delivered once without a retry, and disabled after failures.
actor ShopWebhooks {
    static let maximumWebhooks = 100
    /// The maximum number of queued deliveries; later ones are lost.
    static let maximumPending = 10_000
    /// The maximum number of deliveries kept for `GET /_sandbox/webhooks`; the oldest are dropped first.
    static let maximumKept = 1_000
    /// A webhook is disabled by a failure after more failures in a row than this: by the seventh.
    static let toleratedFailures = 5
    static let timeout = Span.seconds(60)

    private struct Pending: Hashable {
        var webhook: Int64
        var order: Int64
    }

    struct Delivery: Sendable {
        var webhook: Int64
        var order: Int64
        var url: String
        var head: [(name: String, value: String)]
        var body: [UInt8]
        /// The status of the answer; `nil` without one.
        var status: Int?
    }

    private let clock: any TillClock
    private let transport: (any HTTPTransport)?
    private(set) var webhooks: [Int64: ShopWebhook] = [:]
    private(set) var kept: [Delivery] = []
    private var pending: [Pending] = []
    private var isScheduled = false
    private var period = Span.milliseconds(200)
    private var lastID: Int64 = 0
    private var (lost, doubled) = (0, 0)
    private var home = ""
    private var document: (@Sendable (Int64) async -> JSONValue?)?

    init(clock: any TillClock, transport: (any HTTPTransport)?) {
        self.clock = clock
        self.transport = transport
    }

    /// Sets the shop's address and the source of its documents.
    func serve(home: String, document: @escaping @Sendable (Int64) async -> JSONValue?) {
        self.home = home
        self.document = document
    }

    // MARK: The interface

    func create(_ body: ShopBody) async throws(ShopRefusal) -> ShopWebhook {
        guard webhooks.count < ShopWebhooks.maximumWebhooks else { throw .init(.full("webhooks")) }
        guard let topic = try body.text("topic") else { throw .init(.missing("topic")) }
        guard let url = try body.text("delivery_url") else { throw .init(.missing("delivery_url")) }
        lastID += 1
        let now = clock.now()
        var webhook = ShopWebhook(
            id: lastID, name: "Webhook \(lastID)", topic: topic, url: url, secret: Secret(""), created: now,
            modified: now)
        try ShopWebhooks.apply(body, to: &webhook)
        webhooks[webhook.id] = webhook
        if webhook.status == .active { Task { [webhook] in await ping(webhook) } }
        return webhook
    }

    func get(_ id: Int64) throws(ShopRefusal) -> ShopWebhook {
        guard let webhook = webhooks[id] else { throw .init(.unknown("shop_webhook")) }
        return webhook
    }

    func update(_ id: Int64, _ body: ShopBody) throws(ShopRefusal) -> ShopWebhook {
        guard var webhook = webhooks[id] else { throw .init(.unknown("shop_webhook", status: 400)) }
        try ShopWebhooks.apply(body, to: &webhook)
        if webhook.status == .active { webhook.failures = 0 }
        webhook.modified = clock.now()
        webhooks[id] = webhook
        return webhook
    }

    func delete(_ id: Int64) throws(ShopRefusal) -> ShopWebhook {
        let webhook = try get(id)
        webhooks[id] = nil
        return webhook
    }

    private static func apply(_ body: ShopBody, to webhook: inout ShopWebhook) throws(ShopRefusal) {
        if let name = try body.text("name") { webhook.name = name }
        if let text = try body.text("status") {
            guard let status = ShopWebhook.Status(rawValue: text) else {
                throw .init(.invalid("status", "status is not one of active, paused, disabled."))
            }
            webhook.status = status
        }
        if let topic = try body.text("topic") { webhook.topic = topic }
        guard ShopWebhook.topics.contains(webhook.topic) else {
            throw .init(
                .error(
                    400, "woocommerce_rest_shop_webhook_invalid_topic",
                    "Webhook topic must be valid. The sandbox has those of orders."))
        }
        if let url = try body.text("delivery_url") { webhook.url = url }
        guard Loopback.isURL(webhook.url) else {
            throw .init(
                .error(
                    400, "woocommerce_rest_shop_webhook_invalid_delivery_url",
                    "The sandbox delivers on this machine only: http://127.0.0.1."))
        }
        if let secret = try body.text("secret") { webhook.secret = Secret(secret) }
    }

    // MARK: Delivery

    /// Queues the deliveries of an event; changes of an order until they are sent are one delivery.
    func happened(_ event: ShopEvent, _ order: Int64) {
        for webhook in webhooks.values where webhook.status == .active && webhook.topic == "order.\(event.rawValue)" {
            let entry = Pending(webhook: webhook.id, order: order)
            guard !pending.contains(entry), pending.count < ShopWebhooks.maximumPending else { continue }
            pending.append(entry)
        }
        guard !pending.isEmpty, !isScheduled else { return }
        isScheduled = true
        let (clock, period) = (clock, period)
        Task {
            await clock.pause(for: period)
            await flush()
        }
    }

    /// Changes how deliveries behave: `period_ms`, and the number of next ones that are lost or sent twice.
    func control(_ json: JSONValue) {
        if let span = json["period_ms"]?.int64Value { period = .milliseconds(min(max(span, 0), 600_000)) }
        if let count = json["lose"]?.int64Value { lost = Int(clamping: min(max(count, 0), 10_000)) }
        if let count = json["double"]?.int64Value { doubled = Int(clamping: min(max(count, 0), 10_000)) }
    }

    /// Sends a kept delivery again, byte for byte. Returns `false` if there is none at this place.
    func replay(_ index: Int64) async -> Bool {
        guard let index = Int(exactly: index), kept.indices.contains(index) else { return false }
        _ = await send(kept[index])
        return true
    }

    private func flush() async {
        isScheduled = false
        let entries = pending
        pending = []
        for entry in entries {
            guard let webhook = webhooks[entry.webhook], webhook.status == .active else { continue }
            if lost > 0 {
                lost -= 1
                continue
            }
            guard let delivery = await delivery(webhook, entry.order) else { continue }
            let isDoubled = doubled > 0
            if isDoubled { doubled -= 1 }
            for _ in 0..<(isDoubled ? 2 : 1) { await deliver(delivery) }
        }
    }

    /// Returns a delivery with the order as it is now; a deleted order is its id alone.
    private func delivery(_ webhook: ShopWebhook, _ order: Int64) async -> Delivery? {
        let content: JSONValue? =
            webhook.event == ShopEvent.deleted.rawValue
            ? .members(["id": .number(String(order))]) : await document?(order)
        guard let body = content?.bytes() else { return nil }
        // The shop makes this from the webhook and the second, so that two in one second have the same.
        let second = clock.now().milliseconds / 1000
        let id = Hex.lowercase(Insecure.MD5.hash(data: Array("\(webhook.id)\(second)".utf8)))
        return Delivery(
            webhook: webhook.id, order: order, url: webhook.url,
            head: [
                ("X-WC-Webhook-Source", home + "/"), ("X-WC-Webhook-Topic", webhook.topic),
                ("X-WC-Webhook-Resource", webhook.resource), ("X-WC-Webhook-Event", webhook.event),
                ("X-WC-Webhook-Signature", webhook.signature(of: body)), ("X-WC-Webhook-ID", String(webhook.id)),
                ("X-WC-Webhook-Delivery-ID", id),
            ], body: body)
    }

    private func deliver(_ delivery: Delivery) async {
        var delivery = delivery
        delivery.status = await send(delivery)
        kept.append(delivery)
        if kept.count > ShopWebhooks.maximumKept { kept.removeFirst() }
        guard var webhook = webhooks[delivery.webhook] else { return }
        if let status = delivery.status, (200...302).contains(status) {
            webhook.failures = 0
        } else {
            if webhook.failures > ShopWebhooks.toleratedFailures { webhook.status = .disabled }
            webhook.failures += 1
        }
        webhooks[delivery.webhook] = webhook
    }

    /// Makes the one attempt. Returns the status of the answer; `nil` without one.
    private func send(_ delivery: Delivery) async -> Int? {
        guard let transport, var request = HTTPRequest(posting: "application/json", to: delivery.url) else {
            return nil
        }
        for field in delivery.head {
            if let name = HTTPField.Name(field.name) { request.headerFields[name] = field.value }
        }
        return try? await transport.send(request, body: delivery.body, deadline: ShopWebhooks.timeout).response.status
            .code
    }

    /// Announces a new webhook: a form without a signature.
    private func ping(_ webhook: ShopWebhook) async {
        guard let transport, let request = HTTPRequest(posting: "application/x-www-form-urlencoded", to: webhook.url)
        else { return }
        _ = try? await transport.send(
            request, body: Array("webhook_id=\(webhook.id)".utf8), deadline: ShopWebhooks.timeout)
    }

    /// The deliveries, for `GET /_sandbox/webhooks`.
    var log: JSONValue {
        .array(
            kept.map { delivery in
                .members([
                    "webhook": .number(String(delivery.webhook)), "order": .number(String(delivery.order)),
                    "status": delivery.status.map { .number(String($0)) } ?? .null,
                    "body": .string(String(decoding: delivery.body, as: UTF8.self)),
                    "head": .object(delivery.head.map { JSONMember(key: $0.name, value: .string($0.value)) }),
                ])
            })
    }
}
