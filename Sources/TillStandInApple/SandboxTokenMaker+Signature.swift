import Crypto
import CryptoExtras
import SwiftASN1
import TillApplePay
import TillCore
import X509

extension SandboxTokenMaker {
    /// The signature's container over bytes that it does not hold.
    func container(
        signing content: [UInt8], _ request: SandboxTokenRequest, flaw: SandboxTokenFlaw?
    ) throws -> [UInt8] {
        let signer = try signer(for: request.version, flaw: flaw)
        let leaf = try SandboxAppleAuthority.der(signer.certificate)
        var authority = apple.authority
        if flaw == .authorityWithoutMark { authority = try apple.otherAuthority(mark: false) }
        if flaw == .authorityNotForIssuing { authority = try apple.otherAuthority(issues: false) }
        if flaw == .otherRoot { return try SandboxTokenMaker.foreign(self, content, request) }
        var certificates = [leaf, try SandboxAppleAuthority.der(authority)]
        if flaw == .thirdCertificate {
            let extra = try apple.signer(.p256(P256.Signing.PrivateKey()), name: "extra", isSelfSigned: true)
            certificates.append(try SandboxAppleAuthority.der(extra.certificate))
        }
        if flaw == .selfSignedSigner { certificates[1] = try SandboxAppleAuthority.der(apple.signer.certificate) }
        var infos = [try signerInfo(signer, content, request, flaw: flaw)]
        if flaw == .twoSigners { infos.append(try signerInfo(signer, content, request, flaw: nil)) }

        var contentInfo = [BERWriting.identifier(Names.data)]
        if flaw == .embeddedContent { contentInfo.append(BERWriting.definite(0xA0, [BERWriting.octets(content)])) }
        let signedData: [[UInt8]] = [
            BERWriting.integer([1]), BERWriting.set([digest(flaw)]), wrap(0x30, contentInfo),
            wrap(0xA0, certificates), BERWriting.set(infos),
        ]
        let inner: [UInt8] = wrap(0xA0, [wrap(0x30, signedData)])
        let container: [UInt8] = wrap(0x30, [BERWriting.identifier(Names.signedData), inner])
        return flaw == .trailingBytes ? container + [0x05, 0x00] : container
    }

    private func wrap(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        usesIndefiniteLengths ? BERWriting.indefinite(tag, parts) : BERWriting.definite(tag, parts)
    }

    /// The same token signed under another root of the same names.
    private static func foreign(
        _ maker: SandboxTokenMaker, _ content: [UInt8], _ request: SandboxTokenRequest
    ) throws -> [UInt8] {
        let other = try SandboxAppleAuthority(issued: maker.apple.issued)
        return try maker.signed(by: other).container(signing: content, request, flaw: nil)
    }

    private func signer(
        for version: PaymentTokenVersion, flaw: SandboxTokenFlaw?
    ) throws -> SandboxAppleAuthority.Signer {
        let new = SandboxAppleAuthority.Signer.Key.p256(P256.Signing.PrivateKey())
        switch flaw {
        case .signerWithoutMark?: return try apple.signer(new, mark: false)
        case .signerNotForSignatures?: return try apple.signer(new, signs: false)
        case .selfSignedSigner?: return try apple.signer(new, isSelfSigned: true)
        case .markOnAuthority?: return try apple.signer(new, isAuthority: true)
        case .p384Signer?: return try apple.signer(.p384(P384.Signing.PrivateKey()))
        case .sandboxSigner?: return try apple.signer(new, name: "ecc-smp-broker-sign_UC4-SANDBOX")
        case .rsaSigner?: return try apple.signer(.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)))
        default: break
        }
        guard version == .rsaV1 else { return apple.signer }
        return try apple.signer(.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)), name: "rsa-smp-broker-sign_TILL")
    }

    private func signerInfo(
        _ signer: SandboxAppleAuthority.Signer, _ content: [UInt8], _ request: SandboxTokenRequest,
        flaw: SandboxTokenFlaw?
    ) throws -> [UInt8] {
        let method = algorithm(signer)
        let messageDigest: [UInt8] =
            flaw == .sha1 ? Array(Insecure.SHA1.hash(data: content)) : Array(SHA256.hash(data: content))
        var attributes = [
            attribute(
                Names.contentType,
                BERWriting.identifier(flaw == .otherContentType ? Names.signedData : Names.data)),
            attribute(Names.messageDigest, BERWriting.octets(messageDigest)),
        ]
        if flaw != .noSigningTime {
            let time = Array(utcTime(request.signedAt).utf8)
            attributes.append(attribute(Names.signingTime, BERWriting.definite(0x17, [time])))
        }
        if protectsAlgorithms {
            let named = flaw == .algorithmProtection ? algorithmOfRSA : method
            let protected = BERWriting.definite(0xA1, [Array(named.dropFirst(2))])
            attributes.append(attribute(Names.protection, BERWriting.sequence(digest(flaw), protected)))
        }
        attributes.sort { $0.lexicographicallyPrecedes($1) }
        let signed = BERWriting.set(attributes)
        let value: [UInt8]
        switch signer.key {
        case .p256(let own):
            let key = flaw == .foreignSignature ? P256.Signing.PrivateKey() : own
            value = Array(try key.signature(for: SHA256.hash(data: signed)).derRepresentation)
        case .p384(let key): value = Array(try key.signature(for: SHA256.hash(data: signed)).derRepresentation)
        case .rsa(let key):
            value = Array(
                try key.signature(for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
        var issuer = DER.Serializer()
        try issuer.serialize(signer.certificate.issuer)
        var parts = [
            BERWriting.integer([1]),
            BERWriting.sequence(issuer.serializedBytes, serial(signer.certificate)), digest(flaw),
            BERWriting.definite(0xA0, attributes), method, BERWriting.octets(value),
        ]
        if flaw == .unsignedAttributes {
            parts.append(BERWriting.definite(0xA1, [attribute(Names.signingTime, BERWriting.octets([1]))]))
        }
        return BERWriting.definite(0x30, parts)
    }

    // MARK: Parts

    private enum Names {
        static let data: [UInt64] = [1, 2, 840, 113_549, 1, 7, 1]
        static let signedData: [UInt64] = [1, 2, 840, 113_549, 1, 7, 2]
        static let contentType: [UInt64] = [1, 2, 840, 113_549, 1, 9, 3]
        static let messageDigest: [UInt64] = [1, 2, 840, 113_549, 1, 9, 4]
        static let signingTime: [UInt64] = [1, 2, 840, 113_549, 1, 9, 5]
        static let protection: [UInt64] = [1, 2, 840, 113_549, 1, 9, 52]
        static let sha1: [UInt64] = [1, 3, 14, 3, 2, 26]
        static let sha256: [UInt64] = [2, 16, 840, 1, 101, 3, 4, 2, 1]
        static let ecdsa: [UInt64] = [1, 2, 840, 10_045, 4, 3, 2]
        static let rsaEncryption: [UInt64] = [1, 2, 840, 113_549, 1, 1, 1]
        static let rsa: [UInt64] = [1, 2, 840, 113_549, 1, 1, 11]
    }

    private func attribute(_ name: [UInt64], _ value: [UInt8]) -> [UInt8] {
        BERWriting.sequence(BERWriting.identifier(name), BERWriting.set([value]))
    }

    private func digest(_ flaw: SandboxTokenFlaw?) -> [UInt8] {
        let name = BERWriting.identifier(flaw == .sha1 ? Names.sha1 : Names.sha256)
        return writesNullParameters ? BERWriting.sequence(name, [0x05, 0x00]) : BERWriting.sequence(name)
    }

    private var algorithmOfRSA: [UInt8] {
        let name = namesRSAWithoutDigest ? Names.rsaEncryption : Names.rsa
        return BERWriting.sequence(BERWriting.identifier(name), [0x05, 0x00])
    }

    private func algorithm(_ signer: SandboxAppleAuthority.Signer) -> [UInt8] {
        if case .rsa = signer.key { return algorithmOfRSA }
        return BERWriting.sequence(BERWriting.identifier(Names.ecdsa))
    }

    private func serial(_ certificate: Certificate) -> [UInt8] {
        var bytes = Array(certificate.serialNumber.bytes)
        while bytes.count > 1, bytes[0] == 0, bytes[1] < 0x80 { bytes.removeFirst() }
        if let first = bytes.first, first >= 0x80 { bytes.insert(0, at: 0) }
        return BERWriting.integer(bytes)
    }

    private func utcTime(_ time: Timestamp) -> String {
        // 2026-11-21T09:30:00.000Z → 261121093000Z
        String(time.description.dropFirst(2).prefix(17).filter(\.isNumber)) + "Z"
    }
}
