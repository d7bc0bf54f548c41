public import TillCore

/// An order of the counter's order book, with its money. A snapshot, without the customer.
///
/// ```swift
/// let counter = try CounterClient(
///     address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
/// for listed in try await counter.orders(in: .open).orders { print(listed.number, listed.amount) }
/// let order = try await counter.order(OrderID(rawValue: "1001"))
/// let payment = try await counter.createPayment(of: order, key: IdempotencyKey(rawValue: "pay-1001"))
/// let paid = try await counter.confirm(payment, .cash(nil), key: IdempotencyKey(rawValue: "cash-1001"))
/// print(paid.status)
/// ```
public struct CounterOrder: Hashable, Sendable {
    /// The order's identifier at the counter, with the counter's scope if it has one.
    public let id: OrderID
    public let account: AccountID
    /// The number that people use.
    public let number: String
    /// The progress of its goods, apart from its money.
    public let state: CounterOrderState
    /// The total, with tax.
    public let amount: Money
    public let lines: [CounterOrderLine]
    /// The customer's note.
    public let note: String?
    /// The time for which it is wanted, with its offset, as the shop wrote it.
    public let wantedAt: String?
    public let money: CounterOrderMoney
    /// Its payments, oldest first; none if one of them cannot be read. ``CounterClient/payment(_:)`` reads a whole one.
    public let payments: [CounterOrderPayment]
}

/// The progress of an order's goods. Open: an unknown state keeps its raw value.
public struct CounterOrderState: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// To be prepared.
    public static let open = CounterOrderState(rawValue: "open")
    /// Prepared, to be handed over or sent.
    public static let ready = CounterOrderState(rawValue: "ready")
    /// Handed over or sent.
    public static let fulfilled = CounterOrderState(rawValue: "fulfilled")
    public static let canceled = CounterOrderState(rawValue: "canceled")
}

/// A line of an order, for display.
public struct CounterOrderLine: Hashable, Sendable {
    public let name: String
    /// Decimal text, such as `1.5`.
    public let quantity: String
    /// The price of all pieces, without tax.
    public let amount: Money
}

/// The money of an order.
public enum CounterOrderMoney: Hashable, Sendable {
    case known(CounterOrderBalance)
    /// A payment of the order cannot be read, so nothing is known of the sums. Do not charge the order.
    case unreadable
}

/// The sums of an order's payments.
public struct CounterOrderBalance: Hashable, Sendable {
    public let status: CounterOrderBalanceStatus
    /// Captured, without tips. Partial refunds do not reduce it.
    public let paid: Money
    /// The amount that unfinished payments ask for.
    public let reserved: Money
    /// The amount that no payment asks for yet.
    public let open: Money
    /// Refunded by all payments.
    public let refunded: Money
}

/// The summary of an order's money. Open: an unknown status keeps its raw value, and is neither paid nor unpaid.
public struct CounterOrderBalanceStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Nothing was asked for.
    public static let unpaid = CounterOrderBalanceStatus(rawValue: "unpaid")
    /// A payment was begun, and nothing is captured yet.
    public static let pending = CounterOrderBalanceStatus(rawValue: "pending")
    /// A part was captured.
    public static let partlyPaid = CounterOrderBalanceStatus(rawValue: "partly_paid")
    /// All was captured.
    public static let paid = CounterOrderBalanceStatus(rawValue: "paid")
    /// All that was captured was refunded.
    public static let refunded = CounterOrderBalanceStatus(rawValue: "refunded")
}

/// A payment of an order, in short.
public struct CounterOrderPayment: Hashable, Sendable {
    public let id: PaymentID
    public let status: CounterPaymentStatus
}

/// A page of a list of orders.
public struct CounterOrderList: Hashable, Sendable {
    /// Newest first.
    public let orders: [CounterOrder]
    /// The number of orders on the page that the counter, or this version, cannot read.
    public let unreadable: Int
    /// The order before which the next page begins; `nil` at the end of the list.
    public let next: OrderID?
}
