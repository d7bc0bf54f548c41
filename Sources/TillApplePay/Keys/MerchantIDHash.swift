import Crypto
import SwiftASN1
import TillCore
import X509

/// SHA-256 of a merchant identifier, as Apple includes it in the merchant's certificates.
public struct MerchantIDHash: Hashable, Sendable, CustomStringConvertible {
    /// SHA-256 of the merchant identifier: 32 bytes.
    public let bytes: [UInt8]

    /// Hashes an identifier such as `merchant.com.example`.
    public init(of identifier: String) { bytes = Array(SHA256.hash(data: Array(identifier.utf8))) }

    /// Parses 64 hexadecimal digits in either case; `nil` for anything else.
    public init?(hex: String) {
        guard hex.utf8.count == 64, let bytes = StrictHex.decode(hex.lowercased()) else { return nil }
        self.bytes = bytes
    }

    /// Uppercase hexadecimal, as in certificates.
    public var description: String { Hex.text(bytes) }

    /// Reads the hash from extension 1.2.840.113635.100.6.32: 64 hexadecimal digits as an ASN.1 string. Some test tools
    /// write the digits without the string's header; those are accepted too. `nil` if there is none.
    init?(in certificate: Certificate) {
        guard let value = certificate.extensions[oid: ASN1Names.merchantIdentifier]?.value else { return nil }
        var content = value
        if let node = try? DER.parse(value), case .primitive(let bytes) = node.content,
            [.utf8String, .octetString, .ia5String, .printableString].contains(node.identifier)
        {
            content = bytes
        }
        self.init(hex: String(decoding: content, as: UTF8.self))
    }
}
