package import HTTPTypes

/// Headers used for every request: created once, since creating a name validates it.
extension HTTPField.Name {
    /// Returns the name of a literal. All literals are valid names.
    package static func literal(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .userAgent }

    package static let requestID = HTTPField.Name.literal("X-Request-Id")
    package static let referrerPolicy = HTTPField.Name.literal("Referrer-Policy")
    /// `TEST` in test mode.
    package static let tillMode = HTTPField.Name.literal("Till-Mode")
    package static let idempotentReplayed = HTTPField.Name.literal("Idempotent-Replayed")
}
