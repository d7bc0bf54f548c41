public import TillCore

/// What happened to a merchant's token: the answer of Apple's merchant token management interface. Kinds that are not
/// known keep their text.
public struct MerchantTokenEvent: Sendable {
    /// What happened to the token. Open: a word that is not known keeps its raw value.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// Apple's word, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What every such address begins with.
    public static let folder = "/paymentservices/v1/merchantId/"

    /// Where a notification's identifier is looked up, at a gateway: the merchant, then the event.
    public static func path(merchant: MerchantIDHash, event: String) -> String {
        "\(folder)\(merchant)/merchantToken/event/\(event)"
    }

    /// Most bytes of an event's identifier.
    public static let maximumIdentifierBytes = 128

    /// Whether a text can be an event's identifier: letters, digits, `-`, `_` and `.`, so that no path is changed by
    /// it.
    public static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...maximumIdentifierBytes).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// What happened to the token.
    public let kind: Kind
    /// Who made it happen, as Apple writes it: the customer or the card's issuer.
    public let reason: String
    /// The token, as the payment had it.
    public let merchantToken: Secret<String>
    /// The last four digits of the card behind it, if they are reported.
    public let lastFour: String?
    /// When that card ends, as Apple writes it, if it is reported.
    public let cardExpiry: String?

    /// Reads Apple's answer; `nil` if it is not one.
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
