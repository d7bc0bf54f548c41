import SwiftASN1

/// The outer parts of one certificate as the bytes that were sent, taken without interpreting them.
struct CertificateFrame {
    let bytes: ArraySlice<UInt8>
    /// The serial number's content.
    let serialNumber: ArraySlice<UInt8>
    /// The issuer's name, encoded.
    let issuer: ArraySlice<UInt8>
    /// The public key with its algorithm, encoded.
    let publicKeyInfo: ArraySlice<UInt8>

    /// Takes a certificate apart.
    /// - Throws: what SwiftASN1 throws, or ``ShapeError``.
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

/// A part that is not where the standard has it.
struct ShapeError: Error {}
