/// A dispute of a payment by the customer's bank or the provider: an inquiry, a chargeback, a claim. A payment can have
/// several disputes, and none of them is ever final.
public struct Dispute: Hashable, Sendable {
    /// The disputed attempt.
    public let attempt: AttemptID
    /// The time at which the dispute was recorded in the journal.
    public let openedAt: Timestamp
    /// The provider's data of the dispute.
    public internal(set) var facts: Facts
    /// The amount that the provider withdrew for it and has not reinstated, in the dispute's currency.
    public internal(set) var withdrawn: Money
    /// The outcome of the dispute; `nil` while it is open. A closed dispute can be reopened.
    public internal(set) var outcome: Outcome?

    /// A provider's data of a dispute, apart from its money and its outcome.
    public struct Facts: Hashable, Sendable {
        /// The provider's reference.
        public var reference: ProviderReference
        /// The reason, as the provider reports it. Nothing is decided on it.
        public var reason: String
        /// The stage, as the provider reports it. Nothing is decided on it.
        public var stage: String
        /// The disputed amount; may be in a currency other than the payment's.
        public var amount: Money
        /// The provider's deadline for the shop's response; `nil` if there is none, or no response is possible.
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

    /// The outcome of a closed dispute.
    public enum Outcome: Hashable, Sendable {
        case won
        case lost
        /// Closed without a decision about the money, such as an inquiry or a withdrawn dispute.
        case closed

        /// The outcome's name in the journal and over HTTP.
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

/// The originator of a capture or a refund.
public enum OperationOrigin: Hashable, Sendable {
    /// Requested from the provider by Till.
    case till
    /// Not requested by Till, as in the provider's dashboard, or done by the provider after it had refused it; the
    /// provider's reference.
    case provider(ProviderReference)
    /// Made outside the provider according to an operator, such as cash from the drawer.
    case elsewhere
}
