internal import TillCore
internal import TillHTTP

/// Strict parsing of Stripe's amounts.
enum StripeAmount {
    static func currency(_ value: JSONValue?) -> Currency? {
        value?.stringValue.flatMap { Currency(ifValid: $0.uppercased()) }
    }

    static func money(_ value: JSONValue?, _ currency: Currency) -> Money? {
        value?.int64Value.flatMap { AmountCodec.stripe.money(ifValid: $0, currency: currency) }
    }

    /// Masks card numbers, and references to payment methods, with which a card can be charged.
    static func scrub(_ text: String) -> String {
        let text = CardNumberMask.maskedForPeople(text)
        guard text.contains("pm_") else { return text }
        return text.replacing(/\bpm_[A-Za-z0-9_]+/, with: "pm_" + CardNumberMask.mask)
    }
}
