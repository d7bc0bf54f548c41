internal import TillCore

/// The parts of a refund that are read.
struct StripeRefund: Sendable {
    let reference: ProviderReference
    let paymentIntent: String?
    let refund: RefundID?
    let amount: Money
    let status: ProviderSnapshot.Refund.Status

    /// `true` if the refund has moved money or may still move it.
    var mayHaveMoved: Bool { if case .failed = status { false } else { true } }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, let reference = ProviderReference(ifValid: id),
            let currency = StripeAmount.currency(json["currency"]),
            let amount = StripeAmount.money(json["amount"], currency),
            let status = json["status"]?.stringValue
        else { return nil }
        self.reference = reference
        self.amount = amount
        paymentIntent = json["payment_intent"]?.stringValue ?? json["payment_intent"]?["id"]?.stringValue
        refund = json["metadata"]?["till_refund"]?.stringValue.flatMap { RefundID(ifValid: $0) }
        switch status {
        case "succeeded": self.status = .succeeded
        case "failed", "canceled":
            let code = StripeError.word(json["failure_reason"]) { $0 } ?? status
            self.status = .failed(Decline(reason: StripeCodes.refundFailures[code]?.reason ?? .generic, code: code))
        default: self.status = .pending
        }
    }
}
