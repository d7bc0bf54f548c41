import TillCore

/// Changes after the sale that the shop did not request, driven by `POST /_sandbox/aftersale`.
extension AdyenLedger {
    /// Applies `{"reference":"PSPREFERENCE","do":"refund"}`. Other actions: `capture`, `fail_refund`, `reverse_refund`,
    /// `fail_capture`, `recapture`, `inquire`, `notify`, `dispute`, `reinstate`, `second`, `win`, `lose`. `amount` is
    /// in minor units.
    /// - Returns: `false` if the action is not possible for that payment.
    func play(_ json: JSONValue) -> Bool {
        guard let name = json["reference"]?.stringValue?.split(separator: ".").first.map({ String($0) }),
            let payment = payments[name], payment.isHeld, let word = json["do"]?.stringValue
        else { return false }
        let value = json["amount"]?.int64Value
        switch word {
        case "refund":
            let units = value ?? (payment.captured - payment.refunded)
            guard units > 0, units <= payment.captured - payment.refunded else { return false }
            payments[name]?.refunded += units
            return step("REFUND", "refunds", payment, units)
        case "capture":
            guard payment.captured == 0, !payment.isCanceled else { return false }
            payments[name]?.captured = value ?? payment.authorized
            return step("CAPTURE", "captures", payment, value ?? payment.authorized)
        case "fail_refund", "reverse_refund":
            guard let index = payment.steps.lastIndex(where: { $0.kind == "refunds" && !$0.hasFailed }) else {
                return false
            }
            payments[name]?.steps[index].hasFailed = true
            payments[name]?.refunded -= payment.steps[index].value
            report(word == "fail_refund" ? "REFUND_FAILED" : "REFUNDED_REVERSED", payment.steps[index], of: payment)
            return true
        case "fail_capture": return failCapture(payment)
        case "recapture":
            guard payment.captured == 0, let step = payment.steps.last(where: { $0.kind == "captures" }) else {
                return false
            }
            payments[name]?.captured = step.value
            report(
                "CAPTURE", Step(name: newName(), kind: "captures", reference: step.reference, value: step.value),
                of: payment)
            return true
        default: return dispute(payment, word, value)
        }
    }

    private func step(_ event: String, _ kind: String, _ payment: Payment, _ value: Int64) -> Bool {
        // Refunds made in the Customer Area carry the payment's own name.
        let step = Step(name: newName(), kind: kind, reference: payment.reference, value: value)
        payments[payment.name]?.steps.append(step)
        report(event, step, of: payment)
        return true
    }

    private func report(_ event: String, _ step: Step, of payment: Payment) {
        tell(
            event, name: step.name, original: payment.name, reference: step.reference, account: payment.account,
            value: step.value, currency: payment.currency, refusal: nil)
    }

    private func failCapture(_ payment: Payment) -> Bool {
        guard payment.captured > 0 else { return false }
        payments[payment.name]?.captured = 0
        let index = payment.steps.lastIndex { $0.kind == "captures" && !$0.hasFailed }
        if let index { payments[payment.name]?.steps[index].hasFailed = true }
        let made =
            index.map { payment.steps[$0] }
            ?? Step(name: newName(), kind: "captures", reference: payment.reference, value: payment.captured)
        report("CAPTURE_FAILED", made, of: payment)
        return true
    }

    private static let disputes: [String: (event: String, status: String)] = [
        "inquire": ("REQUEST_FOR_INFORMATION", "Undefended"), "notify": ("NOTIFICATION_OF_CHARGEBACK", "Undefended"),
        "dispute": ("CHARGEBACK", "Undefended"), "reinstate": ("CHARGEBACK_REVERSED", "Pending"),
        "second": ("SECOND_CHARGEBACK", "Lost"), "win": ("CHARGEBACK_REVERSED", "Won"),
        "lose": ("SECOND_CHARGEBACK", "Lost"),
    ]

    private func dispute(_ payment: Payment, _ word: String, _ value: Int64?) -> Bool {
        guard let (event, status) = AdyenLedger.disputes[word], payment.captured > 0 else { return false }
        let isNew = ["inquire", "notify", "dispute"].contains(word)
        if isNew, payment.disputes.last.map({ $0.withdrawn > 0 || word != "dispute" }) ?? true {
            payments[payment.name]?.disputes.append(Dispute(name: newName(), value: value ?? payment.captured))
        }
        guard let all = payments[payment.name]?.disputes, let index = all.indices.last else { return false }
        switch event {
        case "CHARGEBACK", "SECOND_CHARGEBACK": payments[payment.name]?.disputes[index].withdrawn = all[index].value
        case "CHARGEBACK_REVERSED": payments[payment.name]?.disputes[index].withdrawn = 0
        default: break
        }
        tell(
            event, name: all[index].name, original: payment.name, reference: payment.reference,
            account: payment.account, value: all[index].value, currency: payment.currency,
            refusal: "Merchandise not received",
            more: [
                ("disputeStatus", .string(status)), ("defendable", .string("true")),
                ("defensePeriodEndsAt", .string("2030-01-31T10:00:00+01:00")),
            ])
        if word == "win" {
            // A chargeback reversal is not final: the dispute is won once the issuer accepts the defense or its
            // response period expires.
            tell(
                "ISSUER_RESPONSE_TIMEFRAME_EXPIRED", name: all[index].name, original: payment.name,
                reference: payment.reference, account: payment.account, value: all[index].value,
                currency: payment.currency, refusal: "", more: [("disputeStatus", .string("Won"))])
        }
        return true
    }
}
