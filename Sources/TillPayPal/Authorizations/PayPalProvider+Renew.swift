internal import TillPayPalClient
public import TillCore

extension PayPalProvider {
    /// Renews a hold: the issuer honors it for three more days, never beyond its expiration. The original hold is
    /// always the one renewed; the order then has a second hold, with the id, expiration and honor period reported by
    /// PayPal.
    public func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        guard let reference = PayPalReference(request.context.reference), let hold = reference.authorization else {
            return .declined(Decline(reason: .invalidRequest, message: "there is no hold"))
        }
        guard let members = PayPalMoney.members(ifExact: request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "PayPal cannot take this amount"))
        }
        let call = PayPalCall.post(
            PayPalPath.authorization(hold, "reauthorize"), .members(["amount": .object(members)]), key: request.key)
        switch await connection.send(call, within: deadline) {
        case .answered(_, let json, _):
            guard let renewed = OrderAuthorization(json) else { return .unknown(reason: unreadable) }
            guard renewed.amount == request.amount else { return .unknown(reason: amountMismatch) }
            switch renewed.status {
            case .created:
                return .approved(authorization(of: renewed, in: reference, amount: request.amount, card: nil))
            case .denied, .voided:
                let code = renewed.processor?.responseCode ?? renewed.status.rawValue
                return .declined(
                    Decline(reason: renewed.processor?.declineReason ?? .generic, code: code, message: "not renewed"))
            default: return .unknown(reason: "the renewed hold is \(renewed.status.rawValue)")
            }
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }
}
