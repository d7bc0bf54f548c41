import TillCore

/// Changes after the sale that the shop did not request, driven by `POST /_sandbox/aftersale`.
extension PayPalLedger {
    /// Returns the amount that a refund has moved; zero if it failed or was canceled.
    func moved(_ refund: String) -> Int64 {
        guard let refund = refunds[refund], !["FAILED", "CANCELLED"].contains(refund.status) else { return 0 }
        return refund.amount.minorUnits
    }

    /// Applies `{"reference":"ORDER","do":"refund"}`. Other actions: `capture`, `fail_refund`, `cancel_refund`,
    /// `reverse`, `deny`, `dispute`, `inquire`, `withdraw`, `reinstate`, `win`, `lose`. `amount` is in minor units,
    /// `respond_by` in milliseconds since 1970.
    /// - Returns: `false` if the action is not possible for that order.
    func play(_ json: JSONValue) -> Bool {
        guard let name = json["reference"]?.stringValue?.split(separator: ".").first.map({ String($0) }),
            let order = orders[name], let word = json["do"]?.stringValue,
            let currency = order.units.first?.amount.currency
        else { return false }
        let amount = json["amount"]?.int64Value.map { Money(minorUnits: $0, currency: currency) }
        let taken = order.payments.compactMap { payment -> Capture? in
            if case .capture(let id) = payment { captures[id] } else { nil }
        }
        switch word {
        case "capture": return captureElsewhere(order, amount)
        case "fail_refund", "cancel_refund":
            return failRefund(of: taken, word == "fail_refund" ? "FAILED" : "CANCELLED")
        case "refund", "reverse":
            guard let capture = taken.last(where: { ["COMPLETED", "PARTIALLY_REFUNDED"].contains($0.status) }) else {
                return false
            }
            return giveBack(capture, amount, as: word == "refund" ? "REFUNDED" : "REVERSED")
        case "deny":
            guard let capture = taken.last(where: { ["COMPLETED", "PENDING"].contains($0.status) }) else {
                return false
            }
            captures[capture.id]?.status = "DECLINED"
            if let denied = captures[capture.id] { note("PAYMENT.CAPTURE.DENIED", render(denied)) }
            return true
        case "dispute", "inquire":
            guard let capture = taken.last else { return false }
            open(capture, amount ?? capture.amount, isInquiry: word == "inquire", json)
            return true
        default:
            guard
                let index = disputes.lastIndex(where: { dispute in taken.contains { $0.id == dispute.capture } })
            else { return false }
            return go(on: index, word, amount)
        }
    }

    private func captureElsewhere(_ order: Order, _ amount: Money?) -> Bool {
        let hold = order.payments.lazy.compactMap { payment -> String? in
            if case .authorization(let id) = payment { id } else { nil }
        }.last
        guard let hold else { return false }
        let body = amount.map { JSONValue.members(["amount": money($0), "final_capture": .bool(true)]) } ?? .object([])
        return captureAuthorization(hold, body, key: nil).status == 201
    }

    private func giveBack(_ capture: Capture, _ asked: Money?, as word: String) -> Bool {
        let left = capture.amount.minorUnits - capture.refunds.reduce(0) { $0 + moved($1) }
        let units = asked?.minorUnits ?? left
        guard units > 0, units <= left else { return false }
        let refund = Refund(
            id: newID(), capture: capture.id, status: "COMPLETED",
            amount: Money(minorUnits: units, currency: capture.amount.currency), created: now)
        refunds[refund.id] = refund
        captures[capture.id]?.refunds.append(refund.id)
        captures[capture.id]?.status = units == left ? "REFUNDED" : "PARTIALLY_REFUNDED"
        orders[capture.order]?.payments.append(.refund(refund.id))
        note("PAYMENT.CAPTURE.\(word)", render(refund))
        return true
    }

    private func failRefund(of taken: [Capture], _ status: String) -> Bool {
        guard let name = taken.flatMap(\.refunds).last(where: { moved($0) > 0 }), let refund = refunds[name] else {
            return false
        }
        refunds[name]?.status = status
        let back = captures[refund.capture]?.refunds.reduce(0) { $0 + moved($1) } ?? 0
        captures[refund.capture]?.status = back == 0 ? "COMPLETED" : "PARTIALLY_REFUNDED"
        if let failed = refunds[name] { note("PAYMENT.REFUND.\(status)", render(failed)) }
        return true
    }

    private func open(_ capture: Capture, _ amount: Money, isInquiry: Bool, _ json: JSONValue) {
        var dispute = Dispute(
            id: "PP-D-\(27000 + disputes.count)", capture: capture.id, amount: amount,
            reason: json["reason"]?.stringValue ?? "MERCHANDISE_OR_SERVICE_NOT_RECEIVED",
            stage: isInquiry ? "INQUIRY" : "CHARGEBACK", status: "WAITING_FOR_SELLER_RESPONSE",
            respondBy: json["respond_by"]?.int64Value.map { Timestamp(milliseconds: $0) }, created: now, updated: now)
        if !isInquiry { move("DEBIT", &dispute) }
        disputes.append(dispute)
        note("CUSTOMER.DISPUTE.CREATED", render(dispute))
    }

    private func move(_ type: String, _ dispute: inout Dispute, _ part: Money? = nil) {
        dispute.movements.append((type, Dispute.settlement, part ?? dispute.amount, now))
        guard type == "DEBIT" else { return }
        dispute.movements.append(("DEBIT", "DISPUTE_FEE", dispute.amount, now))
    }

    /// - Parameter part: the amount to move; `nil` is the full amount.
    private func go(on index: Int, _ word: String, _ part: Money?) -> Bool {
        var dispute = disputes[index]
        switch word {
        case "withdraw" where dispute.withdrawn == 0: move("DEBIT", &dispute, part)
        case "reinstate" where dispute.withdrawn > 0: move("CREDIT", &dispute, part)
        case "win":
            if dispute.withdrawn > 0 { move("CREDIT", &dispute) }
            (dispute.status, dispute.outcome) = ("RESOLVED", "RESOLVED_SELLER_FAVOUR")
        case "lose":
            if dispute.withdrawn == 0 { move("DEBIT", &dispute, part) }
            (dispute.status, dispute.outcome) = ("RESOLVED", "RESOLVED_BUYER_FAVOUR")
        default: return false
        }
        dispute.updated = now
        disputes[index] = dispute
        let kind = dispute.status == "RESOLVED" ? "RESOLVED" : "UPDATED"
        note("CUSTOMER.DISPUTE.\(kind)", render(dispute))
        return true
    }

    /// Handles `GET /v1/customer/disputes`, filtered by the disputed capture.
    func listDisputes(of capture: String) -> PayPalAnswer {
        let found = disputes.filter { capture.isEmpty || $0.capture == capture }.reversed().prefix(50)
        return PayPalAnswer(
            200,
            .members([
                "items": found.isEmpty ? nil : .array(found.map(summary)),
                "links": .array([link("self", "/v1/customer/disputes")]),
            ]))
    }

    func getDispute(_ id: String) -> PayPalAnswer {
        guard let dispute = disputes.first(where: { $0.id == id }) else { return .missing() }
        return PayPalAnswer(200, render(dispute))
    }

    private func summary(_ dispute: Dispute) -> JSONValue {
        .members([
            "dispute_id": .string(dispute.id), "create_time": .string(dispute.created.internetTime),
            "update_time": .string(dispute.updated.internetTime), "reason": .string(dispute.reason),
            "status": .string(dispute.status),
            "dispute_state": .string(dispute.status == "RESOLVED" ? "RESOLVED" : "REQUIRED_ACTION"),
            "dispute_amount": money(dispute.amount), "dispute_life_cycle_stage": .string(dispute.stage),
            "seller_response_due_date": dispute.respondBy.map { .string($0.internetTime) },
            "links": .array([link("self", "/v1/customer/disputes/\(dispute.id)")]),
        ])
    }

    private func render(_ dispute: Dispute) -> JSONValue {
        let capture = captures[dispute.capture]
        let unit = capture.flatMap { orders[$0.order]?.units[$0.unit] }
        let movements = dispute.movements.map { movement in
            JSONValue.members([
                "affected_party": .string("SELLER"), "amount": money(movement.amount),
                "initiated_time": .string(movement.at.internetTime), "type": .string(movement.type),
                "reason": .string(movement.reason),
            ])
        }
        return .members([
            "dispute_id": .string(dispute.id), "create_time": .string(dispute.created.internetTime),
            "update_time": .string(dispute.updated.internetTime),
            "disputed_transactions": .array([
                .members([
                    "seller_transaction_id": .string(dispute.capture), "custom": unit?["custom_id"],
                    "invoice_number": (capture?.invoice).json ?? unit?["invoice_id"],
                    "gross_amount": capture.map { money($0.amount) }, "transaction_status": .string("COMPLETED"),
                ])
            ]),
            "reason": .string(dispute.reason), "status": .string(dispute.status),
            "dispute_amount": money(dispute.amount),
            "dispute_outcome": dispute.outcome.map { outcome in
                .members([
                    "outcome_code": .string(outcome),
                    "amount_refunded": dispute.withdrawn > 0 ? money(dispute.amount) : nil,
                ])
            },
            "money_movements": movements.isEmpty ? nil : .array(movements),
            "dispute_life_cycle_stage": .string(dispute.stage), "dispute_channel": .string("INTERNAL"),
            "seller_response_due_date": dispute.respondBy.map { .string($0.internetTime) },
            "links": .array([link("self", "/v1/customer/disputes/\(dispute.id)")]),
        ])
    }
}
