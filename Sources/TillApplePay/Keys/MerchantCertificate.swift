public import TillCore
import SwiftASN1
import X509

/// A merchant certificate issued by Apple: for identity (the TLS client certificate) or for payment processing (tokens
/// are encrypted to it).
public struct MerchantCertificate: Sendable {
    /// The purpose of a certificate, derived from its key usage.
    public enum Purpose: String, Hashable, Sendable {
        /// Client authentication with Apple's gateway.
        case identity
        /// Decryption of payment tokens.
        case processing
        /// Neither, or both.
        case other
    }

    /// The hash in Apple's extension; `nil` if it is absent or unreadable.
    public let merchant: MerchantIDHash?
    /// The plain merchant identifier in the subject; `nil` if absent.
    public let merchantIdentifier: String?
    /// The subject, as text.
    public let subject: String
    /// The purpose: identity or token decryption.
    public let purpose: Purpose
    /// Start of validity.
    public let validFrom: Timestamp
    /// End of validity.
    public let validUntil: Timestamp
    /// The certificate in DER.
    public let der: [UInt8]
    /// The public key as SubjectPublicKeyInfo, DER.
    public let publicKeyInfo: [UInt8]

    /// Parses the first certificate of a PEM file, or one in DER.
    public init(parsing file: [UInt8]) throws(ProcessingKeyError) {
        let block = PEMBlock.first(in: file, named: "CERTIFICATE")
        let text = block == nil && file.first != 0x30 ? String(decoding: file, as: UTF8.self) : ""
        let bytes =
            block ?? StrictBase64.decode(text.filter { !$0.isWhitespace }).flatMap { $0.isEmpty ? nil : $0 }
            ?? file
        do {
            let node = try DER.parse(bytes)
            let certificate = try Certificate(derEncoded: node)
            publicKeyInfo = Array(try CertificateFrame(node).publicKeyInfo)
            merchant = MerchantIDHash(in: certificate)
            merchantIdentifier = certificate.subject.firstText(ASN1Names.userID)
            subject = certificate.subject.firstText(ASN1Names.commonName) ?? certificate.subject.description
            validFrom = Timestamp(certificate.notValidBefore)
            validUntil = Timestamp(certificate.notValidAfter)
            purpose = Self.purpose(of: certificate)
            der = bytes
        } catch {
            throw ProcessingKeyError(
                "certificate", "The certificate cannot be read.", next: "Give one certificate, in PEM or DER.")
        }
    }

    private static func purpose(of certificate: Certificate) -> Purpose {
        let usage = try? certificate.extensions.keyUsage
        let decrypts = usage?.keyEncipherment == true || usage?.keyAgreement == true
        let isClient = (try? certificate.extensions.extendedKeyUsage)?.contains(.clientAuth) == true
        switch (isClient, decrypts) {
        case (true, false): return .identity
        case (false, true): return .processing
        default: return .other
        }
    }
}

extension MerchantCertificate {
    /// Returns `true` if a private key file belongs to this certificate.
    /// - Throws: ``ProcessingKeyError`` if the key cannot be read.
    public func fits(key file: [UInt8]) throws(ProcessingKeyError) -> Bool {
        try PrivateKeyFile.read(file).publicKeyInfo == publicKeyInfo
    }
}
