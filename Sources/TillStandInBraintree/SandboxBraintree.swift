import Foundation
public import HTTPTypes
import Hummingbird
public import TillCore
import TillHTTP
public import TillSandbox
import TillStandInServing

/// A stand-in for Braintree: nonces over GraphQL and transactions in the gateway's XML, over loopback or without a
/// network. For this machine only; it moves no real money.
///
/// Beyond Braintree's paths it serves `GET /_sandbox/ledger`, the true state in minor units; `POST /_sandbox/settle`,
/// the nightly settlement; `POST /_sandbox/webhooks` with `{"url":"http://127.0.0.1:8080/webhooks/braintree"}`, which
/// reports settled transactions (without `url` the webhooks are kept for polling at the same path); `POST
/// /_sandbox/faults` as in the other stand-ins; `POST /_sandbox/aftersale` with `{"reference":"…","do":"dispute"}`,
/// changes after the sale; and faults with `{"fault":"lateCommit","seconds":…}`: no response, and the request arrives
/// later. `POST /_sandbox/statements` pays out and plants faults in search results, such as `{"do":"disburse"}`. `POST
/// /_sandbox/verify` has a card's bank ask: `{"nonce":"…","amount":"12.50","answer":"confirm"}`, or `refuse` or
/// `unenrolled`, makes another nonce. Its merchant accounts are `sandbox` (EUR, the default), `sandbox_usd`,
/// `sandbox_gbp` and `sandbox_jpy`.
public struct SandboxBraintree: HTTPTransport {
    public let faults: SandboxFaults
    private let account: BraintreeLedger
    private let clock: any TillClock
    private let stall: Span
    private let notices: BraintreeWebhookSender
    private let late = LateCalls()

    /// Creates a stand-in with an empty ledger.
    /// - Parameter stall: the time that a request which "times out" is held before its 504.
    public init(
        clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(), stall: Span = .milliseconds(0)
    ) {
        self.faults = faults
        self.clock = clock
        self.stall = stall
        account = BraintreeLedger(clock: clock)
        notices = BraintreeWebhookSender(clock: clock)
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    public func run(port: Int, onReady: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let transport = HTTPClientTransport()
        await notices.use(transport)
        try await LoopbackServer.run(port: port, wire: transport, onReady: onReady) { request in
            var request = request
            guard let body = await request.collectBody(ifWithin: 1 << 20) else {
                return Response(status: .contentTooLarge)
            }
            let answer = await answer(
                request.method.rawValue, request.uri.path + (request.uri.query.map { "?\($0)" } ?? ""), request.headers,
                Array(body.readableBytesView))
            return Response(
                status: .init(code: answer.status), headers: [.contentType: answer.type],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
    }

    /// Passes a request to the stand-in without a network.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let answer = await answer(request.method.rawValue, request.path ?? "/", request.headerFields, body)
        if answer.status == 504 { throw .unknown(reason: "no answer in time") }
        var response = HTTPResponse(status: .init(code: answer.status))
        response.headerFields[.contentType] = answer.type
        return HTTPReply(response: response, body: answer.body)
    }

    /// The true state of all transactions, in minor units.
    public func ledger() async -> [JSONValue] { await account.ledger().arrayValue ?? [] }
    /// Runs the nightly settlement: settles everything that was submitted.
    public func settle() async { await notices.tell("transaction_settled", transactions: await account.settleAll()) }

    /// Applies a change after the sale: an action of `POST /_sandbox/aftersale`. Returns `false` if it is not possible.
    public func play(_ word: String, on reference: ProviderReference, amount: Int64? = nil) async -> Bool {
        await play(
            .members([
                "reference": .string(reference.rawValue), "do": .string(word),
                "amount": amount.map { .number(String($0)) },
            ]))
    }

    /// Has the bank ask about a nonce's card, as Braintree's script does; see `POST /_sandbox/verify`.
    /// - Returns: the nonce with the answer; `nil` if there is no such nonce or answer.
    public func verify(_ nonce: String, amount: String, answer: String) async -> String? {
        await account.verify(
            .members(["nonce": .string(nonce), "amount": .string(amount), "answer": .string(answer)]))?["nonce"]?
            .stringValue
    }

    /// Pays out or plants a fault, as `POST /_sandbox/statements` does. Returns `false` if the request is malformed.
    public func statement(_ json: JSONValue) async -> Bool { await account.playStatement(json) }

    private func play(_ json: JSONValue) async -> Bool {
        guard let reports = await account.play(json) else { return false }
        for report in reports { await notices.tell(report.kind, transactions: [report.subject]) }
        return true
    }

    private typealias Answer = (status: Int, type: String, body: [UInt8])

    /// Delays the next call of an operation: it gets no response and arrives only after `span`.
    public func arriveLate(_ operation: SandboxOperation, by span: Span) {
        late.add(operation, span)
    }

    private func answer(_ method: String, _ path: String, _ fields: HTTPFields, _ body: [UInt8]) async -> Answer {
        let authorization = fields[.authorization]
        let (plain, query) = path.firstIndex(of: "?").map { (path[..<$0], path[$0...].dropFirst()) } ?? (path[...], "")
        let parts = plain.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        func json(_ value: JSONValue, _ status: Int = 200) -> Answer { (status, "application/json", value.bytes()) }
        if parts.first == "_sandbox" {
            switch (method, parts.dropFirst().first) {
            case ("GET", "ledger"): return json(.members(["charges": await account.ledger()]))
            case ("POST", "settle"):
                await notices.tell("transaction_settled", transactions: await account.settleAll())
                return json(.members(["ok": .bool(true)]))
            case ("POST", "statements"):
                let done = await account.playStatement(JSONValue(ifValid: body) ?? .null)
                return json(.members(["ok": .bool(done)]), done ? 200 : 400)
            case ("POST", "aftersale"):
                let asked = JSONValue(ifValid: body) ?? .null
                return json(.members(["ok": .bool(await play(asked))]))
            case ("POST", "verify"):
                guard let made = await account.verify(JSONValue(ifValid: body) ?? .null) else {
                    return json(.members(["ok": .bool(false)]), 400)
                }
                return json(made)
            case ("POST", "webhooks"):
                await notices.listen(JSONValue(ifValid: body)?["url"]?.stringValue)
                return json(.members(["ok": .bool(true)]))
            case ("GET", "webhooks"):
                return json(.members(["webhooks": .array(await notices.kept.map { .string($0) })]))
            case ("POST", "faults"):
                let asked = JSONValue(ifValid: body)
                if asked?["fault"]?.stringValue == "lateCommit",
                    let operation = asked?["operation"]?.stringValue.flatMap({ SandboxOperation(rawValue: $0) })
                {
                    arriveLate(operation, by: .seconds(min(max(asked?["seconds"]?.int64Value ?? 2, 0), 60)))
                    return json(.members(["ok": .bool(true)]))
                }
                guard let operation = asked?["operation"]?.stringValue.flatMap({ SandboxOperation(rawValue: $0) }),
                    let fault = asked?["fault"]?.stringValue.flatMap({ SandboxFault(name: $0) })
                else { return json(.members(["ok": .bool(false)]), 400) }
                faults.fail(operation, with: fault, times: Int(clamping: asked?["times"]?.int64Value ?? 1))
                return json(.members(["ok": .bool(true)]))
            default: return json(.members(["ok": .bool(false)]), 404)
            }
        }
        guard let authorization, authorization.hasPrefix("Basic ") || authorization.hasPrefix("Bearer ") else {
            return (401, "text/plain", [])
        }
        await notices.received(authorization)
        if parts == ["graphql"] {
            guard method == "POST", let asked = JSONValue(ifValid: body) else { return (400, "text/plain", []) }
            guard HTTPField.Name("Braintree-Version").flatMap({ fields[$0] }) != nil else {
                return json(await account.unversioned())
            }
            if asked["query"]?.stringValue?.contains("createClientToken") ?? false {
                // A key of an app makes nonces, and no client tokens.
                guard authorization.hasPrefix("Basic ") else { return (403, "text/plain", []) }
                return json(await account.clientToken(asked))
            }
            return json(await account.tokenize(asked))
        }
        guard authorization.hasPrefix("Basic "), parts.count >= 3, parts[0] == "merchants" else {
            return (404, "application/xml", [])
        }
        if method == "GET", parts.count == 4, parts[2] == "payment_method_nonces" {
            return document(await account.findNonce(parts[3]))
        }
        if parts[2] == "transactions" { return await faulty(method, Array(parts.dropFirst(3)), body) }
        let node = BraintreeElement(parsing: body) ?? BraintreeElement("nothing")
        let found: BraintreeLedger.Answer =
            switch (method, parts.dropFirst(2).joined(separator: "/")) {
            case ("POST", "disputes/advanced_search"):
                await account.disputes(node, page: SandboxBraintree.page(query))
            case ("POST", "settlement_batch_summary"): await account.summary(node)
            default: (404, node)
            }
        return document(found)
    }

    /// Returns the number in `page=2`; 1 if absent.
    private static func page(_ query: Substring) -> Int {
        let page = query.split(separator: "&").first { $0.hasPrefix("page=") }.flatMap { Int($0.dropFirst(5)) } ?? 1
        return min(max(page, 1), 1_000)
    }

    /// Wraps an answer in a document; error statuses have no further content.
    private func document(_ answer: BraintreeLedger.Answer) -> Answer {
        let hasDocument = (200..<300).contains(answer.status) || answer.status == 422
        return (answer.status, "application/xml", hasDocument ? answer.node.bytes() : [])
    }

    private func faulty(_ method: String, _ rest: [String], _ body: [UInt8]) async -> Answer {
        let operation: SandboxOperation =
            switch (method, rest.count, rest.last ?? "") {
            case ("POST", 0, _): .authorize
            case (_, 2, "submit_for_settlement"): .capture
            case (_, 2, "void"): .void
            case (_, 2, "refund"): .refund
            default: .query
            }
        if let delay = late.next(operation) {
            Task {
                await clock.pause(for: delay)
                _ = await route(method, rest, body)
            }
            return (504, "text/plain", [])
        }
        let fault = faults.next(operation, key: rest.joined(), amount: nil, at: clock.now())
        switch fault {
        case .timeoutBeforeCommit:
            await clock.pause(for: stall)
            return (504, "text/plain", [])
        case .conflict, .outage, .notSent, .stickyServerError: return (503, "text/plain", [])
        case .slow(let span): await clock.pause(for: span)
        default: break
        }
        let answer = await route(method, rest, body)
        switch fault {
        case .timeoutAfterCommit:
            await clock.pause(for: stall)
            return (504, "text/plain", [])
        case .serverErrorAfterSuccess: return (500, "text/plain", [])
        default: return document(answer)
        }
    }

    private func route(_ method: String, _ rest: [String], _ body: [UInt8]) async -> BraintreeLedger.Answer {
        let node = BraintreeElement(parsing: body)
        switch (method, rest.count, rest.last ?? "") {
        case ("POST", 0, _): return await account.create(node ?? BraintreeElement("nothing"))
        case ("POST", 1, "advanced_search_ids"): return await account.search(node ?? BraintreeElement("search"))
        case ("POST", 1, "advanced_search"): return await account.read(node ?? BraintreeElement("search"))
        case ("GET", 1, let id): return await account.find(id)
        case ("PUT", 2, "submit_for_settlement"): return await account.submit(rest[0], node)
        case ("PUT", 2, "void"): return await account.void(rest[0])
        case ("PUT", 2, "settle"): return await account.settle(rest[0])
        case ("POST", 2, "refund"): return await account.refund(rest[0], node)
        default: return (404, BraintreeElement("not-found"))
        }
    }
}
