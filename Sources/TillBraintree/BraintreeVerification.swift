internal import HTTPTypes
internal import TillCore

/// What the bank must have said of a card of Braintree's fields before it is charged. The setting
/// `braintree.three_d_secure`.
///
/// The fields' script has the bank ask the customer and makes another nonce with the bank's answer, which Braintree
/// keeps. What the script reports is never believed: the answer is read from Braintree.
public enum BraintreeVerification: String, Hashable, Sendable, CaseIterable {
    /// No bank is asked, and a nonce is charged as it comes.
    case off
    /// A card whose bank could bear a loss is charged only if it does; one whose bank takes no part is charged.
    case whenOffered = "when_offered"
    /// A card is charged only if the bank bears a loss.
    case required

    /// Returns the decline of a nonce that may not be charged; `nil` if it may. A nonce that no bank was asked about is
    /// refused: whoever made it has left the question out.
    func refusal(of found: NonceVerification?) -> Decline? {
        let allows: Bool =
            switch self {
            case .off: true
            case .whenOffered: found.map { $0.isShifted || !$0.isPossible } ?? false
            case .required: found?.isShifted ?? false
            }
        guard !allows else { return nil }
        return Decline(
            reason: .generic, code: "THREE_D_SECURE_\(found?.status ?? "missing")",
            message: "the bank's verification did not succeed")
    }
}

/// The bank's answer about a nonce's card, as Braintree keeps it.
struct NonceVerification: Hashable, Sendable {
    /// `true` if the bank bears the loss of a fraud.
    let isShifted: Bool
    /// `true` if the bank takes part, so that it could.
    let isPossible: Bool
    /// Braintree's word for the answer, unmodified but for its length, such as `authenticate_successful`.
    let status: String

    /// Parses the answer in a nonce's document; `nil` for a nonce that no bank was asked about.
    init?(_ nonce: XMLNode) {
        guard let info = nonce["three-d-secure-info"], info.attributes["nil"] != "true",
            let shifted = info.value("liability-shifted"), let possible = info.value("liability-shift-possible")
        else { return nil }
        isShifted = shifted == "true"
        isPossible = possible == "true"
        status = ProviderText.cut(info.value("status") ?? "unknown", atMost: 64)
    }
}

extension BraintreeProvider {
    /// Reads the bank's answer about a nonce's card before money is requested. Moves no money, so a lost response is
    /// equivalent to none. The amount that the bank was asked about is compared by Braintree with the transaction's.
    /// - Returns: `nil` if the nonce may be charged.
    func refusal(ofNonce nonce: Secret<String>, until end: Timestamp) async -> ProviderAnswer<Authorization>? {
        guard verification != .off else { return nil }
        let unreadable = "the bank's verification of the card cannot be read"
        // A reference has letters, digits, dashes and underscores alone, so it is safe in a path.
        let path = "/payment_method_nonces/\(nonce.reveal())"
        switch await gateway.send(.get, path, within: end.since(clock.now())) {
        case .answered(let node):
            guard node.name == "payment-method-nonce", node.value("nonce") == nonce.reveal() else {
                return .notSent(reason: unreadable)
            }
            guard let decline = verification.refusal(of: NonceVerification(node)) else { return nil }
            return .declined(decline)
        case .failed(404):
            return .declined(
                Decline(reason: .invalidRequest, code: "91565", message: "Braintree does not know the nonce"))
        case .refused: return .notSent(reason: unreadable)
        case .failed(let status): return .notSent(reason: "\(unreadable) (HTTP \(status))")
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason), .unknown(let reason): return .notSent(reason: reason)
        }
    }
}
