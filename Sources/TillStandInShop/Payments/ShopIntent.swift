import TillCore

/// A payment at a card reader, as the shop's plugins know it.
struct ShopIntent: Sendable {
    enum Status: String, Sendable {
        case requiresPaymentMethod = "requires_payment_method"
        case requiresCapture = "requires_capture"
        case succeeded
        case canceled
    }

    let id: String
    /// The order that its metadata name.
    var order: Int64
    /// In minor units.
    var amount: Int64
    var status: Status
    /// The number of times it was captured.
    var captures = 0

    var ledgerEntry: JSONValue {
        .members([
            "id": .string(id), "order": .number(String(order)), "amount": .number(String(amount)),
            "status": .string(status.rawValue), "captures": .number(String(captures)),
        ])
    }
}
