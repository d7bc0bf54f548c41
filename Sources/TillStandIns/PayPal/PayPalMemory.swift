import TillCore

/// For how long PayPal's documentation says that it answers the same `PayPal-Request-Id` with what was done then.
enum PayPalMemory {
    static let orders: Span = .hours(6)
    static let payments: Span = .days(45)
    static let vault: Span = .hours(3)
}
