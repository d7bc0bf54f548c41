import Crypto
public import TillCore

/// The way in which an app pays. Card numbers have no place here: the provider's own fields take them.
public enum CheckoutTender: Sendable {
    /// The reference that the provider's own card fields returned: a payment method of Stripe, a nonce of Braintree.
    case token(Secret<String>)
    /// The customer's PayPal account: the presenter shows PayPal's page, on which the customer approves.
    case payPal
    /// A card that PayPal's SDK attaches to the order that the counter has prepared. The closure is called with the
    /// order's id, shows the SDK's fields and returns when they are done; whatever it returns, the counter is asked. It
    /// returns soon when its task is canceled, which ``CounterCheckoutLimits/challenge`` does.
    case payPalCard(@Sendable (_ orderID: String) async -> ChallengeEnd)
    /// A card that Adyen's SDK takes in the session that the counter has opened. The closure is called with the
    /// session, shows the SDK's fields and returns the `sessionResult` that the SDK reports; `nil` if the customer has
    /// left them. Whatever it returns, the counter is asked. It returns soon when its task is canceled, which
    /// ``CounterCheckoutLimits/challenge`` does.
    case adyenSession(@Sendable (_ session: CustomerSession) async -> SessionResult?)

    var json: JSONValue {
        switch self {
        case .token(let token): .members(["type": .string("token"), "token": .string(token.reveal())])
        case .payPal: .members(["type": .string("paypal")])
        case .payPalCard: .members(["type": .string("paypal_card")])
        case .adyenSession: .members(["type": .string("adyen_session")])
        }
    }

    /// Returns the idempotency key of a press: the same for the same payment, token and number, in every life of the
    /// app. The token cannot be read from it.
    func key(of payment: PaymentID, press: Int) -> IdempotencyKey {
        let token =
            switch self {
            case .token(let token): token.reveal()
            case .payPal: "paypal"
            case .payPalCard: "paypal_card"
            case .adyenSession: "adyen_session"
            }
        let hash = SHA256.hash(data: Array("till app checkout 1\u{0}\(payment)\u{0}\(press)\u{0}\(token)".utf8))
        // Letters only: digits in a row may read as a card number, which the counter refuses.
        let letters = hash.prefix(20).flatMap { [0x61 + $0 >> 4, 0x61 + $0 & 0xF] }
        return IdempotencyKey(rawValue: "app-" + String(decoding: letters, as: UTF8.self))
    }
}
