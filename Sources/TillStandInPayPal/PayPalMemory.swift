import TillCore

/// The documented periods for which PayPal replays the result of a `PayPal-Request-Id`.
enum PayPalMemory {
    static let orders: Span = .hours(6)
    static let payments: Span = .days(45)
    static let vault: Span = .hours(3)
}
