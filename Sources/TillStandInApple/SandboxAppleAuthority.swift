import Crypto
import CryptoExtras
import SwiftASN1
import TillApplePay
public import TillCore
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A throw-away stand-in for Apple's certificate authorities: a root, an intermediate, token signers, and merchant
/// certificates. Nothing outside the sandbox trusts it.
public struct SandboxAppleAuthority: Sendable {
    /// A certificate and its private key, both in PEM.
    public struct Identity: Sendable {
        public let certificate: String
        /// The private key, in PKCS #8.
        public let key: Secret<String>
    }

    /// A signer of tokens.
    struct Signer: Sendable {
        enum Key: Sendable {
            case p256(P256.Signing.PrivateKey)
            case p384(P384.Signing.PrivateKey)
            case rsa(_RSA.Signing.PrivateKey)
        }
        var certificate: Certificate
        var key: Key
    }

    /// The time of issue; certificates are valid for two years, starting one month earlier.
    public let issued: Timestamp
    let root: Certificate
    let authority: Certificate
    let signer: Signer
    private let rootKey: P384.Signing.PrivateKey
    private let authorityKey: P256.Signing.PrivateKey

    /// Generates a new set of keys.
    public init(issued: Timestamp) throws {
        self.issued = issued
        rootKey = P384.Signing.PrivateKey()
        authorityKey = P256.Signing.PrivateKey()
        let rootName = try Self.name("Sandbox Root CA - G3")
        let authorityName = try Self.name("Sandbox Application Integration CA - G3")
        root = try Self.certificate(
            rootName, Certificate.PublicKey(rootKey.publicKey), by: rootName, .init(rootKey), issued: issued,
            Self.authorityExtensions(mark: nil))
        authority = try Self.certificate(
            authorityName, Certificate.PublicKey(authorityKey.publicKey), by: rootName, .init(rootKey), issued: issued,
            Self.authorityExtensions(mark: Marks.authority))
        let key = P256.Signing.PrivateKey()
        signer = Signer(
            certificate: try Self.certificate(
                try Self.name("ecc-smp-broker-sign_TILL"), Certificate.PublicKey(key.publicKey), by: authorityName,
                .init(authorityKey), issued: issued, Self.signerExtensions(mark: Marks.signer)),
            key: .p256(key))
    }

    /// The root certificate in DER, the trust anchor for sandbox tokens.
    public var rootCertificate: [UInt8] { (try? Self.der(root)) ?? [] }

    /// The root, in PEM.
    public var rootPEM: String { (try? root.serializeAsPEM().pemString) ?? "" }

    // MARK: Merchants

    /// Issues a payment processing certificate as Apple's portal does: on P-256, or RSA as in mainland China.
    public func processingIdentity(merchant: String, rsa: Bool = false) throws -> Identity {
        let subject = try Self.name("Apple Pay Payment Processing:\(merchant)", userID: merchant)
        let usage = KeyUsage(keyEncipherment: true, keyAgreement: true)
        if rsa {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            return try identity(subject, .init(key.publicKey), merchant, usage, [], pem: key.pkcs8PEM())
        }
        let key = P256.Signing.PrivateKey()
        return try identity(subject, .init(key.publicKey), merchant, usage, [], pem: key.pemRepresentation)
    }

    /// Issues a merchant identity certificate, the client certificate for Apple's session gateway.
    /// - Parameters:
    ///   - hashed: the merchant identifier hashed into the extension; a value other than `merchant` plants a fault.
    ///   - validUntil: the end of validity; `nil` is two years.
    public func merchantIdentity(
        merchant: String, hashed: String? = nil, validUntil: Timestamp? = nil
    ) throws -> Identity {
        let subject = try Self.name("Apple Pay Merchant Identity:\(merchant)", userID: merchant)
        let key = P256.Signing.PrivateKey()
        return try identity(
            subject, .init(key.publicKey), hashed ?? merchant, KeyUsage(digitalSignature: true), [.clientAuth],
            pem: key.pemRepresentation, validUntil: validUntil)
    }

    /// Issues a server certificate for this machine, presented by the simulated Apple gateway.
    public func serverIdentity(names: [String]) throws -> Identity {
        let key = P256.Signing.PrivateKey()
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(
                names.map { .dnsName($0) } + [.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))])
        }
        let certificate = try Self.certificate(
            try Self.name(names.first ?? "localhost"), .init(key.publicKey), by: authority.subject,
            .init(authorityKey), issued: issued, extensions)
        return Identity(
            certificate: try certificate.serializeAsPEM().pemString + "\n" + authority.serializeAsPEM().pemString,
            key: Secret(key.pemRepresentation))
    }

    private func identity(
        _ subject: DistinguishedName, _ key: Certificate.PublicKey, _ merchant: String, _ usage: KeyUsage,
        _ purposes: [ExtendedKeyUsage.Usage], pem: String, validUntil: Timestamp? = nil
    ) throws -> Identity {
        let hash = MerchantIDHash(of: merchant).description
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(usage)
            if !purposes.isEmpty { try ExtendedKeyUsage(purposes) }
            Certificate.Extension(
                oid: Marks.merchant, critical: false, value: [0x0C, UInt8(hash.utf8.count)] + Array(hash.utf8))
        }
        let certificate = try Self.certificate(
            subject, key, by: authority.subject, .init(authorityKey), issued: issued, extensions,
            validUntil: validUntil)
        return Identity(certificate: try certificate.serializeAsPEM().pemString, key: Secret(pem))
    }

    // MARK: Signers

    /// Creates a signer and a certificate with the requested properties.
    func signer(
        _ key: Signer.Key, name: String = "ecc-smp-broker-sign_TILL", mark: Bool = true, isAuthority: Bool = false,
        isSelfSigned: Bool = false, signs: Bool = true
    ) throws -> Signer {
        let subject = try Self.name(name)
        let publicKey: Certificate.PublicKey
        let ownKey: Certificate.PrivateKey
        switch key {
        case .p256(let key): (publicKey, ownKey) = (.init(key.publicKey), .init(key))
        case .p384(let key): (publicKey, ownKey) = (.init(key.publicKey), .init(key))
        case .rsa(let key): (publicKey, ownKey) = (.init(key.publicKey), .init(key))
        }
        let certificate = try Self.certificate(
            subject, publicKey, by: isSelfSigned ? subject : authority.subject,
            isSelfSigned ? ownKey : .init(authorityKey), issued: issued,
            isAuthority
                ? Self.authorityExtensions(mark: mark ? Marks.signer : nil, signs: true)
                : Self.signerExtensions(mark: mark ? Marks.signer : nil, signs: signs))
        return Signer(certificate: certificate, key: key)
    }

    /// Creates an authority with the same name and key, without Apple's marker extension or without the right to issue.
    func otherAuthority(mark: Bool = true, issues: Bool = true) throws -> Certificate {
        try Self.certificate(
            authority.subject, .init(authorityKey.publicKey), by: root.subject, .init(rootKey), issued: issued,
            Self.authorityExtensions(mark: mark ? Marks.authority : nil, issues: issues))
    }

    // MARK: Parts

    private enum Marks {
        static let signer: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 29]
        static let authority: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 14]
        static let merchant: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 32]
    }

    private static func authorityExtensions(
        mark: ASN1ObjectIdentifier?, signs: Bool = false, issues: Bool = true
    ) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(digitalSignature: signs, keyCertSign: issues, cRLSign: true))
            if let mark { Certificate.Extension(oid: mark, critical: false, value: [0x05, 0x00]) }
        }
    }

    private static func signerExtensions(
        mark: ASN1ObjectIdentifier?, signs: Bool = true
    ) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: signs, keyAgreement: !signs))
            if let mark { Certificate.Extension(oid: mark, critical: false, value: [0x05, 0x00]) }
        }
    }

    private static func name(_ common: String, userID: String? = nil) throws -> DistinguishedName {
        let user: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
        var parts: [RelativeDistinguishedName] = []
        if let userID { parts.append(RelativeDistinguishedName([.init(type: user, utf8String: userID)])) }
        parts.append(RelativeDistinguishedName([.init(type: [2, 5, 4, 3], utf8String: common)]))
        parts.append(RelativeDistinguishedName([.init(type: [2, 5, 4, 10], utf8String: "Till sandbox")]))
        return DistinguishedName(parts)
    }

    private static func certificate(
        _ subject: DistinguishedName, _ key: Certificate.PublicKey, by issuer: DistinguishedName,
        _ issuerKey: Certificate.PrivateKey, issued: Timestamp, _ extensions: Certificate.Extensions,
        validUntil: Timestamp? = nil
    ) throws -> Certificate {
        let start = Double(issued.milliseconds / 1000)
        let end = validUntil.map { Double($0.milliseconds / 1000) } ?? start + 700 * 86_400
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: Date(timeIntervalSince1970: start - 30 * 86_400),
            notValidAfter: Date(timeIntervalSince1970: end), issuer: issuer, subject: subject,
            signatureAlgorithm: issuerKey.isP384
                ? .ecdsaWithSHA384 : issuerKey.isRSA ? .sha256WithRSAEncryption : .ecdsaWithSHA256,
            extensions: extensions, issuerPrivateKey: issuerKey)
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}

extension Certificate.PrivateKey {
    fileprivate var isP384: Bool { P384.Signing.PublicKey(publicKey) != nil }
    fileprivate var isRSA: Bool { _RSA.Signing.PublicKey(publicKey) != nil }
}

extension _RSA.Signing.PrivateKey {
    fileprivate func pkcs8PEM() -> String { pemRepresentation }
}
