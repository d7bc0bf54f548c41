public import TillCore

/// A mail server that takes letters for others: where it is and how one signs in.
public struct SMTPServer: Sendable {
    /// How the connection is kept secret.
    public enum Security: String, Hashable, Sendable {
        /// Begun in clear and turned into TLS before anything is told (RFC 3207). A server that does not offer it is
        /// refused.
        case startTLS = "starttls"
        /// TLS from the first byte (RFC 8314).
        case tls
        /// In clear: for a server on this machine only.
        case none
    }

    /// The server's name, which its certificate must show, or an address.
    public var host: String
    /// The server's port, as 465 for TLS or 587 for STARTTLS.
    public var port: Int
    /// How the connection is kept secret.
    public var security: Security
    /// Who signs in; nobody if `nil`.
    public var user: String?
    /// The password of ``user``.
    public var password: Secret<String>?
    /// A file with the authorities, PEM, that its certificate may come from; `nil`: those of the system.
    public var authorityFile: String?
    /// How long it may take.
    public var limits = SMTPLimits()

    /// A mail server.
    /// - Parameter port: `nil` for the usual one: 465 with ``Security/tls``, else 587.
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

/// How long a mail server may take, and how much it may say.
public struct SMTPLimits: Hashable, Sendable {
    /// For making the connection, before TLS.
    public var connect = Span.seconds(5)
    /// For the answer to one command, TLS included.
    public var answer = Span.seconds(15)
    /// For taking the letter's bytes.
    public var body = Span.seconds(30)
    /// For the last answer, which says that the letter is taken.
    public var end = Span.seconds(60)
    /// The longest line of an answer, in bytes; the standard has 512.
    public static let lineBytes = 2_048
    /// The most lines of an answer.
    public static let lines = 64

    /// The limits as they are written above.
    public init() {}
}
