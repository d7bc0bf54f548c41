internal import TillCore

/// The parts of a dispute that we read. `nil` from the initializer means that it cannot be relied upon.
struct StripeDispute: Sendable {
    let paymentIntent: String?
    let dispute: ProviderSnapshot.Dispute

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, let reference = ProviderReference(ifValid: id),
            let currency = StripeAmount.currency(json["currency"]),
            let amount = StripeAmount.money(json["amount"], currency), amount.isPositive,
            let status = StripeError.word(json["status"], { $0 })
        else { return nil }
        paymentIntent = json["payment_intent"]?.stringValue ?? json["payment_intent"]?["id"]?.stringValue
        let facts = Dispute.Facts(
            reference: reference, reason: StripeError.word(json["reason"]) { $0 } ?? "unknown", stage: status,
            amount: amount, respondBy: StripeDispute.deadline(json["evidence_details"]?["due_by"]))
        dispute = ProviderSnapshot.Dispute(
            facts: facts, withdrawn: StripeDispute.isWithdrawn(json) ? amount : .zero(currency),
            outcome: StripeDispute.outcome(status))
    }

    /// 0 means that no answer is taken.
    private static func deadline(_ seconds: JSONValue?) -> Timestamp? {
        guard let seconds = seconds?.int64Value, seconds > 0 else { return nil }
        let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : Timestamp(milliseconds: millis)
    }

    /// Its balance transactions are in the currency of the payout and can be several; their signs say whether
    /// the money is gone.
    private static func isWithdrawn(_ json: JSONValue) -> Bool {
        let moved = (json["balance_transactions"]?.arrayValue ?? []).compactMap { $0["amount"]?.int64Value }
        return moved.reduce(0) { $0.addingReportingOverflow($1).partialValue } < 0
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
