internal import TillCore
internal import TillHardware

/// A payment intent as it was just read.
struct StripeIntentNow: Sendable {
    let intent: StripePaymentIntent
    let json: JSONValue

    var status: PaymentIntentStatus { PaymentIntentStatus(rawValue: intent.status) }
    /// `true` if no card is being charged or was charged.
    var isUnpaid: Bool { status == .requiresPaymentMethod || status == .requiresConfirmation }
    /// `true` if Stripe's SDK on a device collects the payment.
    var isOnDevice: Bool {
        json["metadata"]?[StripeTerminalProvider.collectorKey]?.stringValue == StripeTerminalProvider.deviceMark
    }
    var isInterac: Bool { intent.charge?["payment_method_details"]?["type"]?.stringValue == "interac_present" }

    struct ReadFailure: Error {
        let outcome: StripeOutcome

        func answer<Success>(_ online: StripeProvider) -> ProviderAnswer<Success> {
            switch outcome {
            case .failed(let error): online.answer(to: error)
            case .notSent(let reason): .notSent(reason: reason)
            case .unknown(let reason): .unknown(reason: reason)
            case .answered: .unknown(reason: online.unreadable)
            }
        }
    }
}

extension StripeTerminal {
    /// Reads a payment intent with its latest charge.
    func intent(_ reference: ProviderReference) async -> Result<StripeIntentNow, StripeIntentNow.ReadFailure> {
        let outcome = await client.send(TerminalCall.intent(reference), within: deadline)
        guard case .answered(let json) = outcome, let intent = StripePaymentIntent(json),
            intent.reference == reference
        else { return .failure(StripeIntentNow.ReadFailure(outcome: outcome)) }
        return .success(StripeIntentNow(intent: intent, json: json))
    }
}
