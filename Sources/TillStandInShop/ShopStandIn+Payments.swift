import TillCore

extension ShopStandIn {
    /// Answers `webhooks` and what is below it.
    func webhooks(_ call: ShopCall, _ path: [String]) async throws(ShopRefusal) -> ShopAnswer {
        let view = try view(call)
        if path.isEmpty {
            switch call.method {
            case "GET":
                let all = await webhooks.webhooks.values.sorted { $0.id > $1.id }
                return ShopAnswer(
                    200, .array(all.map { $0.document(view) }), fields: [("X-WP-Total", String(all.count))])
            case "POST": return ShopAnswer(201, try await webhooks.create(try call.json()).document(view))
            default: return .noRoute()
            }
        }
        guard path.count == 1, let id = Int64(path[0]) else { return .noRoute() }
        switch call.method {
        case "GET": return ShopAnswer(200, try await webhooks.get(id).document(view))
        case "PUT", "POST", "PATCH":
            return ShopAnswer(200, try await webhooks.update(id, try call.json()).document(view))
        case "DELETE":
            guard try await isForced(call) else {
                return .error(501, "woocommerce_rest_trash_not_supported", "Webhooks do not support trashing.")
            }
            return ShopAnswer(200, try await webhooks.delete(id).document(view))
        default: return .noRoute()
        }
    }

    /// Answers the endpoints of sales at a reader, of both plugins.
    func terminal(_ call: ShopCall, _ path: [String]) async throws(ShopRefusal) -> ShopAnswer {
        let plugin = path[0] == "payments" ? ShopPlugin.wooPayments : .stripe
        let rest = Array(path.dropFirst())
        let view = try view(call)
        switch (call.method, rest.joined(separator: "/")) {
        case ("POST", "connection_tokens"):
            return ShopAnswer(
                200,
                .members(["secret": .string("pst_test_shop_\(await ledger.nextPart())"), "test_mode": .bool(true)]))
        case ("GET", "terminal/locations/store"):
            return ShopAnswer(
                200,
                .members([
                    "id": .string("tml_shop"), "display_name": .string("Sandbox"), "livemode": .bool(false),
                    "address": .members([
                        "city": .string("Berlin"), "country": .string("DE"), "line1": .string("Unter den Linden 1"),
                        "line2": .string(""), "postal_code": .string("10117"), "state": .string(""),
                    ]),
                ]))
        case ("GET", "accounts") where plugin == .wooPayments, ("GET", "account/summary") where plugin == .stripe:
            return ShopAnswer(200, view.narrowed(account))
        default: break
        }
        guard call.method == "POST", rest.count == 3, rest[0] == "orders", let id = Int64(rest[1]) else {
            return .noRoute()
        }
        switch rest[2] {
        case "create_terminal_intent" where plugin == .wooPayments:
            return ShopAnswer(200, .members(["id": .string(try await ledger.createIntent(id).id)]))
        case "create_customer":
            return ShopAnswer(200, .members(["id": .string(try await ledger.customer(id, plugin))]))
        case "capture_terminal_payment":
            let intent = try await ledger.capture(id, try call.json(), plugin)
            return ShopAnswer(
                200, .members(["status": .string(intent.status.rawValue), "id": .string(intent.id)]))
        default: return .noRoute()
        }
    }

    private var account: JSONValue {
        .members([
            "status": .string("complete"), "is_live": .bool(false), "test_mode": .bool(true),
            "has_pending_requirements": .bool(false), "has_overdue_requirements": .bool(false),
            "statement_descriptor": .string("SANDBOX"), "country": .string("DE"),
            "store_currencies": .members([
                "default": .string("eur"), "supported": .array([.string("eur"), .string("usd"), .string("gbp")]),
            ]),
        ])
    }

    // MARK: The control of the stand-in

    /// Answers what is below `/_sandbox`.
    func control(_ call: ShopCall, _ path: [String]) async -> ShopAnswer {
        let json = JSONValue(ifValid: call.body) ?? .object([])
        let done = ShopAnswer(200, .members(["ok": .bool(true)]))
        func bad(_ note: String) -> ShopAnswer {
            ShopAnswer(400, .members(["ok": .bool(false), "sandbox_note": .string(note)]))
        }
        switch (call.method, path.first ?? "") {
        case ("GET", "ledger"):
            return ShopAnswer(
                200,
                .members([
                    "orders": await ledger.ledger(), "intents": await ledger.intentLedger, "calls": faults.calls,
                ]))
        case ("POST", "faults"):
            let span = Span.milliseconds(min(max(json["milliseconds"]?.int64Value ?? 2_000, 0), 600_000))
            guard let operation = json["operation"]?.stringValue.flatMap({ ShopOperation(rawValue: $0) }),
                let fault = json["fault"]?.stringValue.flatMap({ ShopFault(name: $0, span: span) })
            else { return bad("wanted: operation, fault, times; with slow milliseconds") }
            faults.fail(operation, with: fault, times: Int(clamping: json["times"]?.int64Value ?? 1))
            return done
        case ("DELETE", "faults"):
            faults.clear()
            return done
        case ("POST", "keys"):
            let rights = ShopPermissions(rawValue: json["permissions"]?.stringValue ?? "read_write")
            guard let key = json["consumer_key"]?.stringValue, let secret = json["consumer_secret"]?.stringValue,
                let rights, !key.isEmpty, !secret.isEmpty, key.utf8.count <= 128, secret.utf8.count <= 128,
                authenticator.register(key, secret: Secret(secret), permissions: rights)
            else { return bad("wanted: consumer_key, consumer_secret, permissions (read, write, read_write)") }
            return done
        case ("DELETE", "keys"):
            authenticator.forget()
            return done
        case ("POST", "basic"):
            guard let isAllowed = json["without_tls"]?.boolValue else {
                return bad("wanted: without_tls, true or false")
            }
            authenticator.allowInsecureBasic(isAllowed)
            return done
        case ("POST", "orders"): return await change(path.dropFirst().first, json)
        case ("GET", "webhooks"): return ShopAnswer(200, .members(["webhooks": await webhooks.log]))
        case ("POST", "webhooks"):
            await webhooks.control(json)
            guard let index = json["replay"]?.int64Value else { return done }
            return await webhooks.replay(index) ? done : bad("there is no such delivery")
        case ("POST", "intents"):
            guard let intent = await ledger.authorize(json) else {
                return bad("wanted: order, or id of an open intent")
            }
            return ShopAnswer(200, intent.ledgerEntry)
        default: return ShopAnswer(404, .members(["ok": .bool(false)]))
        }
    }

    /// Opens an order from a document, or changes the one with an id.
    private func change(_ id: String?, _ json: JSONValue) async -> ShopAnswer {
        let view = ShopView(home: home)
        do throws(ShopRefusal) {
            guard let id else { return ShopAnswer(201, try await ledger.plant(json).document(view)) }
            guard let number = Int64(id) else { return .unknown("shop_order") }
            return ShopAnswer(200, try await ledger.edit(number, json).document(view))
        } catch { return error.answer }
    }
}
