public import TillCore

/// The card fields of a provider, which its script draws in frames of its own origin, or its SDK in an app. They turn a
/// card into a reference (`CardToken`) without showing its number to anybody but the provider.
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

        public init(
            scripts: [String], frames: [String], connections: [String], images: [String] = [], asksBanks: Bool
        ) {
            self.scripts = scripts
            self.frames = frames
            self.connections = connections
            self.images = images
            self.asksBanks = asksBanks
        }
    }

    /// The key with which the fields make references. It makes references, and reads and charges nothing.
    public enum Key: Sendable {
        /// Stripe's publishable key: the same for every customer, and no secret.
        case publishable(String)
        /// A client token of Braintree's: for one customer, valid for a day.
        case clientToken(Secret<String>)
    }

    /// What the counter's frame loads for the provider's fields; `nil` if the frame has the counter's own fields.
    public let sources: Sources?
    private let makeKey: @Sendable (Currency) async -> Key?

    /// - Parameter key: Returns a key for a payment in a currency; `nil` if the provider gives none at the moment.
    public init(sources: Sources?, key: @escaping @Sendable (Currency) async -> Key?) {
        self.sources = sources
        makeKey = key
    }

    /// Returns a key for a payment in a currency; `nil` if the provider gives none at the moment. Moves no money.
    public func key(for currency: Currency) async -> Key? { await makeKey(currency) }
}
