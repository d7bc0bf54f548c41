import Crypto
import Foundation
public import HTTPTypes
import Hummingbird
public import TillCore
import TillHTTP
public import TillSandbox
import TillStandInServing

/// A stand-in for Adyen: payments, captures, cancels, refunds, signed webhooks, a terminal, and sessions for phones;
/// over loopback or without a network. For this machine only; it moves no real money.
///
/// Beyond Adyen's paths it serves `GET /_sandbox/ledger`, the true state in minor units; `POST /_sandbox/webhooks
/// {"url":…,"hmac_key":…}`, which sets the webhook endpoint; `POST /_sandbox/aftersale {"reference":…,"do":"dispute"}`,
/// changes after the sale; `POST /_sandbox/sessions {"id":…,"data":…,"do":"pay"}`, what a customer's browser does;
/// `POST /_sandbox/statements {"do":"batch"}`, settlement reports; `GET /_sandbox/events`, undelivered events; and
/// `POST /_sandbox/faults` as in the other stand-ins.
public struct SandboxAdyen: HTTPTransport {
    public let faults: SandboxFaults
    private let account = AdyenLedger()
    /// The simulated terminal.
    public let terminal: AdyenTerminalStandIn
    private let clock: any TillClock
    private let stall: Span
    private let listener = Listener()

    /// Creates a stand-in with an empty ledger.
    /// - Parameters:
    ///   - stall: the time that a request which "times out" is held before its 504.
    ///   - terminalKey: the terminal's encryption key; `nil` disables encryption.
    public init(
        clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(), stall: Span = .milliseconds(0),
        terminalKey: AdyenTerminalStandInKey? = nil
    ) {
        self.faults = faults
        self.clock = clock
        self.stall = stall
        terminal = AdyenTerminalStandIn(key: terminalKey)
    }

    private actor Listener {
        var url: String?
        var key: Secret<[UInt8]>?
        func set(_ url: String, _ key: Secret<[UInt8]>?) { (self.url, self.key) = (url, key) }
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    public func run(port: Int, onReady: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let wire = HTTPClientTransport()
        try await LoopbackServer.run(port: port, wire: wire, onReady: onReady) { request in
            var request = request
            guard let body = await request.collectBody(ifWithin: 1 << 20) else {
                return Response(status: .contentTooLarge)
            }
            func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
            let answer = await answer(
                request.method.rawValue, request.uri.string, field("X-API-Key"), field("Idempotency-Key"),
                Array(body.readableBytesView), authorization: request.headers[.authorization])
            Task { await tell(over: wire) }
            return Response(
                status: .init(code: answer.status),
                headers: [.contentType: request.uri.path.hasPrefix("/reports/") ? "text/csv" : "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
    }

    /// Passes a request to the stand-in without a network.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headerFields[$0] } }
        let answer = await answer(
            request.method.rawValue, request.path ?? "/", field("X-API-Key"), field("Idempotency-Key"), body,
            authorization: request.headerFields[.authorization])
        if answer.status == 504 { throw .unknown(reason: "no answer in time") }
        var response = HTTPResponse(status: .init(code: answer.status))
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: answer.body)
    }

    /// The true state of all payments, in minor units.
    public func ledger() async -> [JSONValue] { await account.ledger().arrayValue ?? [] }

    /// Applies a change after the sale: an action of `POST /_sandbox/aftersale`. Returns `false` if it is not possible.
    public func play(_ word: String, on reference: ProviderReference, amount: Int64? = nil) async -> Bool {
        var asked: [(String, JSONValue)] = [("reference", .string(reference.rawValue)), ("do", .string(word))]
        if let amount { asked.append(("amount", .number("\(amount)"))) }
        return await account.play(SandboxJSON.object(asked))
    }

    /// Does what a customer's browser does with a session: an action of `POST /_sandbox/sessions`.
    /// - Returns: Adyen's `resultCode` and `sessionResult`; `nil` if it is not possible.
    public func browse(
        _ word: String, _ id: String, _ data: String, card: String? = nil, webhook: String? = nil
    ) async -> (code: String, result: String)? {
        var asked: [(String, JSONValue)] = [("id", .string(id)), ("data", .string(data)), ("do", .string(word))]
        if let card { asked.append(("card", .string(card))) }
        if let webhook { asked.append(("webhook", .string(webhook))) }
        guard let told = await account.browse(SandboxJSON.object(asked), at: clock.now()),
            let result = told["sessionResult"]?.stringValue
        else { return nil }
        return (told["resultCode"]?.stringValue ?? "", result)
    }

    /// Delivers the events that a browser's action kept back.
    public func deliverDelayed() async -> Bool { await account.deliverDelayed() }

    /// Removes and returns the undelivered webhooks, each a body with one signed item.
    public func webhooks(key: Secret<[UInt8]>) async -> [JSONValue] {
        await account.takeReported().map { SandboxAdyen.webhook($0, key) }
    }

    private static func webhook(_ item: JSONValue, _ key: Secret<[UInt8]>?) -> JSONValue {
        guard case .object(var members) = item else { return item }
        if let key {
            let more = item["additionalData"]?.objectValue ?? []
            members.removeAll { $0.key == "additionalData" }
            let signature = JSONMember(key: "hmacSignature", value: .string(SandboxAdyen.signature(item, key)))
            members.append(JSONMember(key: "additionalData", value: .object(more + [signature])))
        }
        return SandboxJSON.object([
            ("live", .string("false")),
            ("notificationItems", .array([SandboxJSON.object([("NotificationRequestItem", .object(members))])])),
        ])
    }

    /// Computes the signature of an item over eight values separated by colons; a missing value is empty.
    private static func signature(_ item: JSONValue, _ key: Secret<[UInt8]>) -> String {
        var signed = ""
        for path in [
            ["pspReference"], ["originalReference"], ["merchantAccountCode"], ["merchantReference"],
            ["amount", "value"], ["amount", "currency"], ["eventCode"], ["success"],
        ] {
            let value = path.reduce(item as JSONValue?) { $0?[$1] }
            let text =
                switch value {
                case .string(let text), .number(let text): text
                default: ""
                }
            signed += signed.isEmpty ? text : ":" + text
        }
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: SymmetricKey(data: key.reveal()))
        return Data(code).base64EncodedString()
    }

    private func tell(over wire: HTTPClientTransport) async {
        guard let url = await listener.url, let request = HTTPRequest(posting: "application/json", to: url) else {
            return
        }
        let key = await listener.key
        for item in await account.takeReported() {
            _ = try? await wire.send(request, body: SandboxAdyen.webhook(item, key).bytes(), deadline: .seconds(5))
        }
    }

    private typealias Answer = (status: Int, body: [UInt8])

    /// Returns the result in the query of an address.
    private static func result(in path: String) -> String? {
        path.split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&")
            .first { $0.hasPrefix("sessionResult=") }
            .flatMap { String($0.dropFirst("sessionResult=".count)).removingPercentEncoding }
    }

    private func answer(
        _ method: String, _ path: String, _ apiKey: String?, _ key: String?, _ body: [UInt8], authorization: String?
    ) async -> Answer {
        let parts = path.split(separator: "?").first?.split(separator: "/").map { String($0) } ?? []
        let document = JSONValue(ifValid: body) ?? .null
        func json(_ value: JSONValue, _ status: Int = 200) -> Answer { (status, value.bytes()) }
        if parts.first == "_sandbox" { return await control(method, parts.dropFirst().first ?? "", document) }
        if parts == ["nexo"] {
            switch await terminal.answer(body) {
            case .message(let answer): return (200, answer)
            case .unreadable: return (400, [])
            case .lost:
                await clock.pause(for: stall)
                return (504, [])
            }
        }
        if method == "GET", parts.prefix(3) == ["reports", "download", "MerchantAccount"], parts.count == 5 {
            let report = await account.report(parts[4], authorization: authorization)
            return (report.status, Array(report.text.utf8))
        }
        guard let apiKey, !apiKey.isEmpty else {
            let refused = AdyenLedger.error(401, "000", "HTTP Status Response - Unauthorized")
            return json(refused.body, refused.status)
        }
        if method == "POST", parts.suffix(3).first == "possdk", parts.last == "sessions" {
            return json(
                SandboxJSON.object([
                    ("id", .string("till-session")), ("installationId", .string("till-installation")),
                    ("merchantAccount", document["merchantAccount"] ?? .null), ("sdkData", .string("c2Vzc2lvbg==")),
                ]), 201)
        }
        if method == "GET", let version = parts.firstIndex(where: { $0.first == "v" && Int($0.dropFirst()) != nil }),
            parts.dropFirst(version + 1).first == "sessions", parts.count == version + 3
        {
            let status = await account.status(of: parts[version + 2], result: SandboxAdyen.result(in: path))
            return json(status.body, status.status)
        }
        guard method == "POST", let version = parts.firstIndex(where: { $0.first == "v" && Int($0.dropFirst()) != nil })
        else { return json(AdyenLedger.error(404, "404", "Not found").body, 404) }
        return await faulty(Array(parts[(version + 1)...]), key, document)
    }

    private func control(_ method: String, _ name: String, _ asked: JSONValue) async -> Answer {
        func json(_ members: [(String, JSONValue)], _ status: Int = 200) -> Answer {
            (status, SandboxJSON.object(members).bytes())
        }
        switch (method, name) {
        case ("GET", "ledger"): return json([("charges", await account.ledger())])
        case ("GET", "events"): return json([("events", .array(await account.notifications))])
        case ("POST", "webhooks"):
            guard let url = asked["url"]?.stringValue, Loopback.isURL(url) else {
                return json([("ok", .bool(false))], 400)
            }
            let key = asked["hmac_key"]?.stringValue.flatMap { Hex.decode($0) }.map { Secret(Array($0)) }
            await listener.set(url, key)
            return json([("ok", .bool(true))])
        case ("POST", "aftersale"):
            let isDone = await account.play(asked)
            return json([("ok", .bool(isDone))], isDone ? 200 : 400)
        case ("POST", "sessions"):
            guard let told = await account.browse(asked, at: clock.now()) else {
                return json([("ok", .bool(false))], 400)
            }
            return (200, told.bytes())
        case ("POST", "statements"):
            let isDone = await account.playStatement(asked, at: clock.now())
            return json([("ok", .bool(isDone))], isDone ? 200 : 400)
        case ("POST", "faults"):
            guard let operation = asked["operation"]?.stringValue.flatMap({ SandboxOperation(rawValue: $0) }),
                let fault = asked["fault"]?.stringValue.flatMap({ SandboxFault(name: $0) })
            else { return json([("ok", .bool(false))], 400) }
            faults.fail(operation, with: fault, times: Int(clamping: asked["times"]?.int64Value ?? 1))
            return json([("ok", .bool(true))])
        default: return json([("ok", .bool(false))], 404)
        }
    }

    private func faulty(_ rest: [String], _ key: String?, _ body: JSONValue) async -> Answer {
        let operation: SandboxOperation =
            switch rest.last ?? "" {
            case "captures": .capture
            case "cancels": .void
            case "refunds": .refund
            default: .authorize
            }
        let fault = faults.next(operation, key: key ?? rest.joined(), amount: nil, at: clock.now())
        switch fault {
        case .timeoutBeforeCommit:
            await clock.pause(for: stall)
            return (504, [])
        case .conflict, .outage, .notSent, .stickyServerError: return (503, [])
        case .slow(let span): await clock.pause(for: span)
        default: break
        }
        let answer = await route(rest, key, body)
        switch fault {
        case .timeoutAfterCommit:
            await clock.pause(for: stall)
            return (504, [])
        case .serverErrorAfterSuccess: return (500, [])
        default: return (answer.status, answer.body.bytes())
        }
    }

    private func route(_ rest: [String], _ key: String?, _ body: JSONValue) async -> AdyenLedger.Answer {
        switch (rest.count, rest.first ?? "") {
        case (1, "payments"): return await account.once(key, body) { $0.pay(body) }
        case (1, "sessions"):
            let now = clock.now()
            return await account.once(key, body) { $0.open(body, at: now) }
        case (1, "cancels"): return await account.once(key, body) { $0.modify("cancels", of: nil, body) }
        case (3, "payments") where ["captures", "refunds", "cancels"].contains(rest[2]):
            return await account.once(key, body) { $0.modify(rest[2], of: rest[1], body) }
        default: return AdyenLedger.error(404, "404", "Not found")
        }
    }
}
