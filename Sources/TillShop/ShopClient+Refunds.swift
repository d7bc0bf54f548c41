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
        var seen = 0
        while seen < ShopLimits.refunds {
            // Refunds are never removed by Till; newest first, one that is added meanwhile only repeats others.
            let answer = try await get(
                "orders/\(refund.order)/refunds",
                [("offset", String(seen)), ("per_page", String(ShopLimits.page))])
            guard let page = answer.document.arrayValue, page.count <= ShopLimits.page else {
                throw .unreadable("list of refunds")
            }
            for one in page {
                let isMarked = (one["meta_data"]?.arrayValue ?? []).contains {
                    $0["key"]?.stringValue == ShopRefund.mark && $0["value"]?.stringValue == refund.id
                }
                guard isMarked else { continue }
                guard let id = one["id"]?.int64Value else { throw .unreadable("id of a refund") }
                return id
            }
            guard page.count == ShopLimits.page else { return nil }
            seen += page.count
        }
        throw .unreadable("list of refunds: there are \(ShopLimits.refunds) or more")
    }
}
