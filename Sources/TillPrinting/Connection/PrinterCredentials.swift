public import TillCore

/// Who prints, where a printer asks for that.
public struct PrinterCredentials: Sendable {
    /// The user's name, without a colon, which Basic authentication cannot carry.
    public let user: String
    /// Sent as a digest, or in clear text over TLS only.
    public let password: Secret<String>

    /// A name without a colon and a password.
    /// - Returns: `nil` if the name is empty, or either holds control characters, which could become header lines.
    public init?(user: String, password: Secret<String>) {
        func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }
        guard !user.isEmpty, !user.contains(":"), isPlain(user), isPlain(password.reveal()) else { return nil }
        self.user = user
        self.password = password
    }
}

/// Why a printer that asks for a name and a password got none.
public enum PrinterAuthenticationProblem: Hashable, Sendable {
    /// The printer asks for a user, and none is set.
    case needed
    /// The printer does not take them.
    case wrong
    /// It wants the password in clear text, and the line is open to all.
    case onlyOverTLS
    /// It asks in ways that are not known here.
    case unknownScheme(String)
}
