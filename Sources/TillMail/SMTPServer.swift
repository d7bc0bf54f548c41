public import TillCore

/// A mail server that relays the shop's messages: where it is and how one signs in.
public struct SMTPServer: Sendable {
    /// How the connection is encrypted.
    public enum Security: String, Hashable, Sendable {
        /// Upgraded to TLS before a password or address is sent (RFC 3207). A server that does not offer it is refused.
        case startTLS = "starttls"
        /// TLS from the first byte (RFC 8314).
        case tls
        /// In clear; refused for any host but this machine.
        case none
    }

    /// A name, which the certificate must carry, or an address.
    public var host: String
    public var port: Int
    /// How the connection is encrypted.
    public var security: Security
    /// The user that signs in; `nil`: nobody.
    public var user: String?
    /// That user's password; sent over TLS, or to this machine.
    public var password: Secret<String>?
    /// A file with the authorities, PEM, that its certificate may come from; `nil`: those of the system.
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

/// How long a mail server may take for each step, and how much it may send.
public struct SMTPLimits: Hashable, Sendable {
    /// Until the connection is open.
    public var connect = Span.seconds(5)
    /// For the reply to one command, TLS's handshake included.
    public var answer = Span.seconds(15)
    /// For sending the message's bytes.
    public var body = Span.seconds(30)
    /// For the last reply, which says that the message is accepted; servers filter spam before it.
    public var end = Span.seconds(60)
    /// The longest line of a reply, in bytes; RFC 5321 has 512.
    public static let lineBytes = 2_048
    /// The most lines of a reply.
    public static let lines = 64

    public init() {}
}
