import HTTPTypes

/// Headers used for every request: created once, since creating a name validates it.
extension HTTPField.Name {
    static let requestID = Incoming.name("X-Request-Id")
    static let referrerPolicy = Incoming.name("Referrer-Policy")
    /// `TEST` in test mode.
    static let tillMode = Incoming.name("Till-Mode")
    static let idempotentReplayed = Incoming.name("Idempotent-Replayed")
}
