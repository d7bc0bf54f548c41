public import TillCore

/// What a read gave: sealed data that only the provider can open, and what may be said of the card.
///
/// The sealed data are valid for ``TapToPayDeadlines/ciphertext`` from the read, and go to the provider also when the
/// read failed. They print and mirror as a mask.
public struct PaymentCardReadResult: Identifiable, Hashable, Sendable {
    /// The reader's own number of the read; a PIN is asked for with it.
    public var id: String
    /// Sealed for the provider, Base64 or the form of the driver. Opaque here.
    public var paymentCardData: String?
    /// Base64 of data objects whose choice is the provider's.
    public var generalCardData: String?
    /// How the read ended. iOS 16.4.
    public var outcome: ReadOutcome
    /// The customer went on without a PIN. iOS 17.
    public var pinBypassed: Bool
    /// A PIN was asked for because another way was not possible. iOS 17.
    public var isPINFallback: Bool
    /// Which kernel read it. iOS 18.
    public var applicationTypeIdentifier: String?
    /// Whether the card is in effect. iOS 18.4.
    public var cardEffectiveState: CardEffectiveState?
    /// Whether the card's date is over. iOS 18.4.
    public var cardExpirationState: CardExpirationState?
    /// What may be shown of the card. Only drivers that see it give it; Apple's never does.
    public var card: CardSummary?
    /// When the reader gave it, by the clock of the reader's engine: the ciphertext's deadline counts from here.
    public internal(set) var readAt: Timestamp?

    /// How a read ended. Open.
    public enum ReadOutcome: Hashable, Sendable {
        case success
        case cardDeclined
        /// The card was not read, so nothing can be charged.
        case failure
        /// A word that is not known here.
        case unrecognized(String)

        public var name: String {
            switch self {
            case .success: "success"
            case .cardDeclined: "cardDeclined"
            case .failure: "failure"
            case .unrecognized(let name): name
            }
        }
    }

    /// Whether a card is in effect. Open.
    public enum CardEffectiveState: Hashable, Sendable {
        case active
        /// The card is valid only from a later day on.
        case inactive
        /// Its date makes no sense.
        case invalid
        /// It did not say.
        case unknown
        /// A word that is not known here.
        case unrecognized(String)
    }

    /// Whether a card's date is over. Open.
    public enum CardExpirationState: Hashable, Sendable {
        case notExpired
        case expired
        /// Its date makes no sense.
        case invalid
        /// It did not say.
        case unknown
        /// A word that is not known here.
        case unrecognized(String)
    }

    public init(
        id: String, paymentCardData: String?, generalCardData: String? = nil, outcome: ReadOutcome = .success,
        pinBypassed: Bool = false, isPINFallback: Bool = false, applicationTypeIdentifier: String? = nil,
        cardEffectiveState: CardEffectiveState? = nil, cardExpirationState: CardExpirationState? = nil,
        card: CardSummary? = nil
    ) {
        (self.id, self.paymentCardData, self.generalCardData) = (id, paymentCardData, generalCardData)
        (self.outcome, self.pinBypassed, self.isPINFallback) = (outcome, pinBypassed, isPINFallback)
        self.applicationTypeIdentifier = applicationTypeIdentifier
        (self.cardEffectiveState, self.cardExpirationState) = (cardEffectiveState, cardExpirationState)
        self.card = card
    }

    /// Whether the sealed data are still good at that time.
    public func isFresh(at now: Timestamp, _ deadlines: TapToPayDeadlines = TapToPayDeadlines()) -> Bool {
        guard let readAt else { return false }
        let age = now.since(readAt)
        return age.milliseconds >= 0 && age <= deadlines.ciphertext
    }
}

extension PaymentCardReadResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number and the outcome; the data as masks.
    public var description: String {
        let (sealed, general) = (paymentCardData.map { _ in "••••" }, generalCardData.map { _ in "••••" })
        return "read \(id): \(outcome.name), data \(sealed ?? "none"), general \(general ?? "none")"
    }
    public var debugDescription: String { description }
    /// A mirror without the data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "outcome": outcome.name]) }
}
