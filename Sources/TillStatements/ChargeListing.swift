public import TillCore

/// Lists a provider's charges regardless of their origin; after a restore it finds charges missing from the journal.
///
/// Moves no money. Members may be called at any time and concurrently.
public protocol ChargeListing: Sendable {
    /// The time for which a new charge may still be missing from the list. No conclusion is drawn from a list read
    /// earlier than that.
    var lag: Span { get }
    /// Returns one page of everything created since a time: charges and, if the provider lists them, refunds.
    /// - Parameters:
    ///   - since: the start, by the provider's clock.
    ///   - cursor: the cursor from the previous page; `nil` for the first page. A cursor stays valid for the whole
    ///     listing, in other processes too.
    func charges(since: Timestamp, after cursor: String?) async -> ChargePage
}

/// The result of requesting one page.
public enum ChargePage: Hashable, Sendable {
    /// The page and the cursor of the next one; `nil` after the last page.
    case listed([ListedCharge], next: String?)
    /// The page cannot be read now; the reason, without secrets. The same page is requested again.
    case failed(String)
}

/// A charge or refund as listed by a provider.
public struct ListedCharge: Hashable, Sendable {
    /// The direction of the money.
    public enum Kind: String, Hashable, Sendable {
        case charge
        case refund
    }

    public let kind: Kind
    /// The provider's reference.
    public let reference: ProviderReference
    /// The payment in Till; `nil` if Till did not create it.
    public let payment: PaymentID?
    /// The attempt in Till; `nil` if the entry does not name it, as for refunds.
    public let attempt: AttemptID?
    /// The account of the order, if the provider has it.
    public let account: AccountID?
    public let order: OrderID?
    /// `true` if money was captured, is held, or may still move.
    public let mayHaveMoved: Bool
    public let amount: Money?
    /// The provider's status text.
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
