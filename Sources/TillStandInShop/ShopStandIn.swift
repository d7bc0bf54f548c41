import TillCore

/// Answers the shop's interface: finds the operation of a request, authenticates it, plays its fault.
struct ShopStandIn: Sendable {
    /// The path of the interface.
    static let prefix = "/wp-json/wc/v3/"

    let ledger: ShopLedger
    let webhooks: ShopWebhooks
    let authenticator: ShopAuthenticator
    let faults: ShopFaults
    let clock: any TillClock
    /// The time that a request which "times out" is held before its 504.
    let stall: Span
    /// The shop's own address, without a slash at the end.
    let home: String

    /// Returns the answer to a request; `nil` closes the connection without one.
    func answer(_ call: ShopCall) async -> ShopAnswer? {
        let parts = call.parts
        if parts.first == "_sandbox" { return await control(call, parts.dropFirst().map { $0 }) }
        guard parts.count > 3, parts.prefix(3) == ["wp-json", "wc", "v3"] else {
            if parts.first == "wp-json" { return .noRoute() }
            return ShopStandIn.page(404, "Page not found")
        }
        let credentials = ShopAuthenticator.Credentials(
            method: call.method, path: call.path, query: call.query, authorization: call.authorization,
            isSecure: call.isSecure, home: home)
        if let refusal = authenticator.refusal(of: credentials) { return refusal }
        let path = Array(parts.dropFirst(3))
        let fault = faults.next(ShopStandIn.operation(call.method, path))
        if let fault, let answer = await before(fault) { return answer.answer }
        if fault == .duplicateDelivery { _ = await route(call, path) }
        let answer = await route(call, path)
        switch fault {
        case .timeoutAfterCommit:
            await clock.pause(for: stall)
            return ShopStandIn.page(504, "Gateway Timeout")
        case .dropAfterCommit: return nil
        case .serverErrorAfterSuccess: return ShopStandIn.failure
        case .htmlAfterCommit: return ShopStandIn.page(200, "Briefly unavailable for scheduled maintenance.")
        case .timeoutBeforeCommit, .dropBeforeCommit, .error500, .outage, .html, .slow, .duplicateDelivery, nil:
            return answer
        }
    }

    private struct Outcome {
        var answer: ShopAnswer?
    }

    /// Plays the faults with which a request is not carried out; `nil` goes on.
    private func before(_ fault: ShopFault) async -> Outcome? {
        switch fault {
        case .timeoutBeforeCommit:
            await clock.pause(for: stall)
            return Outcome(answer: ShopStandIn.page(504, "Gateway Timeout"))
        case .dropBeforeCommit: return Outcome(answer: nil)
        case .error500: return Outcome(answer: ShopStandIn.failure)
        case .outage: return Outcome(answer: ShopStandIn.page(503, "Service Unavailable"))
        case .html:
            return Outcome(answer: ShopStandIn.page(200, "Briefly unavailable for scheduled maintenance."))
        case .slow(let span):
            await clock.pause(for: span)
            return nil
        case .timeoutAfterCommit, .dropAfterCommit, .serverErrorAfterSuccess, .htmlAfterCommit, .duplicateDelivery:
            return nil
        }
    }

    private static let failure = ShopAnswer.error(
        500, "internal_server_error", "There has been a critical error on this website.")

    static func page(_ status: Int, _ text: String) -> ShopAnswer {
        var answer = ShopAnswer(status, .null)
        answer.html = "<!DOCTYPE html><html><head><title>\(text)</title></head><body><h1>\(text)</h1></body></html>\n"
        return answer
    }

    private static func operation(_ method: String, _ path: [String]) -> ShopOperation {
        switch (method, path.count, path.first, path.last) {
        case ("GET", 1, "orders", _): .list
        case ("POST", 1, "orders", _): .create
        case (_, 2, "orders", "batch"): .batch
        case ("GET", 2, "orders", _): .read
        case ("DELETE", 2, "orders", _): .delete
        case (_, 2, "orders", _): .update
        case ("POST", 3, "orders", "refunds"): .refund
        case (_, 3..., "orders", _) where path[2] == "refunds": .refunds
        case ("POST", 3, "orders", "notes"): .note
        case (_, 3..., "orders", _) where path[2] == "notes": .notes
        case (_, _, "webhooks", _): .webhook
        case (_, _, "system_status", _): .status
        case (_, _, _, "create_terminal_intent"): .intent
        case (_, _, _, "capture_terminal_payment"): .capture
        default: .other
        }
    }

    private func route(_ call: ShopCall, _ path: [String]) async -> ShopAnswer {
        do throws(ShopRefusal) {
            switch path[0] {
            case "orders": return try await orders(call, Array(path.dropFirst()))
            case "webhooks": return try await webhooks(call, Array(path.dropFirst()))
            case "payments", "wc_stripe": return try await terminal(call, path)
            case "system_status" where call.method == "GET" && path.count == 1:
                return ShopAnswer(200, try view(call).narrowed(status))
            default: return .noRoute()
            }
        } catch { return error.answer }
    }

    /// Returns how the request wants documents.
    func view(_ call: ShopCall) throws(ShopRefusal) -> ShopView {
        var view = ShopView(home: home, fields: call.query.texts("_fields"))
        if let text = call.query.text("dp") {
            guard let places = Int(text), (0...10).contains(places) else {
                throw .init(.invalid("dp", "dp is not of type integer."))
            }
            view.places = places
        }
        return view
    }

    private var status: JSONValue {
        .members([
            "environment": .members([
                "home_url": .string(home), "site_url": .string(home), "version": .string(ShopOrder.shopVersion),
                "wp_version": .string("7.0"), "wp_multisite": .bool(false), "php_version": .string("8.3.0"),
                "secure_connection": .bool(home.hasPrefix("https://")), "hide_errors": .bool(true),
            ]),
            "settings": .members([
                "api_enabled": .bool(true), "force_ssl": .bool(false), "currency": .string("EUR"),
                "currency_symbol": .string("&euro;"), "number_of_decimals": .number("2"),
            ]),
            "active_plugins": .array([]),
        ])
    }
}
