public import TillCore

/// A filter for a list of payments.
///
/// ```swift
/// var filter = PaymentFilter(account: .main, status: .succeeded, limit: 20)
/// let newest = try await journal.payments(filter)
/// filter.before = newest.last?.id
/// let older = try await journal.payments(filter)
/// ```
public struct PaymentFilter: Hashable, Sendable {
    /// Only payments of this account.
    public var account: AccountID?
    /// Only payments for this order.
    public var order: OrderID?
    /// Only payments in this status.
    public var status: PaymentStatus?
    /// Only sales of this staff member: the actor of the first event. To be used with an account, which its index
    /// begins with.
    public var seller: StaffID?
    /// Only payments of orders of this shop: the value of `shop` among the order's metadata. To be used with an
    /// account, too.
    public var shop: String?
    /// Only payments older than this one: the last of the previous page.
    public var before: PaymentID?
    /// The maximum number of payments, from 1 to ``JournalLimits/maximumPage``; other values are clamped.
    public var limit: Int

    public init(
        account: AccountID? = nil, order: OrderID? = nil, status: PaymentStatus? = nil, before: PaymentID? = nil,
        limit: Int = 50
    ) {
        self.account = account
        self.order = order
        self.status = status
        self.before = before
        self.limit = limit
    }
}

extension PaymentFilter {
    /// `true` if the list is by the origin of its sales: by staff or by shop.
    package var hasOrigin: Bool { seller != nil || shop != nil }
}

/// A payment as a list row: projected from its events in the same write.
public struct PaymentRow: Hashable, Sendable {
    public var id: PaymentID
    public var account: AccountID
    public var order: OrderID
    /// The shop's own order number.
    public var orderNumber: String
    public var status: PaymentStatus
    /// The requested amount.
    public var amount: Money
    public var captured: Money
    public var refunded: Money
    /// The provider of the last attempt.
    public var provider: ProviderName?
    /// The tender of the last attempt.
    public var tenderKind: TenderKind?
    /// The creation time.
    public var createdAt: Timestamp
    /// The time of its last event.
    public var updatedAt: Timestamp
    /// The number of its events.
    public var version: Int

    /// Creates the row of a payment.
    public init(_ payment: Payment) {
        id = payment.id
        account = payment.account
        order = payment.order.id
        orderNumber = payment.order.number
        status = payment.status
        amount = payment.amount
        captured = payment.captured
        refunded = payment.refunded
        provider = payment.provider
        tenderKind = payment.tender?.kind
        createdAt = payment.createdAt
        updatedAt = payment.updatedAt
        version = payment.version
    }

    package init(
        id: PaymentID, account: AccountID, order: OrderID, orderNumber: String, status: PaymentStatus, amount: Money,
        captured: Money, refunded: Money, provider: ProviderName?, tenderKind: TenderKind?, createdAt: Timestamp,
        updatedAt: Timestamp, version: Int
    ) {
        self.id = id
        self.account = account
        self.order = order
        self.orderNumber = orderNumber
        self.status = status
        self.amount = amount
        self.captured = captured
        self.refunded = refunded
        self.provider = provider
        self.tenderKind = tenderKind
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.version = version
    }
}
