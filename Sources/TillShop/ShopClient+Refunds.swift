import HTTPTypes
package import TillCore

/// A refund that Till has made and a shop is to record.
package struct ShopRefund: Hashable, Sendable {
    /// The name of the metadata by which Till knows its refunds.
    package static let mark = "_till_refund"

    /// The order in the shop.
    package var order: Int64
    /// Till's identifier of the refund, the same at each try.
    package var id: String
    package var amount: Money
    package var reason: String

    package init(order: Int64, id: String, amount: Money, reason: String) {
        (self.order, self.id, self.amount, self.reason) = (order, id, amount, reason)
    }
}

extension ShopClient {
    /// The outcome of recording a refund, with the shop's identifier of it.
    package enum RefundRecording: Hashable, Sendable {
        case recorded(Int64)
        /// The shop had it already, as after a lost answer.
        case already(Int64)
    }

    /// Records a refund whose money Till has given back: `api_refund` is false, so the shop moves none.
    ///
    /// Shops record a repeated refund twice. Till's mark is looked for among the order's refunds before each try, so
    /// this can be called again after ``ShopError/lost(_:)``. Two calls for one order must not run at the same time.
    package func record(_ refund: ShopRefund) async throws(ShopError) -> RefundRecording {
        guard !refund.id.isEmpty, refund.id.utf8.count <= ShopLimits.identifierBytes else {
            throw .tooLong("The identifier of the refund")
        }
        guard refund.reason.utf8.count <= ShopLimits.noteBytes else { throw .tooLong("The reason of the refund") }
        if let known = try await known(refund) { return .already(known) }
        let made = try await change(
            .post, "orders/\(refund.order)/refunds",
            .members([
                "amount": .string(refund.amount.decimalString), "reason": .string(refund.reason),
                "api_refund": .bool(false), "api_restock": .bool(false),
                "meta_data": .array([.members(["key": .string(ShopRefund.mark), "value": .string(refund.id)])]),
            ]))
        guard let id = made["id"]?.int64Value else { throw .lost("the shop named no refund") }
        return .recorded(id)
    }

    /// Finds a refund by its mark; `nil` if the shop has none.
    private func known(_ refund: ShopRefund) async throws(ShopError) -> Int64? {
        try await refunds(of: refund.order).first { $0.mark == refund.id }?.id
    }

    /// Returns the refunds of an order as the shop has them, also those that Till recorded.
    package func refunds(of order: Int64) async throws(ShopError) -> [RecordedRefund] {
        let currency = try await self.order(order).total.currency
        var refunds: [RecordedRefund] = []
        var seen: Set<Int64> = []
        for page in 0..<(ShopLimits.refunds / ShopLimits.page) {
            // Newest first: one that is added meanwhile only repeats others.
            let answer = try await get(
                "orders/\(order)/refunds",
                [("offset", String(page * ShopLimits.page)), ("per_page", String(ShopLimits.page))])
            guard let listed = answer.document.arrayValue, listed.count <= ShopLimits.page else {
                throw .unreadable("list of refunds")
            }
            for one in listed {
                let refund = try RecordedRefund(one, currency)
                if seen.insert(refund.id).inserted { refunds.append(refund) }
            }
            guard listed.count == ShopLimits.page else { return refunds }
        }
        throw .unreadable("list of refunds: there are \(ShopLimits.refunds) or more")
    }
}

/// A refund as a shop has recorded it.
package struct RecordedRefund: Hashable, Sendable {
    /// The shop's identifier of the refund.
    package let id: Int64
    /// The amount, above zero.
    package let amount: Money
    /// The reason, shortened and without card numbers.
    package let reason: String
    /// Till's identifier of the refund, if Till recorded it.
    package let mark: String?

    /// - Throws: ``ShopError/unreadable(_:)``.
    init(_ document: JSONValue, _ currency: Currency) throws(ShopError) {
        guard let id = document["id"]?.int64Value, id > 0 else { throw .unreadable("id of a refund") }
        guard
            let amount = document["amount"].map({ $0.stringValue ?? $0.text }).flatMap({
                Money(ifValid: $0, currency: currency)
            }),
            amount.isPositive
        else { throw .unreadable("amount of the refund \(id)") }
        self.id = id
        self.amount = amount
        reason = ShopMessage.short(document["reason"]?.stringValue)
        mark = (document["meta_data"]?.arrayValue ?? []).first { $0["key"]?.stringValue == ShopRefund.mark }
            .flatMap { $0["value"]?.stringValue }
    }
}
