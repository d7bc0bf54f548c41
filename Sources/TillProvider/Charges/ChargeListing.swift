public import TillCore

/// Lists what a provider has, whoever asked for it: after a restore it tells which charges the journal does not know.
///
/// Moves no money. Members may be called at any time and at once.
public protocol ChargeListing: Sendable {
    /// How long after it was made a charge may still be missing from the list. Nothing is concluded from a list
    /// that was read earlier.
    var lag: Span { get }
    /// One page of what was made since a moment: charges and, where the provider lists them, refunds.
    /// - Parameters:
    ///   - since: by the provider's clock.
    ///   - cursor: as the page before gave it; `nil`: the first page. A cursor holds for the life of the listing,
    ///     in another process too.
    func charges(since: Timestamp, after cursor: String?) async -> ChargePage
}

/// What came of asking for one page.
public enum ChargePage: Hashable, Sendable {
    /// What it lists, and the cursor of the next one; `nil`: it was the last.
    case listed([ListedCharge], next: String?)
    /// It cannot be read now; why, without secrets. The same page is asked for again.
    case failed(String)
}

/// A charge or a refund as a provider lists it.
public struct ListedCharge: Hashable, Sendable {
    /// Which way the money went.
    public enum Kind: String, Hashable, Sendable {
        case charge
        case refund
    }

    public let kind: Kind
    /// The provider's name for it.
    public let reference: ProviderReference
    /// Our payment; `nil`: it is none of Till's.
    public let payment: PaymentID?
    /// Our attempt; `nil`: it does not say, as a refund does not.
    public let attempt: AttemptID?
    /// Whose order it was for, where the provider has it.
    public let account: AccountID?
    public let order: OrderID?
    /// It has taken money, holds it, or may still do so.
    public let mayHaveMoved: Bool
    public let amount: Money?
    /// Where it stands, in the provider's word.
    public let status: String

    public init(
        _ kind: Kind, _ reference: ProviderReference, payment: PaymentID?, attempt: AttemptID? = nil,
        account: AccountID? = nil, order: OrderID? = nil, mayHaveMoved: Bool, amount: Money?, status: String
    ) {
        self.kind = kind
        self.reference = reference
        self.payment = payment
        self.attempt = attempt
        self.account = account
        self.order = order
        self.mayHaveMoved = mayHaveMoved
        self.amount = amount
        self.status = status
    }
}
