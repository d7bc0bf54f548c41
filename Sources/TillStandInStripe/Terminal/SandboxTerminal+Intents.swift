import TillCore
import TillSandbox

/// Operations of intents that are available only with a reader.
extension SandboxTerminal {
    /// Raises an authorized amount, if incremental authorization was requested.
    func increment(_ id: String, _ form: StripeForm) async throws -> StripeAnswer {
        guard let wire = form["amount"].flatMap({ Int64($0) }) else {
            return .invalid("amount", "Missing required param: amount.", code: "parameter_missing")
        }
        let now = now
        let answer = try await ledger.store.transaction { shelf -> StripeAnswer in
            guard var charge = try shelf.charge(id) else { return .missing("payment_intent", id) }
            guard charge.state == .authorized, charge.captures.isEmpty, !charge.isExpired(at: now) else {
                return SandboxTerminal.refuse(
                    "payment_intent_unexpected_state", "Only a hold can be raised.")
            }
            guard charge.allowsIncrement == true else {
                return .invalid("payment_intent", "This PaymentIntent does not support incremental authorization.")
            }
            guard let amount = SandboxTerminal.minorUnits(wire, charge), amount > charge.amount, wire <= 99_999_999
            else { return .invalid("amount", "The new amount must be above the one that is held.") }
            charge.amount = amount
            charge.authorized = amount
            try shelf.put(charge, keys: [])
            var answer = StripeAnswer(StripeRendering(now: now).intent(charge))
            answer.event = StripeAnswer.Event(
                type: "payment_intent.amount_capturable_updated", object: StripeRendering(now: now).intent(charge))
            return answer
        }
        return answer
    }
}
