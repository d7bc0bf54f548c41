public import TillCore

/// A payment's row as a list has it: one that cannot be read hides no other.
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

    /// When it was created.
    public var createdAt: Timestamp {
        switch self {
        case .row(let row): row.createdAt
        case .unreadable(let row): row.createdAt
        }
    }
}

/// A payment of a list of which not all can be read.
public struct UnreadableRow: Hashable, Sendable {
    /// What of it cannot be read.
    public enum Part: Hashable, Sendable {
        /// The events, which are the payment: nothing is done on it.
        case events
        /// The row that lists it. The payment is its events, and continues by them.
        case row
    }

    public let id: PaymentID
    public let account: AccountID
    public let order: OrderID
    public let orderNumber: String
    /// What was asked for; `nil`: that cannot be read either.
    public let amount: Money?
    public let provider: ProviderName?
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    public let part: Part
    /// Why it cannot be read.
    public let reason: String

    /// One whose events cannot be read; what its row says may be out of date.
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
    /// Every row as it is read; a journal that cannot be damaged has no other.
    public func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading] {
        try await payments(filter).map { .row($0) }
    }
}
