import TillCore
import TillSandbox

extension SandboxStripe {
    /// Applies a change after the sale, from `POST /_sandbox/aftersale`, and returns the webhooks for it:
    /// `{"reference":"pi_…","do":"fail_refund"}`. Other actions: `cancel_refund`, `refund`, `capture`, `dispute`,
    /// `inquire`, `withdraw`, `reinstate` (`amount`: a part), `win`, `lose`. `amount` is in minor units; `refund` names
    /// a refund; `reason` and `respond_by` (milliseconds since 1970) apply to a dispute.
    func play(_ json: JSONValue) async throws -> (answer: StripeAnswer, events: [StripeAnswer.Event]) {
        guard let reference = json["reference"]?.stringValue, let word = json["do"]?.stringValue,
            let event = SandboxStripe.event(word, json)
        else { return (.invalid("do", "Wanted: reference and do."), []) }
        guard let charge = try await ledger.play(event, on: ProviderReference(rawValue: reference)) else {
            return (.invalid("reference", "There is no such charge, or this cannot happen to it."), [])
        }
        let rendering = StripeRendering(now: now)
        return (StripeAnswer(.fields(["ok": .bool(true)])), SandboxStripe.events(word, charge, rendering))
    }

    private static func event(_ word: String, _ json: JSONValue) -> SandboxAfterSale? {
        let amount = json["amount"]?.int64Value
        let refund = json["refund"]?.stringValue
        let respondBy = json["respond_by"]?.int64Value.map { Timestamp(milliseconds: $0) }
        let reason = json["reason"]?.stringValue ?? "fraudulent"
        switch word {
        case "fail_refund": return .failRefund(refund, isCanceled: false)
        case "cancel_refund": return .failRefund(refund, isCanceled: true)
        case "refund": return .refund(amount)
        case "capture": return .capture(amount)
        case "dispute": return .dispute(amount, reason: reason, isInquiry: false, respondBy: respondBy)
        case "inquire": return .dispute(amount, reason: reason, isInquiry: true, respondBy: respondBy)
        case "withdraw": return .withdrawFunds
        case "reinstate": return .reinstateFunds(amount)
        case "win": return .closeDispute(isWon: true)
        case "lose": return .closeDispute(isWon: false)
        default: return nil
        }
    }

    private static func events(
        _ word: String, _ charge: SandboxCharge, _ rendering: StripeRendering
    ) -> [StripeAnswer.Event] {
        let refund = charge.refunds.last { word == "refund" || $0.status == .failed || $0.status == .canceled }
            .map { rendering.refund($0, of: charge) }
        let dispute = charge.disputes?.last.map { rendering.dispute($0, of: charge) }
        func event(_ type: String, _ object: JSONValue?) -> StripeAnswer.Event? {
            object.map { StripeAnswer.Event(type: type, object: $0) }
        }
        let events: [StripeAnswer.Event?] =
            switch word {
            case "fail_refund": [event("charge.refund.updated", refund), event("refund.failed", refund)]
            case "cancel_refund": [event("charge.refund.updated", refund), event("refund.updated", refund)]
            case "refund": [event("charge.refunded", rendering.charge(charge)), event("refund.created", refund)]
            case "capture":
                [
                    event("charge.captured", rendering.charge(charge)),
                    event("payment_intent.succeeded", rendering.intent(charge)),
                ]
            case "dispute":
                [event("charge.dispute.created", dispute), event("charge.dispute.funds_withdrawn", dispute)]
            case "inquire": [event("charge.dispute.created", dispute)]
            case "withdraw": [event("charge.dispute.funds_withdrawn", dispute)]
            case "reinstate": [event("charge.dispute.funds_reinstated", dispute)]
            case "win": [event("charge.dispute.funds_reinstated", dispute), event("charge.dispute.closed", dispute)]
            case "lose": [event("charge.dispute.closed", dispute)]
            default: []
            }
        return events.compactMap { $0 }
    }
}
