import HTTPTypes

/// Headers that every request meets: made once, since making a name checks it.
extension HTTPField.Name {
    static let requestID = Incoming.name("X-Request-Id")
    static let referrerPolicy = Incoming.name("Referrer-Policy")
    /// `TEST` where no real money moves.
    static let tillMode = Incoming.name("Till-Mode")
    static let idempotentReplayed = Incoming.name("Idempotent-Replayed")
}
