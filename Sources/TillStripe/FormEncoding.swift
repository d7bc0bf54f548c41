/// `application/x-www-form-urlencoded` as Stripe's own libraries produce it: fields in the given order, space as `+`,
/// everything but `A-Z a-z 0-9 _ . - ~` as `%XX`; brackets stay literal in a body and are escaped in a query.
enum FormEncoding {
    static func body(_ fields: [(String, String)]) -> String {
        query(fields).replacing("%5B", with: "[").replacing("%5D", with: "]")
    }

    /// Encodes a query, without the `?`.
    static func query(_ fields: [(String, String)]) -> String {
        fields.map { "\(quote($0.0))=\(quote($0.1))" }.joined(separator: "&")
    }

    /// Encodes a name, value or path segment.
    static func quote(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x20: result.append(0x2B)
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E, 0x2D, 0x7E: result.append(byte)
            default: result += [0x25, hex(byte >> 4), hex(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hex(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x37 + nibble }
}
