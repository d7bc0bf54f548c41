internal import TillCore
internal import TillProvider

/// A publishable key of Stripe's: with it Stripe's script makes payment methods of cards, and nothing else. Not a
/// secret.
struct StripePublishableKey: Hashable, Sendable {
    /// The maximum length, in bytes.
    static let maximumBytes = 255

    let text: String

    /// - Parameter mode: The mode of the secret key. A payment method of the other mode would be unknown to it.
    /// - Throws: ``StripeConfigurationError``, which never repeats the input.
    init(_ text: String, in mode: PaymentMode) throws(StripeConfigurationError) {
        let isTest = text.hasPrefix("pk_test_")
        let isSafe = text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
        guard isTest || text.hasPrefix("pk_live_"), isSafe,
            (9...StripePublishableKey.maximumBytes).contains(text.utf8.count)
        else { throw .unusablePublishableKey }
        guard isTest == (mode == .test) else { throw .publishableKeyOfOtherMode(mode) }
        self.text = text
    }

    /// The card fields with this key. The origins are those that Stripe names for its script.
    /// Source: Stripe, "Content Security Policy" in the security guide.
    var cardFields: ProviderCardFields {
        ProviderCardFields(
            sources: ProviderCardFields.Sources(
                scripts: ["https://js.stripe.com", "https://*.js.stripe.com"],
                frames: ["https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"],
                connections: ["https://api.stripe.com"], asksBanks: true),
            key: { [text] _ in .publishable(text) })
    }
}
