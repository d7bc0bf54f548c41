package import TillCore

/// An order as a shop describes it.
package struct ShopOrder: Hashable, Sendable {
    /// The shop's identifier: a number that it never uses again.
    package let id: Int64
    /// What the customer sees as the number.
    package let number: String
    package let status: ShopOrderStatus
    package let total: Money
    /// The provider's identifier of its payment; empty if there is none.
    package let transaction: String
    /// The shop's word on whether the order may be charged: pending or failed with a total above zero, unless a plugin
    /// decides otherwise.
    package let needsPayment: Bool
    /// `true` if the shop has a date of payment, which any change to processing or completed sets: no proof of money.
    package let hasPaidDate: Bool
    /// The last change, in whole seconds.
    package let modified: Timestamp
    /// The whole document; in a list, what was asked for.
    package let document: JSONValue

    /// The members that this type reads.
    static let fields = [
        "id", "number", "status", "currency", "total", "transaction_id", "needs_payment", "date_paid_gmt",
        "date_modified_gmt",
    ]

    /// - Throws: ``ShopError/unreadable(_:)``.
    init(_ document: JSONValue) throws(ShopError) {
        guard let id = document["id"]?.int64Value, id > 0 else { throw .unreadable("id of an order") }
        guard let status = document["status"]?.stringValue, !status.isEmpty, status.utf8.count <= 100,
            status.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw .unreadable("status of the order \(id)")
        }
        guard let currency = document["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }) else {
            throw .unreadable("currency of the order \(id)")
        }
        guard let total = document["total"]?.stringValue.flatMap({ Money(ifValid: $0, currency: currency) }) else {
            throw .unreadable("total of the order \(id)")
        }
        let modified = document["date_modified_gmt"]?.stringValue.flatMap {
            Timestamp(internetTime: $0.hasSuffix("Z") ? $0 : $0 + "Z")
        }
        guard let modified else { throw .unreadable("time of the last change of the order \(id)") }
        self.id = id
        self.number = document["number"]?.stringValue ?? String(id)
        self.status = ShopOrderStatus(status)
        self.total = total
        // Till's own are short; of another's longer one the beginning is enough to be told from them.
        self.transaction = String((document["transaction_id"]?.stringValue ?? "").prefix(ShopLimits.identifierBytes))
        let mayNeed = self.status == .pending || self.status == .failed
        self.needsPayment = document["needs_payment"]?.boolValue ?? (mayNeed && total.minorUnits > 0)
        self.hasPaidDate = document["date_paid_gmt"]?.stringValue != nil
        self.modified = modified
        self.document = document
    }

    /// `true` if the shop has recorded the payment with an identifier.
    package func isPaid(by transaction: String) -> Bool {
        !transaction.isEmpty && self.transaction == transaction && hasPaidDate && !needsPayment
            && !status.isWithoutPayment
    }
}
