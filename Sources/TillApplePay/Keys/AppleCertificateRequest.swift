import Crypto
import CryptoExtras
import SwiftASN1
public import TillCore
import X509

/// A new private key and the certificate signing request (PKCS #10) for which Apple issues a merchant's certificate.
/// Apple takes subject and merchant from the account; of the request only the key counts.
///
/// ```swift
/// let request = try AppleCertificateRequest(for: .processing, named: "Shop")
/// print("For Apple: \(request.pem)")
/// let privateKey = request.key.reveal()
/// print("To be kept: \(privateKey.utf8.count) bytes.")
/// ```
public struct AppleCertificateRequest: Sendable {
    /// The certificate that is asked for.
    public enum Purpose: String, CaseIterable, Hashable, Sendable {
        /// The merchant identity certificate: the TLS client certificate towards Apple's gateway. RSA of 2,048 bits.
        case identity
        /// The payment processing certificate, to which tokens are encrypted. P-256.
        case processing
    }

    /// The maximum length of a name, in bytes: that of a common name (RFC 5280, A.1).
    public static let maximumNameBytes = 64

    /// The request, in PEM.
    public let pem: String
    /// The private key, in PEM (PKCS #8), not encrypted. It exists nowhere else.
    public let key: Secret<String>

    /// Generates a key and signs a request with it.
    /// - Parameter name: the common name of the subject, at most ``maximumNameBytes`` bytes of one line.
    /// - Throws: ``ProcessingKeyError`` if the name is unusable or the library fails.
    public init(for purpose: Purpose, named name: String) throws(ProcessingKeyError) {
        guard (1...Self.maximumNameBytes).contains(name.utf8.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw ProcessingKeyError(
                "name", "The name has no bytes, more than \(Self.maximumNameBytes), or a control character.",
                next: "Give the shop's name.")
        }
        do {
            let key: Certificate.PrivateKey
            switch purpose {
            case .identity:
                let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
                key = Certificate.PrivateKey(rsa)
                self.key = Secret(rsa.pkcs8PEMRepresentation)
            case .processing:
                let curve = P256.Signing.PrivateKey()
                key = Certificate.PrivateKey(curve)
                self.key = Secret(curve.pemRepresentation)
            }
            let request = try CertificateSigningRequest(
                version: .v1, subject: DistinguishedName { CommonName(name) }, privateKey: key,
                attributes: CertificateSigningRequest.Attributes(),
                signatureAlgorithm: purpose == .identity ? .sha256WithRSAEncryption : .ecdsaWithSHA256)
            pem = try request.serializeAsPEM().pemString
        } catch {
            throw ProcessingKeyError(
                "request", "The certificate request could not be made: \(error).",
                next: "Make it elsewhere, as with openssl req.")
        }
    }
}
