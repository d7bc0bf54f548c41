public import TillCore

extension Order {
    /// Reads one order document of the WooCommerce REST API (v3), with or without a `data` envelope.
    ///
    /// The amount charged is the document's `total`. It must equal, to the minor unit, the sum of the listed items:
    /// lines, shipping and fees with their tax, less gift cards; and the declared parts (`total_tax`, `cart_tax`,
    /// `shipping_total`, `shipping_tax`, `discount_total`) must match the list. There is no tolerance; digits below the
    /// minor unit, which some exports show, are summed exactly and rounded once. Refunds do not change the amount; they
    /// become a notice.
    /// - Throws: `OrderError` naming the missing part or the difference.
    public init(wooCommerce document: JSONValue) throws(OrderError) {
        if case .array(let orders) = document { throw .severalOrders(count: orders.count) }
        guard case .object = document else { throw .notAnOrder("the document is no object") }
        var order = document
        if document["total"] == nil, let data = document["data"] {
            if let message = document["message"]?.stringValue {
                throw .notAnOrder("the shop answered “\(message.shownInError)”")
            }
            if case .array(let orders) = data { throw .severalOrders(count: orders.count) }
            order = data
        }
        let parts = try WooCommerceDocument(order)
        try WooCommerceArithmetic.check(parts)
        self = try parts.order()
    }
}
