internal import TillCore
internal import TillHTTP

/// Reading of Stripe's amounts; nothing is guessed.
enum StripeAmount {
    static func currency(_ value: JSONValue?) -> Currency? {
        value?.stringValue.flatMap { try? Currency(code: $0.uppercased()) }
    }

    static func money(_ value: JSONValue?, _ currency: Currency) -> Money? {
        value?.int64Value.flatMap { try? AmountCodec.stripe.money(fromWire: $0, currency: currency) }
    }

    static func scrub(_ text: String) -> String { CardScrubbing.withoutNumbers(text) }
}
