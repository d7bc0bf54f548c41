/// Money that a provider holds for us, or (single-message) has captured.
public struct Authorization: Hashable, Sendable {
    /// The provider's reference.
    public var reference: ProviderReference
    /// The amount with the tip; without it never more than requested, and less if the issuer approved only a part.
    public var amount: Money
    /// The tip that the customer added at the reader or left in cash; a part of ``amount``.
    public var tip: Money?
    /// `true` if the scheme has no separate capture (Interac and the like), so that the money is already captured.
    public var isCaptured: Bool
    /// The end of the hold; a capture after that is refused.
    public var captureBefore: Timestamp?
    /// The end of the issuer's guarantee; after it the hold can be captured, but may be refused. `nil` if it is the
    /// same as ``captureBefore``. If the provider does not report the end of a hold, the shortest time in its
    /// documentation: an operator is warned of it, and nothing is voided or refused because of it.
    public var honoredUntil: Timestamp?
    /// The displayable card data, now that the provider knows the card.
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

    /// The amount that pays the order: all but the tip. `nil` if the two are inconsistent.
    public var base: Money? {
        guard let tip else { return amount }
        guard !tip.isNegative, let base = amount.subtracting(ifExact: tip), base.isPositive else { return nil }
        return base
    }
}

/// A capture, void or refund completed by the provider.
public struct Confirmation: Hashable, Sendable {
    /// The provider's reference, if the operation has its own.
    public var reference: ProviderReference?

    public init(reference: ProviderReference? = nil) { self.reference = reference }
}

/// A provider's complete state of one attempt at one moment. The authority by which webhooks and unknown outcomes are
/// settled.
public struct ProviderSnapshot: Hashable, Sendable {
    /// The state of the attempt.
    public enum Standing: Hashable, Sendable {
        /// The provider does not know it.
        case notFound
        /// It exists, but no money was requested yet.
        case unconfirmed
        /// The customer must take action.
        case requiresAction(CustomerAction)
        /// The customer has acted, and the provider waits for our call: the authorization can be requested without the
        /// card.
        case continuable
        /// The card's data are stored on this device, and no decision was made yet.
        case stored(StoredTap)
        /// The provider has not decided yet.
        case processing
        /// Money is held or captured.
        case authorized(Authorization)
        /// The provider or the issuer declined; no money moved.
        case declined(Decline)
        /// The hold was voided, by us or by the provider.
        case voided
    }

    /// One refund at the provider.
    public struct Refund: Hashable, Sendable {
        /// The state of a refund.
        public enum Status: Hashable, Sendable {
            /// The provider has not settled it yet.
            case pending
            case succeeded
            /// Certainly not done; the money is with the shop.
            case failed(Decline)
        }
        /// The provider's reference.
        public var reference: ProviderReference
        /// Our identifier, if the refund is ours.
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

    /// A capture that failed after the provider had made it; ``captured`` excludes it.
    public struct FailedCapture: Hashable, Sendable {
        /// The provider's reference of the capture, if it has its own.
        public var reference: ProviderReference?
        /// Our identifier, if the provider reports it.
        public var capture: CaptureID?
        /// The reason of the failure.
        public var decline: Decline

        public init(reference: ProviderReference?, capture: CaptureID? = nil, decline: Decline) {
            self.reference = reference
            self.capture = capture
            self.decline = decline
        }
    }

    /// A dispute at the provider.
    public struct Dispute: Hashable, Sendable {
        public var facts: TillCore.Dispute.Facts
        /// The amount that the provider has withdrawn and not reinstated, in the currency of the dispute; zero for an
        /// inquiry.
        public var withdrawn: Money
        /// The outcome; `nil` while the dispute is open.
        public var outcome: TillCore.Dispute.Outcome?

        /// Refunds in the provider's list that represent the same money, and are not counted in addition to the
        /// dispute.
        public var refunds: [ProviderReference]
        /// `true` if the data come from an earlier webhook rather than from the provider's current state: they can open
        /// an unknown dispute, withdraw more and close it, but revert nothing that was read before.
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

        /// Returns the outstanding part of a disputed amount if the money was withdrawn and reinstated in another
        /// currency, each at the rate of its own day: the same share of the amount as of the withdrawn money, rounded
        /// half up. No provider reports it exactly.
        /// - Parameters:
        ///   - taken: The total withdrawn, in minor units.
        ///   - returned: The part reinstated, in minor units of the same currency.
        /// - Returns: A value from zero to the amount.
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

    /// The provider's reference of the attempt, if known.
    public var reference: ProviderReference?
    public var standing: Standing
    /// The total captured so far.
    public var captured: Money
    /// All refunds, ours and external ones.
    public var refunds: [Refund]
    /// Captures that failed after they had succeeded.
    public var failedCaptures: [FailedCapture] = []
    /// `true` if a capture is still pending at the provider: money that ``captured`` excludes may still be captured.
    public var hasPendingCapture = false
    /// All disputes that the provider reports. The absence of one is no evidence.
    public var disputes: [Dispute] = []
    /// A sentence for the reviewer of the payment about data that our credentials cannot read, so that it is missing or
    /// may be outdated; `nil` if there is none.
    public var warning: String?
    /// A sentence for the reviewer of the payment about money that others moved and that does not fit what was asked
    /// for; `nil` if there is none. Raised at once, whatever else is open.
    public var objection: String?

    public init(reference: ProviderReference?, standing: Standing, captured: Money, refunds: [Refund] = []) {
        self.reference = reference
        self.standing = standing
        self.captured = captured
        self.refunds = refunds
    }
}
