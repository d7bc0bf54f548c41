public import TillCore

/// The card fields of a provider, which its script draws in frames of its own origin, or its SDK in an app. They turn a
/// card into a reference (`CardToken`), or attach it to a prepared order, without showing its number to anybody but the
/// provider.
///
/// A value: any number of calls may run concurrently.
public struct ProviderCardFields: Sendable {
    /// The origins that the provider's script needs in a page around its fields, as the sources of a
    /// Content-Security-Policy.
    public struct Sources: Hashable, Sendable {
        public let scripts: [String]
        public let frames: [String]
        public let connections: [String]
        public let images: [String]
        /// `true` if a bank may ask the customer on a page of its own, whose host nobody knows before.
        public let asksBanks: Bool
        /// `true` if the script writes styles or scripts into the page, which it marks with a nonce of the page's.
        public let usesNonce: Bool

        public init(
            scripts: [String], frames: [String], connections: [String], images: [String] = [], asksBanks: Bool,
            usesNonce: Bool = false
        ) {
            self.scripts = scripts
            self.frames = frames
            self.connections = connections
            self.images = images
            self.asksBanks = asksBanks
            self.usesNonce = usesNonce
        }
    }

    /// What the counter charges for a card of the fields.
    public enum Reference: Hashable, Sendable {
        /// A reference that the fields make (`Tender.token`).
        case token
        /// An order that the counter prepares and the fields attach the card to (`Tender.payPalCard`).
        case order
        /// A session that the counter opens and the fields take the card in (`Tender.adyenSession`).
        case session
    }

    /// The key with which the fields take cards. It reads and charges nothing.
    public enum Key: Sendable {
        /// Stripe's publishable key: the same for every customer, and no secret.
        case publishable(String)
        /// A client token of Braintree's: for one customer, valid for a day.
        case clientToken(Secret<String>)
        /// PayPal's client id: the same for every customer, and no secret.
        case clientID(String)
        /// Adyen's client key: the same for every customer, and no secret.
        case clientKey(String)
    }

    /// What the counter's frame loads for the provider's fields; `nil` if the frame has the counter's own fields.
    public let sources: Sources?
    public let reference: Reference
    /// `true` if the fields must have the bank asked about each card, for the payment's amount, before its reference is
    /// handed in. The provider charges no other one.
    public let verifiesCards: Bool
    private let makeKey: @Sendable (Currency) async -> Key?

    /// - Parameter key: Returns a key for a payment in a currency; `nil` if the provider gives none at the moment.
    public init(
        sources: Sources?, reference: Reference = .token, verifiesCards: Bool = false,
        key: @escaping @Sendable (Currency) async -> Key?
    ) {
        self.sources = sources
        self.reference = reference
        self.verifiesCards = verifiesCards
        makeKey = key
    }

    /// Returns a key for a payment in a currency; `nil` if the provider gives none at the moment. Moves no money.
    public func key(for currency: Currency) async -> Key? { await makeKey(currency) }
}
