import TillCore

/// Rendering of the ledger in PayPal's formats.
extension PayPalLedger {
    func link(_ relation: String, _ path: String, _ method: String = "GET") -> JSONValue {
        .members(["href": .string(base + path), "rel": .string(relation), "method": .string(method)])
    }

    func money(_ money: Money) -> JSONValue {
        .members([
            "currency_code": .string(money.currency.code),
            "value": .string(PayPalWireAmount.text(money)),
        ])
    }

    /// Renders an order; without `whole`, only PayPal's minimal representation.
    func render(orderID: String, whole: Bool) -> JSONValue {
        guard let order = orders[orderID] else { return .object([]) }
        let path = "/v2/checkout/orders/\(order.id)"
        var links = [link("self", path)]
        switch order.status {
        case "CREATED":
            links.append(link("approve", "/checkoutnow/\(order.id)"))
            links.append(link("update", path, "PATCH"))
            links.append(link(order.intent.lowercased(), "\(path)/\(order.intent.lowercased())", "POST"))
        case "PAYER_ACTION_REQUIRED": links.append(link("payer-action", "/_sandbox/challenge/\(order.id)"))
        case "APPROVED":
            links.append(link(order.intent.lowercased(), "\(path)/\(order.intent.lowercased())", "POST"))
        default: break
        }
        let hasPayments = !order.payments.isEmpty
        var units: [JSONValue] = []
        for (index, unit) in order.units.enumerated() {
            let payments = hasPayments ? collection(order, index) : nil
            if whole {
                var members = unit.members.filter { $0.key != "amount" }
                var amount = (unit["amount"]?.objectValue ?? []).filter { $0.key == "breakdown" }
                amount = (money(unit.amount).objectValue ?? []) + amount
                members.append(JSONMember(key: "amount", value: .object(amount)))
                if let payments { members.append(JSONMember(key: "payments", value: payments)) }
                units.append(.object(members))
            } else if let payments {
                units.append(.members(["reference_id": unit["reference_id"], "payments": payments]))
            }
        }
        return .members([
            "id": .string(order.id), "status": .string(order.status),
            "intent": whole ? .string(order.intent) : nil,
            "payment_source": order.account.map { .members(["paypal": $0]) }
                ?? order.card.map { .members(["card": $0]) },
            "purchase_units": units.isEmpty ? nil : .array(units),
            "create_time": whole ? .string(order.created.internetTime) : nil,
            "update_time": whole ? .string(order.updated.internetTime) : nil, "links": .array(links),
        ])
    }

    private func collection(_ order: Order, _ unit: Int) -> JSONValue {
        var holds: [JSONValue] = []
        var taken: [JSONValue] = []
        var back: [JSONValue] = []
        for payment in order.payments {
            switch payment {
            case .authorization(let id):
                expire(id)
                if let hold = authorizations[id], hold.unit == unit { holds.append(render(hold, inOrder: true)) }
            case .capture(let id):
                if let capture = captures[id], capture.unit == unit { taken.append(render(settled(capture))) }
            case .refund(let id):
                if let refund = refunds[id], captures[refund.capture]?.unit == unit { back.append(render(refund)) }
            }
        }
        return .members([
            "authorizations": holds.isEmpty ? nil : .array(holds), "captures": taken.isEmpty ? nil : .array(taken),
            "refunds": back.isEmpty ? nil : .array(back),
        ])
    }

    func render(_ hold: Authorization) -> JSONValue { render(hold, inOrder: false) }

    private func render(_ hold: Authorization, inOrder: Bool) -> JSONValue {
        let unit = orders[hold.order]?.units[hold.unit]
        let path = "/v2/payments/authorizations/\(hold.id)"
        var links = [link("self", path)]
        if ["CREATED", "PARTIALLY_CAPTURED"].contains(hold.status) {
            links += [link("capture", path + "/capture", "POST"), link("void", path + "/void", "POST")]
            if hold.parent == nil { links.append(link("reauthorize", path + "/reauthorize", "POST")) }
        }
        links.append(link("up", "/v2/checkout/orders/\(hold.order)"))
        return .members([
            "id": .string(hold.id), "status": .string(hold.status),
            "status_details": hold.status == "PENDING" ? .members(["reason": .string("PENDING_REVIEW")]) : nil,
            "amount": money(hold.amount), "custom_id": unit?["custom_id"], "invoice_id": unit?["invoice_id"],
            "seller_protection": .members(["status": .string("NOT_ELIGIBLE")]),
            "expiration_time": .string(hold.expires.internetTime), "create_time": .string(hold.created.internetTime),
            "update_time": .string(hold.created.internetTime), "processor_response": inOrder ? hold.processor : nil,
            "supplementary_data": inOrder
                ? nil : .members(["related_ids": .members(["order_id": .string(hold.order)])]),
            "links": .array(links),
        ])
    }

    func render(_ capture: Capture) -> JSONValue {
        let unit = orders[capture.order]?.units[capture.unit]
        let path = "/v2/payments/captures/\(capture.id)"
        let up =
            capture.authorization.map { "/v2/payments/authorizations/\($0)" } ?? "/v2/checkout/orders/\(capture.order)"
        var links = [link("self", path)]
        if ["COMPLETED", "PARTIALLY_REFUNDED"].contains(capture.status) {
            links.append(link("refund", path + "/refund", "POST"))
        }
        links.append(link("up", up))
        var breakdown: JSONValue?
        if !["PENDING", "DECLINED"].contains(capture.status) {
            // 2.9 percent plus 30 minor units, capped at the amount.
            let fee = min(capture.amount.minorUnits, capture.amount.minorUnits / 1000 * 29 + 30)
            let whole = capture.amount.currency
            let isExpressible = PayPalWireAmount.canSay(Money(minorUnits: fee, currency: whole))
            let kept = Money(minorUnits: isExpressible ? fee : 0, currency: whole)
            breakdown = .members([
                "gross_amount": money(capture.amount), "paypal_fee": money(kept),
                "net_amount": capture.amount.subtracting(ifExact: kept).map(money),
            ])
        }
        return .members([
            "id": .string(capture.id), "status": .string(capture.status),
            "status_details": capture.reason.map { .members(["reason": .string($0)]) },
            "amount": money(capture.amount), "final_capture": .bool(capture.isFinal),
            "custom_id": unit?["custom_id"], "invoice_id": capture.invoice.json ?? unit?["invoice_id"],
            "seller_protection": .members(["status": .string("NOT_ELIGIBLE")]),
            "seller_receivable_breakdown": breakdown, "processor_response": capture.processor,
            "create_time": .string(capture.created.internetTime), "update_time": .string(capture.created.internetTime),
            "links": .array(links),
        ])
    }

    func render(_ refund: Refund) -> JSONValue {
        .members([
            "id": .string(refund.id), "status": .string(refund.status), "amount": money(refund.amount),
            "custom_id": refund.custom.json, "invoice_id": refund.invoice.json, "note_to_payer": refund.note.json,
            "create_time": .string(refund.created.internetTime), "update_time": .string(refund.created.internetTime),
            "links": .array([
                link("self", "/v2/payments/refunds/\(refund.id)"),
                link("up", "/v2/payments/captures/\(refund.capture)"),
            ]),
        ])
    }
}
