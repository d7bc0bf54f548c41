internal import Crypto
public import TillCore

/// The tab of an order: its amount, and the payments made for it. Each payment for an order with a tab is added to the
/// tab in the commit that creates it, so that together they never ask for more than the order's total.
public struct OrderTab: RecordDocument, Hashable {
    public static let collection: RecordCollection = "order_tab"
    /// The maximum number of payments for one order, those that were canceled included.
    public static let maximumPayments = 100

    /// The state of a tab.
    public enum State: String, Hashable, Sendable {
        /// The tab is being opened: a payment that was made before it may not be on it yet.
        case opening
        case open
        /// The order was canceled: no further payment is made for it.
        case closed
    }

    public let account: AccountID
    public let order: OrderID
    /// The amount due for the whole order.
    public var total: Money
    public var state: State
    /// `true` for an order that the counter booked from what was paid: while nothing of it is paid or asked for, a
    /// payment may ask for another amount of the same currency than the total, which then follows it.
    public var followsPayments = false
    /// The payments in the order of their creation.
    public private(set) var payments: [PaymentID]

    public init(account: AccountID, order: OrderID, total: Money) {
        (self.account, self.order, self.total) = (account, order, total)
        (state, payments) = (.opening, [])
    }

    /// Returns the tab with a further payment.
    public func adding(_ payment: PaymentID) -> OrderTab {
        var tab = self
        tab.payments.append(payment)
        return tab
    }

    /// Returns the key of an order's record: a hash, because order names may exceed the limit for keys.
    public static func key(account: AccountID, order: OrderID) -> String {
        var name: [UInt8] = []
        name.reserveCapacity(account.rawValue.utf8.count + 1 + order.rawValue.utf8.count)
        name += account.rawValue.utf8
        name.append(UInt8(ascii: "\n"))
        name += order.rawValue.utf8
        return SHA256.hash(data: name).withUnsafeBytes { Hex.lowercase($0) }
    }

    /// Returns the record identifier of an order's tab.
    public static func id(account: AccountID, order: OrderID) -> RecordID {
        RecordID(collection, key(account: account, order: order))
    }

    /// Returns the record identifier of an order's tab, given that of its hold: both have the same key unless the order
    /// is a part of another one.
    package static func id(account: AccountID, order: OrderID, besides hold: RecordID) -> RecordID {
        order.whole == order ? RecordID(collection, hold.key) : id(account: account, order: order)
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        account = AccountID(rawValue: try body.text("account"))
        order = OrderID(rawValue: try body.text("order"))
        guard let currency = try? Currency(code: try body.text("currency")) else { throw body.damaged("currency") }
        total = Money(minorUnits: try body.int("total"), currency: currency)
        guard let state = State(rawValue: try body.text("state")) else { throw body.damaged("state") }
        self.state = state
        followsPayments = body.json["follows_payments"]?.boolValue ?? false
        guard let names = body.json["payments"]?.arrayValue?.map(\.stringValue), !names.contains(nil) else {
            throw body.damaged("payments")
        }
        payments = names.compactMap { $0.map(PaymentID.init(rawValue:)) }
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("order", order.rawValue)
        writer.field("currency", total.currency.code)
        writer.field("total", total.minorUnits)
        writer.field("state", state.rawValue)
        if followsPayments { writer.field("follows_payments", true) }
        writer.key("payments")
        writer.beginArray()
        for payment in payments { writer.string(payment.rawValue) }
        writer.endArray()
        writer.endObject()
        return Record(OrderTab.id(account: account, order: order), body: writer.bytes)
    }
}
