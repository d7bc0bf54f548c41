import TillCore

/// Percent encoding of RFC 3986, as OAuth and the query of a request need it.
enum PercentEncoding {
    /// Encodes everything but letters, digits and `-._~`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes.append(contentsOf: [0x25] + Hex.text([byte]).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a query without its question mark.
    static func query(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }
}
