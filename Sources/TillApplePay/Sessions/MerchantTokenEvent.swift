public import TillCore

/// A merchant token event from Apple's merchant token management API. Unknown kinds keep their text.
public struct MerchantTokenEvent: Sendable {
    /// The kind of event. Open: an unknown value keeps its raw text.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// Apple's value, as received.
        public let rawValue: String
        /// Creates a kind from any text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The common path prefix of event lookups.
    public static let folder = "/paymentservices/v1/merchantId/"

    /// Returns the lookup path of a notification's event at a gateway: the merchant, then the event.
    public static func path(merchant: MerchantIDHash, event: String) -> String {
        "\(folder)\(merchant)/merchantToken/event/\(event)"
    }

    /// Maximum length of an event identifier, in bytes.
    public static let maximumIdentifierBytes = 128

    /// Returns `true` for a valid event identifier: letters, digits, `-`, `_` and `.`, so that it cannot alter the
    /// path.
    public static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...maximumIdentifierBytes).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// The kind of event.
    public let kind: Kind
    /// The initiator, as Apple writes it: the customer or the card's issuer.
    public let reason: String
    /// The merchant token, as in the payment.
    public let merchantToken: Secret<String>
    /// The last four digits of the underlying card, if reported.
    public let lastFour: String?
    /// The expiry of that card, as Apple writes it, if reported.
    public let cardExpiry: String?

    /// Parses Apple's response; `nil` if it is not one.
    public init?(json: JSONValue) {
        guard let kind = json["eventType"]?.stringValue, let token = json["merchantTokenIdentifier"]?.stringValue,
            !kind.isEmpty, !token.isEmpty
        else { return nil }
        self.kind = Kind(rawValue: kind)
        reason = json["reason"]?.stringValue ?? ""
        merchantToken = Secret(token)
        let card = json["merchantTokenMetadata"]?["cardMetadata"]
        lastFour = card?["fpanSuffix"]?.stringValue
        cardExpiry = card?["expirationDate"]?.stringValue
    }
}
