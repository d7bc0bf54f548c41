public import TillCore

/// The user name and password for a printer that requires authentication.
public struct PrinterCredentials: Sendable {
    /// The user's name, without a colon, which Basic authentication cannot carry.
    public let user: String
    /// Sent as a digest, or in clear text over TLS only.
    public let password: Secret<String>

    /// Creates credentials from a name without a colon and a password.
    /// - Returns: `nil` if the name is empty, or either holds control characters, which could become header lines.
    public init?(user: String, password: Secret<String>) {
        func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }
        guard !user.isEmpty, !user.contains(":"), isPlain(user), isPlain(password.reveal()) else { return nil }
        self.user = user
        self.password = password
    }
}

/// A failure to authenticate to a printer.
public enum PrinterAuthenticationProblem: Hashable, Sendable {
    /// The printer requires a user, and none is configured.
    case needed
    /// The printer rejected the credentials.
    case wrong
    /// The printer requires a plaintext password, and the connection is not encrypted.
    case onlyOverTLS
    /// The printer uses an unsupported scheme.
    case unknownScheme(String)
}
