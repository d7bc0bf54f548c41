import HTTPTypes

/// Headers that every request meets: made once, since making a name checks it.
extension HTTPField.Name {
    static let requestID = Incoming.name("X-Request-Id")
    static let referrerPolicy = Incoming.name("Referrer-Policy")
    static let idempotentReplayed = Incoming.name("Idempotent-Replayed")
}
