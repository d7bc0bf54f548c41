import NIOSSL
public import TillCore

/// The certificate with which a stand-in serves TLS on loopback.
public struct LoopbackIdentity: Sendable {
    private let chain: [UInt8]
    private let key: Secret<[UInt8]>

    /// Creates an identity from PEM.
    /// - Parameters:
    ///   - chain: the certificate, followed by those of its issuers.
    ///   - key: the certificate's private key.
    public init(chain: [UInt8], key: Secret<[UInt8]>) {
        self.chain = chain
        self.key = key
    }

    /// Returns the configuration of the server, with TLS 1.2 at least.
    /// - Throws: an error of NIOSSL if certificate or key cannot be read.
    func configuration() throws -> TLSConfiguration {
        let certificates = try NIOSSLCertificate.fromPEMBytes(chain)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key.reveal(), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
