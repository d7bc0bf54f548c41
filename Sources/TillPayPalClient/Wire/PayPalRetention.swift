public import TillCore

/// The time for which PayPal remembers a `PayPal-Request-Id`. Afterwards the same key would execute the request again,
/// so the resource is read instead.
public enum PayPalRetention {
    /// Orders: 6 hours (an account manager can raise it to 72).
    public static let orders: Span = .hours(6)
    /// Captures of authorizations, reauthorizations, refunds: 45 days.
    public static let payments: Span = .days(45)
    /// Setup and payment tokens: 3 hours.
    public static let vault: Span = .hours(3)
}
