import SwiftASN1
import TillCore

/// The signed attributes: each found by its identifier, never by position, and present at most once.
///
/// Tokens of 2014 have three of them; since 2017 a fourth protects the algorithms (RFC 6211).
struct SignedAttributes {
    let messageDigest: ArraySlice<UInt8>
    let signingTime: Timestamp
    /// `true` if the digest and signature algorithms are among the signed data.
    let protectsAlgorithms: Bool

    init(_ node: ASN1Node, digest: ASN1Node, signature: ASN1Node) throws(PaymentTokenError) {
        guard case .constructed(let attributes) = node.content else { throw Self.refused("attributes") }
        var values: [ASN1ObjectIdentifier: ASN1Node] = [:]
        for attribute in attributes {
            var parts = try TokenSignature.children(attribute, .sequence, "attribute")
            guard let name = parts.next(), let identifier = TokenSignature.identifier(name), let set = parts.next(),
                parts.next() == nil
            else { throw Self.refused("attributes") }
            var members = try TokenSignature.children(set, .set, "attribute")
            guard let value = members.next(), members.next() == nil, values[identifier] == nil else {
                throw Self.refused("attributes")
            }
            values[identifier] = value
        }
        guard let type = values[ASN1Names.contentType], TokenSignature.identifier(type) == ASN1Names.data else {
            throw Self.refused("content_type")
        }
        guard let digestValue = values[ASN1Names.messageDigest], digestValue.identifier == .octetString,
            case .primitive(let bytes) = digestValue.content, bytes.count == 32
        else { throw Self.refused("message_digest") }
        guard let time = values[ASN1Names.signingTime].flatMap(Self.time) else {
            throw Self.refused("signing_time")
        }
        if let protection = values[ASN1Names.algorithmProtection] {
            var parts = try TokenSignature.children(protection, .sequence, "algorithm protection")
            guard let protectedDigest = parts.next(), let protectedMethod = parts.next(), parts.next() == nil,
                let digestName = TokenSignature.algorithm(digest),
                TokenSignature.algorithm(protectedDigest) == digestName,
                let method = TokenSignature.algorithm(signature),
                TokenSignature.algorithm(protectedMethod, tag: TokenSignature.context(1)) == method
            else { throw Self.refused("algorithm_protection") }
        }
        messageDigest = bytes
        signingTime = time
        protectsAlgorithms = values[ASN1Names.algorithmProtection] != nil
    }

    /// Parses UTCTime or GeneralizedTime, in UTC with seconds, as required by RFC 5652 (11.3).
    private static func time(_ node: ASN1Node) -> Timestamp? {
        guard case .primitive(let text) = node.content, text.last == UInt8(ascii: "Z") else { return nil }
        let digits = text.dropLast()
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var numbers = digits.map { Int($0) - 0x30 }
        switch (node.identifier, numbers.count) {
        case (.utcTime, 12):
            // A two-digit year: 1950 to 2049.
            numbers.insert(contentsOf: numbers[0] < 5 ? [2, 0] : [1, 9], at: 0)
        case (.generalizedTime, 14): break
        default: return nil
        }
        let pairs = stride(from: 0, to: 14, by: 2).map { numbers[$0] * 10 + numbers[$0 + 1] }
        return Timestamp(
            year: pairs[0] * 100 + pairs[1], month: pairs[2], day: pairs[3], hour: pairs[4], minute: pairs[5],
            second: pairs[6])
    }

    private static func refused(_ code: String) -> PaymentTokenError {
        PaymentTokenError(.container, code, "The signed attributes are not those that Apple signs (\(code)).")
    }
}
