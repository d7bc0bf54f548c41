internal import TillCore
internal import TillProvider

/// The parts of a dispute that are read. The initializer returns `nil` if the data is unreliable.
struct StripeDispute: Sendable {
    let paymentIntent: String?
    let dispute: ProviderSnapshot.Dispute

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, let reference = ProviderReference(ifValid: id),
            let currency = StripeAmount.currency(json["currency"]),
            let amount = StripeAmount.money(json["amount"], currency), !amount.isNegative,
            let status = StripeError.word(json["status"], { $0 })
        else { return nil }
        paymentIntent = json["payment_intent"]?.stringValue ?? json["payment_intent"]?["id"]?.stringValue
        let facts = Dispute.Facts(
            reference: reference, reason: StripeError.word(json["reason"]) { $0 } ?? "unknown", stage: status,
            amount: amount, respondBy: StripeDispute.deadline(json["evidence_details"]?["due_by"]))
        let outcome = StripeDispute.outcome(status)
        guard let withdrawn = StripeDispute.withdrawn(json["balance_transactions"], of: amount, outcome) else {
            return nil
        }
        dispute = ProviderSnapshot.Dispute(facts: facts, withdrawn: withdrawn, outcome: outcome)
    }

    /// Returns the members of a dispute that are stored; no customer data is among them.
    static func facts(_ json: JSONValue) -> JSONValue? {
        let moved = json["balance_transactions"]?.arrayValue.map { entries in
            JSONValue.array(entries.compactMap { $0.only(["amount", "currency", "reporting_category"]) })
        }
        let intent = json["payment_intent"]?["id"] ?? json["payment_intent"]
        return json.only(["id", "amount", "currency", "status", "reason"])?.with("payment_intent", intent)
            .with("evidence_details", json["evidence_details"]?.only(["due_by"])).with("balance_transactions", moved)
    }

    /// Returns the response deadline; 0 means that Stripe accepts no response.
    private static func deadline(_ seconds: JSONValue?) -> Timestamp? {
        guard let seconds = seconds?.int64Value, seconds > 0 else { return nil }
        let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : Timestamp(milliseconds: millis)
    }

    /// Returns the part of the amount held by the bank. The entries are in the balance's currency, each converted at
    /// the rate of its day, possibly several and with rate corrections among them: only the category identifies a
    /// reversal. A won dispute has been returned in full, whatever the rate of that day. Source: Stripe's page
    /// "Reporting categories".
    /// - Returns: `nil` if the entries are unreadable.
    private static func withdrawn(_ entries: JSONValue?, of amount: Money, _ outcome: Dispute.Outcome?) -> Money? {
        var (taken, returned, isInOwn): (Int64, Int64, Bool) = (0, 0, true)
        for entry in entries?.arrayValue ?? [] {
            guard let units = entry["amount"]?.int64Value else { return nil }
            isInOwn = isInOwn && StripeAmount.currency(entry["currency"]) == amount.currency
            let isReturn =
                entry["reporting_category"]?.stringValue.map { $0 == "dispute_reversal" }
                ?? (units > 0 && outcome != nil)
            let (sum, overflow) =
                isReturn ? returned.addingReportingOverflow(units) : taken.subtractingReportingOverflow(units)
            guard !overflow else { return nil }
            if isReturn { returned = sum } else { taken = sum }
        }
        if outcome == .won || taken <= returned { return .zero(amount.currency) }
        guard isInOwn else { return ProviderSnapshot.Dispute.part(of: amount, taken: taken, returned: returned) }
        let gone = taken.subtractingReportingOverflow(max(0, returned)).partialValue
        guard let money = AmountCodec.stripe.money(ifValid: gone, currency: amount.currency) else { return nil }
        return Money(minorUnits: min(money.minorUnits, amount.minorUnits), currency: amount.currency)
    }

    private static func outcome(_ status: String) -> Dispute.Outcome? {
        switch status {
        case "won": .won
        case "lost": .lost
        case "warning_closed", "prevented": .closed
        default: nil
        }
    }
}
