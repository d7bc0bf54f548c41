import SwiftASN1
import TillCore

/// The signature of a payment token: CMS `SignedData` (RFC 5652) as written by Apple's servers.
///
/// Unsigned parts are parsed strictly, because any freedom in them could be used to forge variants: one signer, two
/// certificates, SHA-256, no content, no unsigned attributes. Apple's own encoding choices are parsed leniently: any
/// BER lengths, certificates in any order, algorithm parameters absent or NULL.
struct TokenSignature {
    enum Algorithm: Hashable {
        case ecdsaWithSHA256
        case rsaWithSHA256
    }

    /// The certificate named by the signer identifier.
    let signer: CertificateFrame
    let authority: CertificateFrame
    let algorithm: Algorithm
    /// The signed attributes in their signed encoding: a SET OF.
    let signedAttributes: [UInt8]
    let attributes: SignedAttributes
    let value: ArraySlice<UInt8>

    init(parsing bytes: [UInt8]) throws(PaymentTokenError) {
        let root: ASN1Node
        do { root = try BER.parse(bytes) } catch {
            throw Self.refused("not_cms", "The token's signature is not a container that can be read.")
        }
        let signedData = try Self.signedData(root)
        var fields = try Self.children(signedData, .sequence, "signed data")
        guard let version = fields.next(), Self.integer(version) == [1] else {
            throw Self.refused("version", "The signature's container is not of version 1.")
        }
        try Self.checkDigestAlgorithms(fields.next())
        try Self.checkContent(fields.next())
        guard let set = fields.next(), set.identifier == Self.context(0) else {
            throw Self.refused("certificates", "The signature's container has no certificates.")
        }
        let certificates = try Self.certificates(set)
        guard let signers = fields.next(), fields.next() == nil else {
            throw Self.refused("structure", "The signature's container has parts that Apple's does not.")
        }
        var infos = try Self.children(signers, .set, "signers")
        guard let info = infos.next(), infos.next() == nil else {
            throw PaymentTokenError(.signer, "signers", "The token is not signed by exactly one signer.")
        }
        let parts = try Self.signerInfo(info)
        guard let first = certificates.first(where: { Self.names(parts.identifier, $0) }),
            let second = certificates.first(where: { $0.bytes != first.bytes })
        else {
            throw PaymentTokenError(.signer, "signer_missing", "The signer's certificate is not in the token.")
        }
        signer = first
        authority = second
        algorithm = parts.algorithm
        value = parts.value
        attributes = parts.attributes
        signedAttributes = parts.signedAttributes
    }

    // MARK: Container

    private static func signedData(_ root: ASN1Node) throws(PaymentTokenError) -> ASN1Node {
        var outer = try children(root, .sequence, "container")
        guard let type = outer.next(), identifier(type) == ASN1Names.signedData, let wrapper = outer.next(),
            outer.next() == nil
        else { throw refused("type", "The token's signature is not signed data.") }
        var inner = try children(wrapper, context(0), "container")
        guard let signedData = inner.next(), inner.next() == nil else {
            throw refused("structure", "The signature's container has parts that Apple's does not.")
        }
        return signedData
    }

    private static func checkDigestAlgorithms(_ node: ASN1Node?) throws(PaymentTokenError) {
        guard let node else { throw refused("structure", "The signature's container ends too early.") }
        var algorithms = try children(node, .set, "digests")
        guard let only = algorithms.next(), algorithms.next() == nil, algorithm(only) == ASN1Names.sha256 else {
            throw refused("digest_algorithm", "The signature's digest is not SHA-256 alone.")
        }
    }

    private static func checkContent(_ node: ASN1Node?) throws(PaymentTokenError) {
        guard let node else { throw refused("structure", "The signature's container ends too early.") }
        var parts = try children(node, .sequence, "content")
        guard let type = parts.next(), identifier(type) == ASN1Names.data, parts.next() == nil else {
            throw refused("content", "The signature's container holds content of its own, which Apple's does not.")
        }
    }

    private static func certificates(_ set: ASN1Node) throws(PaymentTokenError) -> [CertificateFrame] {
        guard case .constructed(let nodes) = set.content else {
            throw refused("certificates", "The signature's container has no certificates.")
        }
        var frames: [CertificateFrame] = []
        for node in nodes {
            guard frames.count < 2 else {
                throw refused("certificates", "The signature has more than two certificates, which Apple's never has.")
            }
            do { frames.append(try CertificateFrame(node)) } catch {
                throw refused("certificate", "A certificate in the signature cannot be read.")
            }
        }
        guard frames.count == 2 else {
            throw refused("certificates", "The signature does not have exactly two certificates.")
        }
        return frames
    }

    // MARK: Signer

    private struct SignerInfo {
        var identifier: (issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>)
        var algorithm: Algorithm
        var attributes: SignedAttributes
        var signedAttributes: [UInt8]
        var value: ArraySlice<UInt8>
    }

    private static func signerInfo(_ node: ASN1Node) throws(PaymentTokenError) -> SignerInfo {
        var fields = try children(node, .sequence, "signer")
        guard let version = fields.next(), integer(version) == [1] else {
            throw refused("version", "The signer is not of version 1.")
        }
        guard let name = fields.next(), let digest = fields.next(), let attributes = fields.next(),
            let method = fields.next(), let signature = fields.next(), fields.next() == nil
        else { throw refused("structure", "The signer has not the parts that Apple's has.") }
        var nameParts = try children(name, .sequence, "signer's name")
        guard let issuer = nameParts.next(), let serial = nameParts.next(), nameParts.next() == nil,
            let serialNumber = integer(serial)
        else { throw refused("structure", "The signer is not named by issuer and serial number.") }
        guard algorithm(digest) == ASN1Names.sha256 else {
            throw refused("digest_algorithm", "The signer's digest is not SHA-256.")
        }
        guard signature.identifier == .octetString, case .primitive(let value) = signature.content else {
            throw refused("structure", "The signature's value cannot be read.")
        }
        // The attributes are signed as a SET OF, though they are sent under an implicit tag (RFC 5652, 5.4).
        guard attributes.identifier == context(0), attributes.encodedBytes.dropFirst().first != 0x80 else {
            throw refused("attributes", "The signature has no signed attributes.")
        }
        var signed = Array(attributes.encodedBytes)
        signed[0] = 0x31
        let read = try SignedAttributes(attributes, digest: digest, signature: method)
        return SignerInfo(
            identifier: (issuer.encodedBytes, serialNumber),
            algorithm: try signatureAlgorithm(method, isProtected: read.protectsAlgorithms), attributes: read,
            signedAttributes: signed, value: value)
    }

    /// Returns the signature algorithm. The field is unsigned, so each signature has exactly one accepted name for it.
    ///
    /// CMS has two for RSA: with the digest in it, which Apple writes (RFC 5754, 3.2), and without (RFC 3370, 3.2).
    /// They differ by one byte and verify alike, so only a signed attribute (RFC 6211) reveals which one was written.
    /// With that attribute either is accepted, because the attribute must agree; without it only Apple's.
    private static func signatureAlgorithm(
        _ node: ASN1Node, isProtected: Bool
    ) throws(PaymentTokenError) -> Algorithm {
        switch algorithm(node) {
        case ASN1Names.ecdsaWithSHA256?: return .ecdsaWithSHA256
        case ASN1Names.rsaWithSHA256?: return .rsaWithSHA256
        case ASN1Names.rsaEncryption? where isProtected: return .rsaWithSHA256
        case ASN1Names.rsaEncryption?:
            throw refused(
                "algorithm_unprotected",
                "The signature's algorithm is named without its digest, and nothing signed says so.")
        default: throw refused("algorithm", "The signature's algorithm is not one of Apple Pay's.")
        }
    }

    private static func names(
        _ identifier: (issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>), _ certificate: CertificateFrame
    ) -> Bool {
        certificate.serialNumber == identifier.serialNumber && certificate.issuer == identifier.issuer
    }

    // MARK: Parts

    static func children(
        _ node: ASN1Node, _ identifier: ASN1Identifier, _ what: String
    ) throws(PaymentTokenError) -> ASN1NodeCollection.Iterator {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw refused("structure", "The signature's \(what) cannot be read.")
        }
        return nodes.makeIterator()
    }

    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    static func identifier(_ node: ASN1Node) -> ASN1ObjectIdentifier? {
        try? ASN1ObjectIdentifier(derEncoded: node)
    }

    private static func integer(_ node: ASN1Node) -> ArraySlice<UInt8>? {
        guard node.identifier == .integer, case .primitive(let bytes) = node.content, !bytes.isEmpty else {
            return nil
        }
        return bytes
    }

    /// Returns the identifier of an algorithm with parameters absent or NULL; `nil` for any other.
    static func algorithm(_ node: ASN1Node, tag: ASN1Identifier = .sequence) -> ASN1ObjectIdentifier? {
        guard node.identifier == tag, case .constructed(let nodes) = node.content else { return nil }
        var parts = nodes.makeIterator()
        guard let name = parts.next(), let identifier = identifier(name) else { return nil }
        if let parameters = parts.next(), Array(parameters.encodedBytes) != [0x05, 0x00] { return nil }
        return parts.next() == nil ? identifier : nil
    }

    private static func refused(_ code: String, _ what: String) -> PaymentTokenError {
        PaymentTokenError(.container, code, what)
    }
}
