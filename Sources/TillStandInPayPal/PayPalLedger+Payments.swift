import TillCore

extension PayPalLedger {
    /// The period in which a capture can be refunded.
    static let refundPeriod: Span = .days(180)
    /// The maximum number of captures of one authorization.
    static let maximumCaptures = 10

    func getAuthorization(_ id: String) -> PayPalAnswer {
        expire(id)
        guard let hold = authorizations[id] else { return .missing() }
        return PayPalAnswer(200, render(hold))
    }

    func getCapture(_ id: String) -> PayPalAnswer {
        guard let capture = captures[id] else { return .missing() }
        return PayPalAnswer(200, render(settled(capture)))
    }

    func getRefund(_ id: String) -> PayPalAnswer {
        guard let refund = refunds[id] else { return .missing() }
        return PayPalAnswer(200, render(refund))
    }

    /// Voids an authorization that has expired, without a request.
    func expire(_ id: String) {
        guard let hold = authorizations[id], now >= hold.expires,
            ["CREATED", "PARTIALLY_CAPTURED", "PENDING"].contains(hold.status)
        else { return }
        authorizations[id]?.status = "VOIDED"
    }

    /// Decides a capture under review once an hour has passed.
    func settled(_ capture: Capture) -> Capture {
        guard capture.status == "PENDING", now.since(capture.created) >= .hours(1) else { return capture }
        var capture = capture
        capture.status = "COMPLETED"
        capture.reason = nil
        captures[capture.id] = capture
        return capture
    }

    func captureAuthorization(_ id: String, _ body: JSONValue, key: String?) -> PayPalAnswer {
        let path = "/v2/payments/authorizations/\(id)/capture"
        if case .capture(let done) = done(key, path, within: PayPalMemory.payments), let capture = captures[done] {
            return PayPalAnswer(200, render(settled(capture)))
        }
        expire(id)
        guard let hold = authorizations[id] else { return .missing() }
        var rules = PayPalRequestRules()
        let asked = rules.money(body["amount"], "/amount")
        rules.text(body["invoice_id"], "/invoice_id", 0...127)
        rules.text(body["note_to_payer"], "/note_to_payer", 0...255)
        rules.text(body["soft_descriptor"], "/soft_descriptor", 0...22)
        if let final = body["final_capture"], final.boolValue == nil {
            rules.add("INVALID_PARAMETER_SYNTAX", "/final_capture")
        }
        if let refusal = rules.refusal { return refusal }
        switch hold.status {
        case "CREATED", "PARTIALLY_CAPTURED": break
        case "CAPTURED": return .refused("AUTHORIZATION_ALREADY_CAPTURED")
        case "VOIDED": return .refused(now >= hold.expires ? "AUTHORIZATION_EXPIRED" : "AUTHORIZATION_VOIDED")
        case "PENDING": return .refused("PENDING_CAPTURE")
        default: return .refused("AUTHORIZATION_DENIED")
        }
        if hold.isClosed { return .refused("AUTHORIZATION_ALREADY_CAPTURED") }
        let amount = asked ?? hold.amount
        guard amount.currency == hold.amount.currency else {
            return .refused("AUTH_CAPTURE_CURRENCY_MISMATCH", "/amount")
        }
        guard hold.captures.count < PayPalLedger.maximumCaptures else { return .refused("MAX_CAPTURE_COUNT_EXCEEDED") }
        let before = hold.captures.reduce(Int64(0)) { $0 + (captures[$1]?.amount.minorUnits ?? 0) }
        guard let limit = PayPalLedger.captureLimit(hold.amount), before + amount.minorUnits <= limit else {
            return .refused("MAX_CAPTURE_AMOUNT_EXCEEDED", "/amount")
        }
        let isFinal = body["final_capture"]?.boolValue ?? false
        let capture = Capture(
            id: newID(), order: hold.order, unit: hold.unit, authorization: id, status: "COMPLETED", amount: amount,
            isFinal: isFinal, created: now, processor: hold.processor, invoice: body["invoice_id"]?.stringValue)
        captures[capture.id] = capture
        let isWhole = before + amount.minorUnits >= hold.amount.minorUnits
        authorizations[id]?.captures.append(capture.id)
        authorizations[id]?.status = isWhole || isFinal ? "CAPTURED" : "PARTIALLY_CAPTURED"
        authorizations[id]?.isClosed = isWhole || isFinal
        orders[hold.order]?.payments.append(.capture(capture.id))
        remember(key, path, .capture(capture.id))
        note("PAYMENT.CAPTURE.COMPLETED", render(capture))
        return PayPalAnswer(201, render(capture))
    }

    /// Returns the capture limit: 115 percent of the authorization, at most 75 dollars more.
    private static func captureLimit(_ hold: Money) -> Int64? {
        let (product, overflow) = hold.minorUnits.multipliedReportingOverflow(by: 115)
        guard !overflow else { return nil }
        let byPercent = product / 100
        return hold.currency == .usd ? min(byPercent, hold.minorUnits + 7500) : byPercent
    }

    func reauthorize(_ id: String, _ body: JSONValue, key: String?) -> PayPalAnswer {
        let path = "/v2/payments/authorizations/\(id)/reauthorize"
        if case .authorization(let done) = done(key, path, within: PayPalMemory.payments),
            let hold = authorizations[done]
        {
            return PayPalAnswer(200, render(hold))
        }
        expire(id)
        guard let hold = authorizations[id] else { return .missing() }
        var rules = PayPalRequestRules()
        let asked = rules.money(body["amount"], "/amount")
        if let refusal = rules.refusal { return refusal }
        if let asked, asked.currency != hold.amount.currency { return .refused("AUTH_CURRENCY_MISMATCH", "/amount") }
        if hold.status == "VOIDED" {
            return .refused(now >= hold.expires ? "AUTHORIZATION_EXPIRED" : "AUTHORIZATION_VOIDED")
        }
        guard hold.status == "CREATED" else { return .refused("AUTHORIZATION_ALREADY_CAPTURED") }
        guard hold.parent == nil, !hold.wasRenewed else {
            return .refused("REAUTHORIZATION_NOT_SUPPORTED", note: "a hold is renewed once, and a renewed one never")
        }
        guard now >= hold.created.adding(.days(3)) else {
            return .refused("REAUTHORIZATION_NOT_SUPPORTED", note: "the bank honors the hold still")
        }
        let amount = asked ?? hold.amount
        guard let limit = PayPalLedger.captureLimit(hold.amount), amount.minorUnits <= limit else {
            return .refused("AUTHORIZATION_AMOUNT_EXCEEDED", "/amount")
        }
        let renewed = Authorization(
            id: newID(), order: hold.order, unit: hold.unit, status: "CREATED", amount: amount, created: now,
            expires: hold.expires, processor: hold.processor, parent: id)
        authorizations[renewed.id] = renewed
        authorizations[id]?.wasRenewed = true
        orders[hold.order]?.payments.append(.authorization(renewed.id))
        remember(key, path, .authorization(renewed.id))
        note("PAYMENT.AUTHORIZATION.CREATED", render(renewed))
        return PayPalAnswer(201, render(renewed))
    }

    func void(_ id: String, key: String?, whole: Bool) -> PayPalAnswer {
        let path = "/v2/payments/authorizations/\(id)/void"
        if done(key, path, within: PayPalMemory.payments) != nil {
            return whole ? PayPalAnswer(200, authorizations[id].map(render)) : PayPalAnswer(204)
        }
        expire(id)
        guard let hold = authorizations[id] else { return .missing() }
        if hold.parent != nil { return .refused("CANNOT_BE_VOIDED") }
        switch hold.status {
        case "VOIDED": return .refused("PREVIOUSLY_VOIDED")
        case "CAPTURED": return .refused("PREVIOUSLY_CAPTURED")
        default: break
        }
        authorizations[id]?.status = "VOIDED"
        for (other, renewed) in authorizations where renewed.parent == id { authorizations[other]?.status = "VOIDED" }
        remember(key, path, .nothing)
        if let hold = authorizations[id] { note("PAYMENT.AUTHORIZATION.VOIDED", render(hold)) }
        return whole ? PayPalAnswer(200, authorizations[id].map(render)) : PayPalAnswer(204)
    }

    func refund(_ id: String, _ body: JSONValue, key: String?) -> PayPalAnswer {
        let path = "/v2/payments/captures/\(id)/refund"
        if case .refund(let done) = done(key, path, within: PayPalMemory.payments), let refund = refunds[done] {
            return PayPalAnswer(200, render(refund))
        }
        guard let found = captures[id] else { return .missing() }
        let capture = settled(found)
        var rules = PayPalRequestRules()
        let asked = rules.money(body["amount"], "/amount")
        for (name, limit) in [("custom_id", 127), ("invoice_id", 127), ("note_to_payer", 255)] {
            rules.text(body[name], "/\(name)", 1...limit)
        }
        if let refusal = rules.refusal { return refusal }
        switch capture.status {
        case "COMPLETED", "PARTIALLY_REFUNDED": break
        case "REFUNDED": return .refused("CAPTURE_FULLY_REFUNDED")
        default: return .refused("REFUND_NOT_ALLOWED", note: "the capture is \(capture.status)")
        }
        guard now.since(capture.created) < PayPalLedger.refundPeriod else {
            return .refused("REFUND_TIME_LIMIT_EXCEEDED")
        }
        let back = capture.refunds.reduce(Int64(0)) { $0 + moved($1) }
        let left = Money(minorUnits: capture.amount.minorUnits - back, currency: capture.amount.currency)
        let amount = asked ?? left
        guard amount.currency == left.currency else { return .refused("REFUND_CAPTURE_CURRENCY_MISMATCH", "/amount") }
        guard amount.minorUnits <= left.minorUnits else { return .refused("REFUND_AMOUNT_EXCEEDED", "/amount") }
        let refund = Refund(
            id: newID(), capture: id, status: "COMPLETED", amount: amount, created: now,
            custom: body["custom_id"]?.stringValue, invoice: body["invoice_id"]?.stringValue,
            note: body["note_to_payer"]?.stringValue)
        refunds[refund.id] = refund
        captures[id]?.refunds.append(refund.id)
        captures[id]?.status = amount == left ? "REFUNDED" : "PARTIALLY_REFUNDED"
        orders[capture.order]?.payments.append(.refund(refund.id))
        remember(key, path, .refund(refund.id))
        note("PAYMENT.CAPTURE.REFUNDED", render(refund))
        return PayPalAnswer(201, render(refund))
    }
}
