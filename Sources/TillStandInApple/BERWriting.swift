/// A hand-written BER encoder for ASN.1. Apple's signatures use forms that DER encoders refuse to produce: indefinite
/// outer lengths and an unsorted certificate set.
enum BERWriting {
    /// A value with a definite length.
    static func definite(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        let content = parts.flatMap { $0 }
        var length: [UInt8] = []
        if content.count < 128 {
            length = [UInt8(content.count)]
        } else {
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    /// A value that ends with two zeros instead of having its length in front.
    static func indefinite(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        [tag, 0x80] + parts.flatMap { $0 } + [0, 0]
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { definite(0x30, parts) }
    static func set(_ parts: [[UInt8]]) -> [UInt8] { definite(0x31, parts) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { definite(0x04, [bytes]) }
    static func integer(_ bytes: [UInt8]) -> [UInt8] { definite(0x02, [bytes]) }

    static func identifier(_ arcs: [UInt64]) -> [UInt8] {
        var content: [UInt8] = []
        guard arcs.count >= 2 else { return [] }
        for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
            var digits: [UInt8] = [UInt8(arc & 0x7F)]
            var rest = arc >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            content += digits
        }
        return definite(0x06, [content])
    }
}
