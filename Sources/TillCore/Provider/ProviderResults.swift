/// Money that a provider holds for us, or (single-message) has taken.
public struct Authorization: Hashable, Sendable {
    /// What the provider calls it.
    public var reference: ProviderReference
    /// How much, with the tip; without it never more than was asked for, less when the issuer approved a part.
    public var amount: Money
    /// What the customer added at the reader; a part of ``amount``.
    public var tip: Money?
    /// The scheme has no separate capture (Interac and the like): the money is taken already.
    public var isCaptured: Bool
    /// The hold ends here; a capture after that is refused.
    public var captureBefore: Timestamp?
    /// Until then the bank answers for the money; after it the hold can be captured, but may be refused. `nil`:
    /// the same as ``captureBefore``. Where the provider does not say when a hold ends, the shortest time that its
    /// documents name: a person is warned of it, and nothing is voided or refused because of it.
    public var honoredUntil: Timestamp?
    /// What may be shown of the card, now that the provider knows it.
    public var card: CardSummary?

    public init(
        reference: ProviderReference, amount: Money, isCaptured: Bool = false, captureBefore: Timestamp? = nil,
        honoredUntil: Timestamp? = nil, card: CardSummary? = nil, tip: Money? = nil
    ) {
        self.reference = reference
        self.amount = amount
        self.tip = tip
        self.isCaptured = isCaptured
        self.captureBefore = captureBefore
        self.honoredUntil = honoredUntil
        self.card = card
    }

    /// What pays the order: all but the tip. `nil` if the two do not fit together.
    public var base: Money? {
        guard let tip else { return amount }
        guard !tip.isNegative, let base = amount.subtracting(ifExact: tip), base.isPositive else { return nil }
        return base
    }
}

/// A capture, void or refund that the provider has done.
public struct Confirmation: Hashable, Sendable {
    /// What the provider calls it, if it has a name of its own.
    public var reference: ProviderReference?

    public init(reference: ProviderReference? = nil) { self.reference = reference }
}

/// Everything a provider knows about one attempt at one moment. The truth that webhooks and unknown
/// outcomes are settled by.
public struct ProviderSnapshot: Hashable, Sendable {
    /// Where the attempt stands.
    public enum Standing: Hashable, Sendable {
        /// The provider does not know it.
        case notFound
        /// It exists, no money was asked for yet.
        case unconfirmed
        /// It waits for the customer.
        case requiresAction(CustomerAction)
        /// The customer has done what was asked, and it waits for us: the money can be asked for without the card.
        case continuable
        /// Its card's data are stored on this device and were not decided about.
        case stored(StoredTap)
        /// The provider does not know yet.
        case processing
        /// Money is held or taken.
        case authorized(Authorization)
        /// The provider or the issuer declined; no money moved.
        case declined(Decline)
        /// The hold was voided, by us or by the provider.
        case voided
    }

    /// One refund at the provider.
    public struct Refund: Hashable, Sendable {
        /// How a refund stands.
        public enum Status: Hashable, Sendable {
            /// The provider has not settled it yet.
            case pending
            case succeeded
            /// Certainly not done; the money is with the shop.
            case failed(Decline)
        }
        /// What the provider calls it.
        public var reference: ProviderReference
        /// Our name for it, when it is ours.
        public var refund: RefundID?
        public var amount: Money
        public var status: Status

        public init(reference: ProviderReference, refund: RefundID?, amount: Money, status: Status) {
            self.reference = reference
            self.refund = refund
            self.amount = amount
            self.status = status
        }
    }

    /// A capture that the provider had taken and that failed; ``captured`` leaves it out.
    public struct FailedCapture: Hashable, Sendable {
        /// What the provider calls the capture, if it has a name of its own.
        public var reference: ProviderReference?
        /// Our name for it, when the provider reports it.
        public var capture: CaptureID?
        /// Why the capture failed.
        public var decline: Decline

        public init(reference: ProviderReference?, capture: CaptureID? = nil, decline: Decline) {
            self.reference = reference
            self.capture = capture
            self.decline = decline
        }
    }

    /// One dispute at the provider.
    public struct Dispute: Hashable, Sendable {
        public var facts: TillCore.Dispute.Facts
        /// What the provider has taken back for it and not returned, in the currency of the dispute; zero for an
        /// inquiry.
        public var withdrawn: Money
        /// How it was closed; `nil`: it is open.
        public var outcome: TillCore.Dispute.Outcome?

        /// Refunds in the provider's list that tell of the same money, and are not counted beside the dispute.
        public var refunds: [ProviderReference]
        /// It was not read from the provider, but is as a webhook told it some time ago: it opens what is not known,
        /// takes more and closes, and takes nothing back of what was read before.
        public var isTold: Bool

        public init(
            facts: TillCore.Dispute.Facts, withdrawn: Money, outcome: TillCore.Dispute.Outcome? = nil,
            refunds: [ProviderReference] = [], isTold: Bool = false
        ) {
            self.facts = facts
            self.withdrawn = withdrawn
            self.outcome = outcome
            self.refunds = refunds
            self.isTold = isTold
        }

        /// What of a disputed amount is gone where it was taken and returned in another currency, each at the rate of
        /// its own day: the same share of the amount as of what was taken, rounded half up. No provider says it
        /// exactly.
        /// - Parameters:
        ///   - taken: minor units of what was taken in all.
        ///   - returned: minor units of what came back of it, in the same currency.
        /// - Returns: at least nothing, at most the amount.
        package static func part(of amount: Money, taken: Int64, returned: Int64) -> Money {
            let back = max(0, returned)
            guard taken > back, amount.isPositive else { return .zero(amount.currency) }
            let gone = taken - back
            let whole = UInt64(taken)
            let product = UInt64(amount.minorUnits).multipliedFullWidth(by: UInt64(gone))
            let (share, rest) = whole.dividingFullWidth((product.high, product.low))
            let rounded = Int64(share) + (rest >= whole - rest ? 1 : 0)
            return Money(minorUnits: min(rounded, amount.minorUnits), currency: amount.currency)
        }
    }

    /// What the provider calls the attempt, if it knows it.
    public var reference: ProviderReference?
    public var standing: Standing
    /// All that was captured so far.
    public var captured: Money
    /// All refunds, ours and others.
    public var refunds: [Refund]
    /// Captures that failed after they had succeeded.
    public var failedCaptures: [FailedCapture] = []
    /// The provider has not decided about a capture: what ``captured`` leaves out may still be taken.
    public var hasPendingCapture = false
    /// All disputes that the provider reports. One that is missing here says nothing.
    public var disputes: [Dispute] = []
    /// What our credentials may not read, so that it is missing or may be old: a sentence for whoever reviews the
    /// payment. `nil`: nothing.
    public var warning: String?

    public init(reference: ProviderReference?, standing: Standing, captured: Money, refunds: [Refund] = []) {
        self.reference = reference
        self.standing = standing
        self.captured = captured
        self.refunds = refunds
    }
}
