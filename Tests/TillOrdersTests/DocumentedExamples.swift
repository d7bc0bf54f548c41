// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillOrders

/// Of `Order+Document.swift`.
private func example1(_ bytes: [UInt8]) async throws {
    let order = try Order(document: bytes)
    print("Order \(order.number): \(order.total)")
    for line in order.lines { print(line.quantity, line.name, line.total) }
    if let standing = order.standing { print("The shop says that \(standing.clause).") }
    _ = order
}

/// Of `Order+PayPal.swift`.
private func example2() async throws {
    let text = #"{"purchase_units":[{"invoice_id":"1001","amount":{"currency_code":"EUR","value":"12.50"}}]}"#
    let order = try Order(payPal: JSONValue(parsing: text.utf8))
    print(order.id, order.total)  // 1001 12.50 EUR
    _ = text
    _ = order
}
