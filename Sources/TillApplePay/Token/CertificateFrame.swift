import SwiftASN1

/// The outer parts of one certificate, as received bytes without interpretation.
struct CertificateFrame {
    let bytes: ArraySlice<UInt8>
    /// The serial number's content octets.
    let serialNumber: ArraySlice<UInt8>
    /// The encoded issuer name.
    let issuer: ArraySlice<UInt8>
    /// The encoded public key with its algorithm.
    let publicKeyInfo: ArraySlice<UInt8>

    /// Splits a certificate into its parts.
    /// - Throws: SwiftASN1's errors, or ``ShapeError``.
    init(_ node: ASN1Node) throws {
        guard case .constructed(let parts) = node.content, node.identifier == .sequence else { throw ShapeError() }
        var outer = parts.makeIterator()
        guard let body = outer.next(), let algorithm = outer.next(), let signature = outer.next(),
            outer.next() == nil, case .constructed(let fields) = body.content, body.identifier == .sequence,
            case .primitive(let bits) = signature.content, signature.identifier == .bitString, bits.first == 0
        else { throw ShapeError() }
        var inner = fields.makeIterator()
        var next = inner.next()
        if next?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) { next = inner.next() }
        guard let serial = next, serial.identifier == .integer, case .primitive(let serialNumber) = serial.content,
            let innerAlgorithm = inner.next(), innerAlgorithm.encodedBytes == algorithm.encodedBytes,
            let issuer = inner.next(), inner.next() != nil, inner.next() != nil, let key = inner.next()
        else { throw ShapeError() }
        bytes = node.encodedBytes
        self.serialNumber = serialNumber
        self.issuer = issuer.encodedBytes
        publicKeyInfo = key.encodedBytes
    }
}

/// A part that is missing or misplaced under the standard.
struct ShapeError: Error {}
