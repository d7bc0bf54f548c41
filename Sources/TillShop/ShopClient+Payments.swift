import HTTPTypes
package import TillCore

/// A payment that a shop is to record.
package struct ShopPayment: Hashable, Sendable {
    /// The name of the metadata with which Till marks an order that it has recorded a payment of.
    package static let mark = "_till_payment"
    /// The payment method that the shop shows for it.
    package static let method = "till"

    /// The order in the shop.
    package var order: Int64
    /// Till's identifier of the payment: one for the whole order, the same at each try.
    package var transaction: String
    /// What was paid: the order's whole total.
    package var amount: Money
    /// The method's name for people.
    package var title: String

    package init(order: Int64, transaction: String, amount: Money, title: String) {
        (self.order, self.transaction, self.amount, self.title) = (order, transaction, amount, title)
    }
}

extension ShopClient {
    /// The outcome of recording a payment.
    package enum Recording: Hashable, Sendable {
        case recorded(ShopOrder)
        /// The shop had it already, as after a lost answer.
        case already(ShopOrder)
    }

    /// Records a payment of a whole order, and reads it back: the shop answers 200 also where it records nothing.
    ///
    /// The order is read before anything is written, so this can be called again after ``ShopError/lost(_:)``: a
    /// payment with the same identifier is recorded once. Two calls for one order must not run at the same time.
    /// - Throws: ``ShopError``; after one that ``ShopError/mayHaveHappened`` the shop may have recorded it.
    package func record(_ payment: ShopPayment) async throws(ShopError) -> Recording {
        guard !payment.transaction.isEmpty, payment.transaction.utf8.count <= ShopLimits.identifierBytes else {
            throw .tooLong("The identifier of the payment")
        }
        guard payment.title.utf8.count <= ShopLimits.identifierBytes else { throw .tooLong("The payment method") }
        let before = try await order(payment.order)
        if before.isPaid(by: payment.transaction) {
            try ShopClient.compare(before, payment)
            return .already(before)
        }
        guard before.needsPayment else {
            // On hold or canceled, the shop would take the identifier and record no payment.
            if before.status.isWithoutPayment { throw .notPayable(before.status) }
            throw .paidOtherwise(transaction: ShopMessage.short(before.transaction))
        }
        try ShopClient.compare(before, payment)
        // No status: with one the shop saves it first and does not record the payment then.
        _ = try await change(
            .put, "orders/\(payment.order)",
            .members([
                "set_paid": .bool(true), "transaction_id": .string(payment.transaction),
                "payment_method": .string(ShopPayment.method), "payment_method_title": .string(payment.title),
                "meta_data": .array([
                    .members(["key": .string(ShopPayment.mark), "value": .string(payment.transaction)])
                ]),
            ]))
        let after: ShopOrder
        do throws(ShopError) { after = try await order(payment.order) } catch {
            throw .lost("the order could not be read back")
        }
        guard after.isPaid(by: payment.transaction) else { throw .notRecorded(after.status) }
        try ShopClient.compare(after, payment)
        return .recorded(after)
    }

    private static func compare(_ order: ShopOrder, _ payment: ShopPayment) throws(ShopError) {
        guard order.total == payment.amount else { throw .totalDiffers(shop: order.total, paid: payment.amount) }
    }

    /// Adds a private note to an order, unless it has one with the same text.
    /// - Parameter isFirst: `true` for a note that was certainly not sent before; it is not looked for.
    package func note(_ text: String, on order: Int64, isFirst: Bool = false) async throws(ShopError) {
        guard !text.isEmpty, text.utf8.count <= ShopLimits.noteBytes else { throw .tooLong("The note") }
        if !isFirst {
            guard let notes = try await get("orders/\(order)/notes").document.arrayValue else {
                throw .unreadable("list of notes")
            }
            guard !notes.contains(where: { $0["note"]?.stringValue == text }) else { return }
        }
        let made = try await change(
            .post, "orders/\(order)/notes",
            .members(["note": .string(text), "customer_note": .bool(false), "added_by_user": .bool(false)]))
        guard made["id"]?.int64Value != nil else { throw .lost("the shop named no note") }
    }
}
