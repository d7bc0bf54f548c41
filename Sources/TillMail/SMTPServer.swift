public import TillCore

/// A mail server that relays the shop's messages: its address and credentials.
public struct SMTPServer: Sendable {
    /// The encryption of the connection.
    public enum Security: String, Hashable, Sendable {
        /// Upgraded to TLS before a password or address is sent (RFC 3207). A server that does not offer it is refused.
        case startTLS = "starttls"
        /// TLS from the first byte (RFC 8314).
        case tls
        /// Unencrypted; refused for any host but this machine.
        case none
    }

    /// A host name, which the certificate must carry, or an address.
    public var host: String
    public var port: Int
    /// The encryption of the connection.
    public var security: Security
    /// The user for authentication; `nil` disables it.
    public var user: String?
    /// The user's password; sent over TLS only, or to this machine.
    public var password: Secret<String>?
    /// A PEM file with the trust roots for the server's certificate; `nil` uses those of the system.
    public var authorityFile: String?
    /// Time limits of each step.
    public var limits = SMTPLimits()

    /// - Parameter port: `nil` for the default: 465 with ``Security/tls``, else 587.
    public init(
        host: String, port: Int? = nil, security: Security = .startTLS, user: String? = nil,
        password: Secret<String>? = nil, authorityFile: String? = nil
    ) {
        self.host = host
        self.port = port ?? (security == .tls ? 465 : 587)
        self.security = security
        self.user = user
        self.password = password
        self.authorityFile = authorityFile
    }
}

/// Time and size limits for a mail server.
public struct SMTPLimits: Hashable, Sendable {
    /// The time limit for opening the connection.
    public var connect = Span.seconds(5)
    /// The time limit for the reply to one command, including the TLS handshake.
    public var answer = Span.seconds(15)
    /// The time limit for sending the message's bytes.
    public var body = Span.seconds(30)
    /// The time limit for the final reply, which accepts the message; servers filter spam before it.
    public var end = Span.seconds(60)
    /// The maximum length of a reply line, in bytes; RFC 5321 has 512.
    public static let lineBytes = 2_048
    /// The maximum number of lines in a reply.
    public static let lines = 64

    public init() {}
}
