/// A card that the provider's own fields took in the customer's browser or app: the provider's reference to it. Neither
/// the shop nor Till has seen the number.
///
/// ```swift
/// if let token = CardToken("pm_1PQrst2eZvKYlo2C") {
///     let tender = Tender.token(token)
///     print(tender.summary.kind.rawValue)
/// }
/// ```
public struct CardToken: Sendable {
    /// The maximum length, in bytes.
    public static let maximumBytes = 255

    /// The reference: a payment method of Stripe (`pm_…`), a nonce of Braintree. Whoever has it and the shop's key can
    /// charge the card.
    public let value: Secret<String>

    /// Creates a token of ASCII letters, digits, dashes and underscores; `nil` for anything else. Every provider's
    /// tokens have letters, so that a card number in their place is refused.
    public init?(_ text: String) {
        var hasLetters = false
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: hasLetters = true
            case 0x30...0x39, 0x2D, 0x5F: break
            default: return nil
            }
        }
        guard hasLetters, text.utf8.count <= CardToken.maximumBytes else { return nil }
        value = Secret(text)
    }
}
