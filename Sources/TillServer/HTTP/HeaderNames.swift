import HTTPTypes

/// Headers used for every request: created once, since creating a name validates it.
extension HTTPField.Name {
    /// Returns the name of a literal. All literals are valid names.
    static func literal(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .userAgent }

    static let requestID = HTTPField.Name.literal("X-Request-Id")
    static let referrerPolicy = HTTPField.Name.literal("Referrer-Policy")
    /// `TEST` in test mode.
    static let tillMode = HTTPField.Name.literal("Till-Mode")
    static let idempotentReplayed = HTTPField.Name.literal("Idempotent-Replayed")
}
