import Foundation
public import HTTPTypes
import Hummingbird
import Logging
import TillAdyen
import TillCards
public import TillCore

/// A stand-in for Adyen's Checkout interface, over loopback or without a network at all, that tells outcomes by signed
/// webhooks as Adyen does. For this machine only; it moves no real money.
///
/// Beyond Adyen's paths there are `GET /_sandbox/ledger`, the truth in minor units, and `POST /_sandbox/faults` as with
/// the other stand-ins.
public struct SandboxAdyen: HTTPTransport {
    /// Where webhooks go.
    public struct Webhook: Sendable {
        /// `http://127.0.0.1:8080/webhooks/adyen`
        public var url: String
        /// The key, as hexadecimal digits.
        public var key: Secret<String>
        /// How often each is delivered, 1 to 10.
        public var copies: Int
        /// How long after the answer.
        public var delay: Span

        /// A receiver.
        public init(url: String, key: Secret<String>, copies: Int = 1, delay: Span = .milliseconds(0)) {
            self.url = url
            self.key = key
            self.copies = max(1, min(10, copies))
            self.delay = delay
        }
    }

    /// How often a webhook that is not taken is sent again.
    static let maximumTries = 20

    /// What goes wrong.
    public let faults: SandboxFaults
    private let books = AdyenBooks()
    private let clock: any TillClock
    private let stall: Span
    private let webhook: Webhook?
    private let outgoing: (any HTTPTransport)?

    /// Makes one with empty books.
    /// - Parameters:
    ///   - stall: how long a request that "times out" is held before it gets a 504.
    ///   - outgoing: what carries webhooks.
    public init(
        clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(), stall: Span = .milliseconds(0),
        webhook: Webhook? = nil, outgoing: (any HTTPTransport)? = nil
    ) {
        self.faults = faults
        self.clock = clock
        self.stall = stall
        self.webhook = webhook
        self.outgoing = outgoing
    }

    /// Serves on 127.0.0.1 until the task is cancelled or the process is told to end.
    public func run(port: Int, onReady: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        var logger = Logger(label: "sandbox")
        logger.logLevel = .warning
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            var request = request
            guard let body = try? await request.collectBody(upTo: 1 << 20) else {
                return Response(status: .contentTooLarge)
            }
            let answer = await answer(
                request.method.rawValue, request.uri.path, request.headers, Array(body.readableBytesView))
            return Response(
                status: .init(code: answer.status), headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
        let application = Application(
            responder: responder,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) }, logger: logger)
        try await application.runService()
    }

    /// Hands the request to the stand-in without a network.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let answer = await answer(request.method.rawValue, request.path ?? "/", request.headerFields, body)
        if answer.status == 504 { throw .unknown(reason: "no answer in time") }
        var response = HTTPResponse(status: .init(code: answer.status))
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: answer.body)
    }

    /// The truth in minor units.
    public func ledger() async -> [JSONValue] { await books.ledger().arrayValue ?? [] }

    private typealias Answer = (status: Int, body: [UInt8])

    private func answer(_ method: String, _ path: String, _ fields: HTTPFields, _ body: [UInt8]) async -> Answer {
        func json(_ value: JSONValue, _ status: Int = 200) -> Answer { (status, value.bytes()) }
        let parts = path.split(separator: "?").first?.split(separator: "/").map(String.init) ?? []
        if parts.first == "_sandbox" {
            switch (method, parts.dropFirst().first) {
            case ("GET", "ledger"): return json(.members(["charges": await books.ledger()]))
            case ("POST", "faults"):
                let asked = try? JSONValue(parsing: body)
                guard let operation = asked?["operation"]?.stringValue.flatMap({ SandboxOperation(rawValue: $0) }),
                    let fault = asked?["fault"]?.stringValue.flatMap({ SandboxFault(name: $0) })
                else { return json(.members(["ok": .bool(false)]), 400) }
                faults.fail(operation, with: fault, times: Int(clamping: asked?["times"]?.int64Value ?? 1))
                return json(.members(["ok": .bool(true)]))
            default: return json(.members(["ok": .bool(false)]), 404)
            }
        }
        guard let name = HTTPField.Name("X-API-Key"), fields[name]?.isEmpty == false else {
            return json(AdyenBooks.error(401, "000", "HTTP Status Response - Unauthorized", type: "security").body, 401)
        }
        guard method == "POST", parts.first == AdyenConfig.version, let asked = try? JSONValue(parsing: body) else {
            return json(AdyenBooks.error(404, nil, "Not found").body, 404)
        }
        let key = HTTPField.Name("Idempotency-Key").flatMap { fields[$0] }
        if let key, key.utf8.count > 64 {
            return json(AdyenBooks.error(422, "705", "The idempotency key is too long").body, 422)
        }
        return await faulty(Array(parts.dropFirst()), asked, key)
    }

    private func faulty(_ path: [String], _ body: JSONValue, _ key: String?) async -> Answer {
        let operation: SandboxOperation =
            switch path.last {
            case "captures": .capture
            case "cancels": .void
            case "refunds": .refund
            default: .authorize
            }
        let fault = faults.next(operation, key: key ?? path.joined(), amount: nil, at: clock.now())
        switch fault {
        case .timeoutBeforeCommit:
            try? await clock.sleep(for: stall)
            return (504, [])
        case .conflict: return (422, AdyenBooks.error(422, "704", "request already processed or in progress").body.bytes())
        case .outage, .notSent: return (503, [])
        case .slow(let span): try? await clock.sleep(for: span)
        default: break
        }
        let answer = await books.answer(path, body, key: key)
        if fault == .duplicateDelivery { _ = await books.answer(path, body, key: key) }
        if !answer.notices.isEmpty {
            let merchant = body["merchantAccount"]?.stringValue ?? ""
            Task { await deliver(answer.notices, merchant: merchant) }
        }
        switch fault {
        case .timeoutAfterCommit:
            try? await clock.sleep(for: stall)
            return (504, [])
        case .serverErrorAfterSuccess: return (500, [])
        default: return (answer.status, answer.body.bytes())
        }
    }

    // MARK: Webhooks

    /// A webhook's body, signed.
    static func webhook(_ notices: [AdyenBooks.Notice], merchant: String, at: Timestamp, key: Secret<String>) -> JSONValue? {
        guard let bytes = Hex.decode(key.reveal()) else { return nil }
        var items: [JSONValue] = []
        for notice in notices {
            guard let wire = try? AmountCodec.adyen.wireAmount(notice.amount) else { return nil }
            var members: [JSONMember] = [
                JSONMember(
                    key: "amount",
                    value: .members([
                        "currency": .string(notice.amount.currency.code), "value": .number(String(wire)),
                    ])),
                JSONMember(key: "eventCode", value: .string(notice.event)),
                JSONMember(key: "eventDate", value: .string(at.internetTime)),
                JSONMember(key: "merchantAccountCode", value: .string(merchant)),
                JSONMember(key: "merchantReference", value: .string(notice.ours)),
                JSONMember(key: "paymentMethod", value: .string("visa")),
                JSONMember(key: "pspReference", value: .string(notice.reference)),
                JSONMember(key: "reason", value: .string(notice.reason ?? "")),
                JSONMember(key: "success", value: .string(notice.succeeded ? "true" : "false")),
            ]
            if let original = notice.original {
                members.append(JSONMember(key: "originalReference", value: .string(original)))
            }
            guard let signature = try? AdyenWebhook.signature(of: .object(members), key: bytes) else { return nil }
            members.append(
                JSONMember(key: "additionalData", value: .members(["hmacSignature": .string(signature)])))
            items.append(.members(["NotificationRequestItem": .object(members)]))
        }
        return .members(["live": .string("false"), "notificationItems": .array(items)])
    }

    private func deliver(_ notices: [AdyenBooks.Notice], merchant: String) async {
        guard let webhook, let outgoing,
            let body = SandboxAdyen.webhook(notices, merchant: merchant, at: clock.now(), key: webhook.key),
            let address = URLComponents(string: webhook.url), let host = address.host, let scheme = address.scheme
        else { return }
        if webhook.delay.milliseconds > 0 { try? await clock.sleep(for: webhook.delay) }
        var request = HTTPRequest(
            method: .post, scheme: scheme, authority: address.port.map { "\(host):\($0)" } ?? host,
            path: address.path.isEmpty ? "/" : address.path)
        request.headerFields[.contentType] = "application/json"
        for _ in 0..<webhook.copies {
            // Adyen sends again what was not taken, for days; this one for some seconds.
            for attempt in 0..<SandboxAdyen.maximumTries {
                let reply = try? await outgoing.send(request, body: body.bytes(), deadline: .seconds(10))
                if let status = reply?.response.status.code, (200..<300).contains(status) { break }
                try? await clock.sleep(for: .milliseconds(Int64(100 * (attempt + 1))))
            }
        }
    }
}
