/// The paths of the counter's certificate and private key, both PEM.
public struct TLSFiles: Hashable, Sendable {
    /// The certificate chain, the counter's own certificate first.
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
