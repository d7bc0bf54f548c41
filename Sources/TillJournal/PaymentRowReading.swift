public import TillCore

/// A payment's row in a list: an unreadable one does not hide others.
public enum PaymentRowReading: Hashable, Sendable {
    case row(PaymentRow)
    case unreadable(UnreadableRow)

    public var id: PaymentID {
        switch self {
        case .row(let row): row.id
        case .unreadable(let row): row.id
        }
    }

    /// The provider of the last attempt, if there is one.
    public var provider: ProviderName? {
        switch self {
        case .row(let row): row.provider
        case .unreadable(let row): row.provider
        }
    }

    /// The creation time.
    public var createdAt: Timestamp {
        switch self {
        case .row(let row): row.createdAt
        case .unreadable(let row): row.createdAt
        }
    }
}

/// A payment in a list that is only partly readable.
public struct UnreadableRow: Hashable, Sendable {
    /// The unreadable part.
    public enum Part: Hashable, Sendable {
        /// The events, which are the payment: no operation is performed on it.
        case events
        /// The row that lists it. The payment itself is its events, and is unaffected.
        case row
    }

    public let id: PaymentID
    public let account: AccountID
    public let order: OrderID
    public let orderNumber: String
    /// The requested amount; `nil` if unreadable too.
    public let amount: Money?
    public let provider: ProviderName?
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    public let part: Part
    /// The reason it is unreadable.
    public let reason: String

    /// Creates a row for a payment with unreadable events; its contents may be out of date.
    public init(events row: PaymentRow, reason: String) {
        (id, account, order, orderNumber) = (row.id, row.account, row.order, row.orderNumber)
        (amount, provider, createdAt, updatedAt) = (row.amount, row.provider, row.createdAt, row.updatedAt)
        (part, self.reason) = (.events, reason)
    }

    package init(
        id: PaymentID, account: AccountID, order: OrderID, orderNumber: String, amount: Money?,
        provider: ProviderName?, createdAt: Timestamp, updatedAt: Timestamp, reason: String
    ) {
        (self.id, self.account, self.order, self.orderNumber) = (id, account, order, orderNumber)
        (self.amount, self.provider, self.createdAt, self.updatedAt) = (amount, provider, createdAt, updatedAt)
        (part, self.reason) = (.row, reason)
    }
}

extension Journal {
    /// Returns every row as readable, for a journal that cannot be damaged.
    public func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading] {
        try await payments(filter).map { .row($0) }
    }
}
