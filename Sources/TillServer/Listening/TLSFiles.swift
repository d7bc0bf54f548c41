/// Where the counter's certificate and its key are, both PEM.
public struct TLSFiles: Hashable, Sendable {
    /// The certificate and those that vouch for it, its own first.
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
