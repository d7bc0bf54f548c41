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

extension HTTPFields {
    /// Returns the value of a field, as the subscript by its name does, but a single one as it is: the subscript goes
    /// through the fields twice and joins a new text of whatever it finds.
    package func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return self[name] }
            found = field.value
        }
        return found
    }
}
