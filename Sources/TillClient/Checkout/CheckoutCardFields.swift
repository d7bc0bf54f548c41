public import TillCore

/// What the provider's SDK in an app needs to draw its card fields, and to make a reference for
/// ``CheckoutTender/token(_:)``, attach the card to an order (``CheckoutTender/payPalCard(_:)``) or take it in a
/// session (``CheckoutTender/adyenSession(_:)``). Open: the key of a provider that this version does not know is not
/// kept.
public enum CheckoutCardFields: Sendable {
    /// The publishable key for Stripe's SDK: the same for every customer, and no secret.
    case stripe(publishableKey: String)
    /// The client token for Braintree's SDK: for one customer, valid for a day. With a verification the card's bank is
    /// asked before the nonce pays; ``CounterCheckout/verify(_:of:presenter:)`` hands it to the presenter.
    case braintree(clientToken: Secret<String>, verification: CardVerification?)
    /// The client id for PayPal's SDK: the same for every customer, and no secret.
    case payPal(clientID: String)
    /// The client key for Adyen's SDK, `test_…` or `live_…`: the same for every customer, and no secret.
    case adyen(clientKey: String)
    /// A provider that this version does not know.
    case other(provider: String)

    /// The maximum length of a key, in bytes.
    static let maximumKeyBytes = 16_384

    init(_ json: JSONValue, of session: CounterCheckoutSession) throws(CounterCheckoutError) {
        func key(_ name: String) throws(CounterCheckoutError) -> String {
            guard let key = json[name]?.stringValue, (1...CheckoutCardFields.maximumKeyBytes).contains(key.utf8.count)
            else { throw .unreadable(reason: "it has no \(name)") }
            return key
        }
        guard let provider = json["provider"]?.stringValue else { throw .unreadable(reason: "it has no provider") }
        switch provider {
        case "stripe": self = .stripe(publishableKey: try key("publishable_key"))
        case "braintree":
            let token = Secret(try key("client_token"))
            var verification: CardVerification?
            if let asked = json["three_d_secure"], asked != .null {
                verification = try CardVerification(asked, of: session)
            }
            self = .braintree(clientToken: token, verification: verification)
        case "paypal": self = .payPal(clientID: try key("client_id"))
        case "adyen": self = .adyen(clientKey: try key("client_key"))
        default: self = .other(provider: String(provider.prefix(128)))
        }
    }
}
