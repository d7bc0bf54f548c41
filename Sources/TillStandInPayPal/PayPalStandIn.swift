import Foundation
import Synchronization
import TillCore
import TillSandbox
import TillStandInServing

/// Routes requests to the ledger, after authentication and fault injection.
struct PayPalStandIn: Sendable {
    struct Request: Sendable {
        var method: String
        var path: [String]
        var query: String
        var body: [UInt8]
        var contentType: String?
        var authorization: String?
        var key: String?
        var prefer: String?
        var wantsWhole: Bool { prefer?.contains("representation") ?? false }
    }

    let account: PayPalLedger
    let faults: SandboxFaults
    let clock: any TillClock
    let stall: Span
    let notices: PayPalWebhookSender
    private let tokens = Tokens()

    init(
        account: PayPalLedger, faults: SandboxFaults, clock: any TillClock, stall: Span,
        transport: (any HTTPTransport)? = nil
    ) {
        self.account = account
        notices = PayPalWebhookSender(clock: clock, transport: transport)
        self.faults = faults
        self.clock = clock
        self.stall = stall
    }

    /// The issued tokens and their expiry.
    private final class Tokens: Sendable {
        /// The maximum number of stored tokens.
        static let maximum = 10_000
        private let state = Mutex<(good: [String: Timestamp], count: Int)>(([:], 0))

        func make(at now: Timestamp) -> String {
            state.withLock { state in
                if state.good.count >= Tokens.maximum { state.good = state.good.filter { $0.value > now } }
                state.count += 1
                let token =
                    "A21AA" + StableHash.hex("token \(state.count)")
                    + StableHash.hex("\(UInt64.random(in: .min ... .max))")
                state.good[token] = now.adding(SandboxPayPalServer.tokenLife)
                return token
            }
        }
        func isGood(_ token: String, at now: Timestamp) -> Bool {
            state.withLock { ($0.good[token] ?? Timestamp(milliseconds: .min)) > now }
        }
        func forget() { state.withLock { $0.good = [:] } }
        var count: Int { state.withLock { $0.count } }
    }

    func answer(_ request: Request) async -> PayPalAnswer {
        let path = request.path
        if path.first == "_sandbox" { return await notifying(control(request)) }
        if request.method == "GET", "/" + path.joined(separator: "/") == PayPalWebhookSender.certificatePath {
            guard let chain = await notices.chain() else { return .failure(500) }
            return PayPalAnswer(200, text: chain, contentType: "application/x-pem-file")
        }
        let now = await account.now
        if path == ["v1", "oauth2", "token"] { return token(request, now) }
        guard isAllowed(request, now) else { return .unauthorized() }
        guard let operation = operation(of: request) else { return await notifying(route(request)) }
        let fault = faults.next(operation, key: request.key ?? "", amount: amount(in: request), at: now)
        switch fault {
        case .timeoutBeforeCommit:
            await clock.pause(for: stall)
            return .failure(504)
        case .conflict: return .inProgress()
        case .outage, .notSent: return .failure(503)
        case .stickyServerError: return .failure(500)
        case .slow(let span): await clock.pause(for: span)
        case .duplicateDelivery: _ = await notifying(route(request))
        case .timeoutAfterCommit, .serverErrorAfterSuccess, nil: break
        }
        let answer = await notifying(route(request))
        switch fault {
        case .timeoutAfterCommit:
            await clock.pause(for: stall)
            return .failure(504)
        case .serverErrorAfterSuccess: return .failure(500)
        default: return answer
        }
    }

    /// Notifies the subscribers of the changes behind a response, and returns the response.
    private func notifying(_ answer: PayPalAnswer) async -> PayPalAnswer {
        let new = await account.takeNotifications()
        if !new.notices.isEmpty { await notices.tell(new.notices, base: new.base) }
        return answer
    }

    private func token(_ request: Request, _ now: Timestamp) -> PayPalAnswer {
        func refused(_ status: Int, _ error: String, _ text: String) -> PayPalAnswer {
            PayPalAnswer(status, .members(["error": .string(error), "error_description": .string(text)]))
        }
        guard request.method == "POST" else { return .missing() }
        guard let field = request.authorization, field.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(field.dropFirst(6))),
            case let parts = String(decoding: data, as: UTF8.self).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false),
            parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1] != "wrong"
        else { return refused(401, "invalid_client", "Client Authentication failed") }
        guard String(decoding: request.body, as: UTF8.self).contains("grant_type=client_credentials") else {
            return refused(400, "unsupported_grant_type", "Grant Type is not supported")
        }
        return PayPalAnswer(
            200,
            .members([
                "scope": .string("https://uri.paypal.com/services/payments/payment"),
                "access_token": .string(tokens.make(at: now)), "token_type": .string("Bearer"),
                "app_id": .string("APP-SANDBOX"),
                "expires_in": .number(String(SandboxPayPalServer.tokenLife.milliseconds / 1000)),
                "nonce": .string("\(now.internetTime)sandbox"),
            ]))
    }

    /// Returns `true` for a request with an issued token; attaching a card also accepts the client id alone, as apps
    /// have no secret.
    private func isAllowed(_ request: Request, _ now: Timestamp) -> Bool {
        guard let field = request.authorization else { return false }
        if field.hasPrefix("Bearer ") { return tokens.isGood(String(field.dropFirst(7)), at: now) }
        guard field.hasPrefix("Basic "), request.path.last == "confirm-payment-source",
            let data = Data(base64Encoded: String(field.dropFirst(6)))
        else { return false }
        return String(decoding: data, as: UTF8.self).hasSuffix(":")
    }

    private func operation(of request: Request) -> SandboxOperation? {
        let path = request.path
        switch (request.method, path.count, path.last ?? "") {
        case ("POST", 3, "orders"):
            return JSONValue(ifValid: request.body)?["payment_source"] == nil ? .prepare : .authorize
        case ("POST", 5, "capture") where path[1] == "checkout": return .authorize
        case ("POST", 5, "authorize"): return .authorize
        case ("POST", 5, "capture"): return .capture
        case ("POST", 5, "refund"): return .refund
        case ("POST", 5, "reauthorize"): return .renew
        case ("POST", 5, "void"), ("PATCH", 4, _): return .void
        case ("GET", _, _): return .query
        default: return nil
        }
    }

    private func amount(in request: Request) -> Int64? {
        guard let json = JSONValue(ifValid: request.body) else { return nil }
        let value = json["amount"] ?? json["purchase_units"]?.arrayValue?.first?["amount"]
        return PayPalWireAmount.read(value)?.minorUnits
    }

    private func route(_ request: Request) async -> PayPalAnswer {
        var body = JSONValue.object([])
        if ["POST", "PATCH"].contains(request.method) {
            if let type = request.contentType, !type.lowercased().hasPrefix("application/json") {
                return .unsupportedMedia()
            }
            if !request.body.isEmpty {
                guard let json = JSONValue(ifValid: request.body) else {
                    return .badRequest([.init("MALFORMED_REQUEST_JSON")])
                }
                body = json
            }
        }
        let path = request.path
        let whole = request.wantsWhole
        switch (request.method, path.count > 2 ? path[1] + "/" + path[2] : "", path.count, path.last ?? "") {
        case ("POST", "checkout/orders", 3, _): return await account.createOrder(body, key: request.key, whole: whole)
        case ("GET", "checkout/orders", 4, let id): return await account.getOrder(id)
        case ("PATCH", "checkout/orders", 4, let id): return await account.patchOrder(id, body)
        case ("POST", "checkout/orders", 5, "confirm-payment-source"):
            return await account.confirm(path[3], body, whole: whole)
        case ("POST", "checkout/orders", 5, "capture"), ("POST", "checkout/orders", 5, "authorize"):
            return await account.execute(
                path[3], body, intent: path[4].uppercased(), key: request.key, whole: whole)
        case ("GET", "payments/authorizations", 4, let id): return await account.getAuthorization(id)
        case ("POST", "payments/authorizations", 5, "capture"):
            return await account.captureAuthorization(path[3], body, key: request.key)
        case ("POST", "payments/authorizations", 5, "reauthorize"):
            return await account.reauthorize(path[3], body, key: request.key)
        case ("POST", "payments/authorizations", 5, "void"):
            return await account.void(path[3], key: request.key, whole: whole)
        case ("GET", "payments/captures", 4, let id): return await account.getCapture(id)
        case ("POST", "payments/captures", 5, "refund"): return await account.refund(path[3], body, key: request.key)
        case ("GET", "payments/refunds", 4, let id): return await account.getRefund(id)
        case ("GET", "reporting/transactions", 3, _): return await account.listTransactions { query($0, request) }
        case ("GET", "customer/disputes", _, _) where !faults.mayReadDisputes:
            return .forbidden()
        case ("GET", "customer/disputes", 3, _):
            return await account.listDisputes(of: query("disputed_transaction_id", request))
        case ("GET", "customer/disputes", 4, let id): return await account.getDispute(id)
        case ("POST", "vault/setup-tokens", 3, _): return await account.createSetupToken(body, key: request.key)
        case ("GET", "vault/setup-tokens", 4, let id): return await account.getToken(id, isSetup: true)
        case ("POST", "vault/payment-tokens", 3, _): return await account.createPaymentToken(body, key: request.key)
        case ("GET", "vault/payment-tokens", 4, let id): return await account.getToken(id, isSetup: false)
        case ("DELETE", "vault/payment-tokens", 4, let id): return await account.deleteToken(id)
        case ("GET", "vault/payment-tokens", 3, _):
            return await account.listTokens(customer: query("customer_id", request))
        case (_, "checkout/orders", 6, _): return .missing("TRACKER_ID_NOT_FOUND")
        default: return .missing()
        }
    }

    private func query(_ name: String, _ request: Request) -> String {
        for pair in request.query.split(separator: "&") where pair.hasPrefix("\(name)=") {
            return pair.dropFirst(name.utf8.count + 1).removingPercentEncoding ?? ""
        }
        return ""
    }

    private func control(_ request: Request) async -> PayPalAnswer {
        let json = JSONValue(ifValid: request.body) ?? .object([])
        let done = PayPalAnswer(200, .members(["ok": .bool(true)]))
        switch (request.method, request.path.dropFirst().first ?? "") {
        case ("GET", "ledger"):
            return PayPalAnswer(
                200, .members(["charges": await account.ledger(), "tokens": .number(String(tokens.count))]))
        case ("POST", "faults"):
            guard let operation = json["operation"]?.stringValue.flatMap({ SandboxOperation(rawValue: $0) }),
                let fault = json["fault"]?.stringValue.flatMap({ SandboxFault(name: $0) })
            else { return .badRequest([.init("INVALID_PARAMETER_VALUE", note: "wanted: operation, fault, times")]) }
            faults.fail(operation, with: fault, times: Int(clamping: json["times"]?.int64Value ?? 1))
            return done
        case ("POST", "aftersale"):
            return await account.play(json)
                ? done : .badRequest([.init("INVALID_PARAMETER_VALUE", note: "there is no such order, or it cannot")])
        case ("POST", "statements"):
            return await account.playStatement(json)
                ? done
                : .badRequest([
                    .init(
                        "INVALID_PARAMETER_VALUE",
                        note:
                            "wanted: do (omit, amount, code, foreign, fee, payout, most, forbid, allow, fail)"
                    )
                ])
        case ("POST", "rights"):
            guard let may = json["disputes"]?.boolValue else {
                return .badRequest([.init("INVALID_PARAMETER_VALUE", note: "wanted: disputes, true or false")])
            }
            faults.mayReadDisputes(may)
            return done
        case ("POST", "lists"):
            guard let seconds = json["late_seconds"]?.int64Value, (0...86_400).contains(seconds) else {
                return .badRequest([.init("INVALID_PARAMETER_VALUE", note: "wanted: late_seconds, 0 to 86400")])
            }
            account.lateness.set(.seconds(seconds))
            return done
        case ("POST", "clock"):
            guard let seconds = json["advance_seconds"]?.int64Value, (0...1_000_000_000).contains(seconds) else {
                return .badRequest([.init("INVALID_PARAMETER_VALUE", note: "wanted: advance_seconds")])
            }
            await account.advance(.seconds(seconds))
            return PayPalAnswer(200, .members(["now": .string(await account.now.internetTime)]))
        case (let method, "challenge"): return await challenge(method, request)
        case ("POST", "action"):
            guard let id = json["reference"]?.stringValue, let succeeds = json["succeeds"]?.boolValue else {
                return .badRequest([.init("INVALID_PARAMETER_VALUE", note: "wanted: reference, succeeds")])
            }
            return await account.approve(id, succeeds: succeeds) ? done : .missing()
        case ("POST", "webhooks"):
            let subscriber = PayPalWebhookSender.Subscriber(
                url: json["url"]?.stringValue, webhook: json["id"]?.stringValue ?? PayPalWebhookSender.defaultWebhookID,
                copies: Int(clamping: json["copies"]?.int64Value ?? 1),
                isBeforeAnswer: json["before_answer"]?.boolValue ?? false)
            guard await notices.add(subscriber) else { return .failure(500) }
            await account.listen()
            return done
        case ("GET", "webhooks"):
            let list = await notices.kept.map { delivery in
                JSONValue.members([
                    "kind": .string(delivery.kind), "body": .string(String(decoding: delivery.body, as: UTF8.self)),
                    "head": .object(delivery.head.map { JSONMember(key: $0.name, value: .string($0.value)) }),
                ])
            }
            return PayPalAnswer(200, .members(["webhooks": .array(list)]))
        case ("POST", "tokens"):
            // All tokens expire immediately, as after a change of the client secret.
            tokens.forget()
            return done
        default: return .missing()
        }
    }
}
