/// A customer's bank, or the provider, takes a payment up again: an inquiry, a chargeback, a claim. A record of its
/// own; a payment can have several, and none of them is ever final.
public struct Dispute: Hashable, Sendable {
    /// The attempt whose money it is about.
    public let attempt: AttemptID
    /// When the journal heard of it.
    public let openedAt: Timestamp
    /// What the provider says of it.
    public internal(set) var facts: Facts
    /// What the provider took back for it and has not returned, in the dispute's currency.
    public internal(set) var withdrawn: Money
    /// How it was closed; `nil`: it is open. One that was closed can be opened again.
    public internal(set) var outcome: Outcome?

    /// What a provider says of a dispute, apart from its money and its end.
    public struct Facts: Hashable, Sendable {
        /// What the provider calls it.
        public var reference: ProviderReference
        /// Why, in the provider's word. Nothing is decided on it.
        public var reason: String
        /// The provider's word for where it stands. Nothing is decided on it.
        public var stage: String
        /// How much is disputed; may be in another currency than the payment.
        public var amount: Money
        /// Until when the shop may answer, as the provider says; `nil`: it says none, or it cannot be answered.
        public var respondBy: Timestamp?

        public init(
            reference: ProviderReference, reason: String, stage: String, amount: Money, respondBy: Timestamp? = nil
        ) {
            self.reference = reference
            self.reason = reason
            self.stage = stage
            self.amount = amount
            self.respondBy = respondBy
        }
    }

    /// How a dispute was closed.
    public enum Outcome: Hashable, Sendable {
        case won
        case lost
        /// Closed without a decision about the money, such as an inquiry or a dispute that was withdrawn.
        case closed

        /// As in the journal and over HTTP.
        public var word: String {
            switch self {
            case .won: "won"
            case .lost: "lost"
            case .closed: "closed"
            }
        }

        public init?(word: String) {
            switch word {
            case "won": self = .won
            case "lost": self = .lost
            case "closed": self = .closed
            default: return nil
            }
        }
    }
}

/// Who moved the money of a capture or a refund.
public enum OperationOrigin: Hashable, Sendable {
    /// Till asked the provider for it.
    case till
    /// Not asked for by Till, as in the provider's dashboard, or done by the provider after it had refused it; the
    /// provider's name for it.
    case provider(ProviderReference)
    /// A person says that it happened without the provider, such as cash from the drawer.
    case elsewhere
}
