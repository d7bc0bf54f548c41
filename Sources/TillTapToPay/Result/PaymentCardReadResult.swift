public import TillCore

/// The result of a read: sealed data that only the provider can open, and the displayable facts of the card.
///
/// The sealed data are valid for ``TapToPayDeadlines/ciphertext`` from the read, and are sent to the provider even if
/// the read failed. They print and mirror as a mask.
public struct PaymentCardReadResult: Identifiable, Hashable, Sendable {
    /// The reader's identifier of the read; a PIN request refers to it.
    public var id: String
    /// Encrypted for the provider, in Base64 or the form of the driver. Opaque here.
    public var paymentCardData: String?
    /// Base64 of data objects selected by the provider.
    public var generalCardData: String?
    /// The outcome of the read. iOS 16.4.
    public var outcome: ReadOutcome
    /// The customer continued without a PIN. iOS 17.
    public var pinBypassed: Bool
    /// A PIN was requested because another method was not possible. iOS 17.
    public var isPINFallback: Bool
    /// The kernel that read the card. iOS 18.
    public var applicationTypeIdentifier: String?
    /// The effective state of the card. iOS 18.4.
    public var cardEffectiveState: CardEffectiveState?
    /// The expiration state of the card. iOS 18.4.
    public var cardExpirationState: CardExpirationState?
    /// The displayable facts of the card. Only drivers that know them set this; Apple's never does.
    public var card: CardSummary?
    /// The time of the result by the clock of the reader's engine: the deadline of the ciphertext starts here.
    public internal(set) var readAt: Timestamp?

    /// The outcome of a read. Open.
    public enum ReadOutcome: Hashable, Sendable {
        case success
        case cardDeclined
        /// The card was not read, so nothing can be charged.
        case failure
        /// An unknown value.
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

    /// The effective state of a card. Open.
    public enum CardEffectiveState: Hashable, Sendable {
        case active
        /// The card is valid only from a later date on.
        case inactive
        /// The card's date is malformed.
        case invalid
        /// Not reported.
        case unknown
        /// An unknown value.
        case unrecognized(String)
    }

    /// The expiration state of a card. Open.
    public enum CardExpirationState: Hashable, Sendable {
        case notExpired
        case expired
        /// The card's date is malformed.
        case invalid
        /// Not reported.
        case unknown
        /// An unknown value.
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

    /// Returns `true` if the sealed data are still valid at that time.
    public func isFresh(at now: Timestamp, _ deadlines: TapToPayDeadlines = TapToPayDeadlines()) -> Bool {
        guard let readAt else { return false }
        let age = now.since(readAt)
        return age.milliseconds >= 0 && age <= deadlines.ciphertext
    }
}

extension PaymentCardReadResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The identifier and the outcome; the data as masks.
    public var description: String {
        let (sealed, general) = (paymentCardData.map { _ in "••••" }, generalCardData.map { _ in "••••" })
        return "read \(id): \(outcome.name), data \(sealed ?? "none"), general \(general ?? "none")"
    }
    public var debugDescription: String { description }
    /// A mirror without the data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "outcome": outcome.name]) }
}
