package import TillCore

extension ShopClient {
    /// Reads an order with its whole document.
    package func order(_ id: Int64) async throws(ShopError) -> ShopOrder {
        let order = try ShopOrder(try await get("orders/\(id)").document)
        guard order.id == id else { throw .unreadable("order with the id \(id)") }
        return order
    }

    /// Lists orders by their identifiers, without their whole documents; read an order for that. Orders that cannot be
    /// read are left out.
    ///
    /// The shop pages by offset, so an order that leaves the list between two calls would hide another one. Each page
    /// therefore begins with the last order of the page before; if it does not, the list begins again.
    /// - Parameters:
    ///   - statuses: the wanted statuses; none for every status but the trash.
    ///   - modifiedAfter: only those that changed in a later second.
    /// - Returns: the orders by ascending identifier. One that changes while the list is read may be missing from it;
    ///   it has changed after the list began, so a later list without statuses, with an overlap, has it.
    package func orders(
        in statuses: [ShopOrderStatus] = [], modifiedAfter: Timestamp? = nil
    ) async throws(ShopError) -> [ShopOrder] {
        for _ in 0..<ShopLimits.listRounds {
            if let orders = try await round(statuses, modifiedAfter) { return orders }
        }
        throw .unstableList
    }

    /// Reads a list once; `nil` if it changed meanwhile.
    private func round(
        _ statuses: [ShopOrderStatus], _ modifiedAfter: Timestamp?
    ) async throws(ShopError) -> [ShopOrder]? {
        var orders: [ShopOrder] = []
        var ids: [Int64] = []
        while true {
            let offset = max(0, ids.count - 1)
            var query: [(name: String, value: String)] = [
                ("_fields", ShopOrder.fields.joined(separator: ",")), ("offset", String(offset)), ("order", "asc"),
                ("orderby", "id"), ("per_page", String(ShopLimits.page)),
            ]
            if !statuses.isEmpty { query.append(("status", statuses.map(\.text).joined(separator: ","))) }
            if let modifiedAfter {
                query += [("dates_are_gmt", "true"), ("modified_after", String(modifiedAfter.internetTime.dropLast()))]
            }
            let answer = try await get("orders", query)
            guard let listed = answer.document.arrayValue, listed.count <= ShopLimits.page else {
                throw .unreadable("list of orders")
            }
            var page = listed[...]
            if let last = ids.last {
                guard page.first?["id"]?.int64Value == last else { return nil }
                page.removeFirst()
            }
            for one in page {
                guard let id = one["id"]?.int64Value, id > ids.last ?? 0 else {
                    throw .unreadable("order of its list of orders")
                }
                ids.append(id)
                // One that cannot be read, as of a currency that there is not, hides no other.
                do throws(ShopError) { orders.append(try ShopOrder(one)) } catch { continue }
            }
            if listed.count < ShopLimits.page { return orders }
            guard ids.count < ShopLimits.listedOrders else { throw .tooManyOrders }
        }
    }
}
