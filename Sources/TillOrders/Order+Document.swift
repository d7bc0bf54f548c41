public import TillCore

extension Order {
    /// The longest accepted document, in bytes. Shops attach much beside the order itself in `meta_data`.
    public static let maximumDocumentBytes = 4 << 20

    /// Parses the bytes of an order document, WooCommerce's or PayPal's; an extra comma before a closing bracket is
    /// tolerated.
    ///
    /// ```swift
    /// let order = try Order(document: bytes)
    /// print("Order \(order.number): \(order.total)")
    /// for line in order.lines { print(line.quantity, line.name, line.total) }
    /// if let standing = order.standing { print("The shop says that \(standing.clause).") }
    /// ```
    ///
    /// - Throws: `OrderError`; `OrderError.notJSON` names the line and column.
    public init(document bytes: some Collection<UInt8>) throws(OrderError) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(
                parsing: bytes, limits: JSONLimits(maximumBytes: Order.maximumDocumentBytes), allowsTrailingCommas: true
            )
        } catch { throw .notJSON(error) }
        try self.init(document: document)
    }

    /// Reads a parsed order document, WooCommerce's or PayPal's: the latter has `purchase_units`.
    /// - Throws: `OrderError` if it does not add up or cannot be understood.
    public init(document: JSONValue) throws(OrderError) {
        if document["purchase_units"] != nil {
            try self.init(payPal: document)
        } else {
            try self.init(wooCommerce: document)
        }
    }
}
