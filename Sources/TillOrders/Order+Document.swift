public import TillCore

extension Order {
    /// The longest document that is read, in bytes. Shops hang much beside the order itself into its `meta_data`.
    public static let maximumDocumentBytes = 4 << 20

    /// Reads the bytes of an order document, WooCommerce's or PayPal's; a comma too many before a
    /// closing bracket is forgiven.
    /// - Throws: `OrderError`; `OrderError.notJSON` names the line and column.
    public init(document bytes: some Collection<UInt8>) throws(OrderError) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(
                parsing: bytes, limits: JSONLimits(maximumBytes: Order.maximumDocumentBytes), allowsTrailingCommas: true
            )
        } catch { throw .notJSON(error) }
        if document["purchase_units"] != nil {
            try self.init(payPal: document)
        } else {
            try self.init(wooCommerce: document)
        }
    }
}
