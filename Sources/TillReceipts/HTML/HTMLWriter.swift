/// Writes HTML in which only literals from Till's own code are markup, enforced by `StaticString`. Everything else is
/// escaped.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int = 16_384) { bytes.reserveCapacity(count) }

    var html: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes markup from Till's own source.
    mutating func markup(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes external text, escaped and bidirectionally isolated.
    mutating func text(_ text: ReceiptText) {
        markup("<bdi>")
        escape(text.plain)
        markup("</bdi>")
    }

    /// Writes text inside an element without child elements, or inside a double-quoted attribute.
    mutating func bareText(_ text: ReceiptText) { escape(text.plain) }

    /// Writes an attribute value from a fixed set, or the address of a link.
    mutating func attribute(_ value: String) { escape(value) }

    mutating func number(_ value: Int) { bytes.append(contentsOf: String(value).utf8) }

    private mutating func escape(_ text: String) {
        var text = text
        text.withUTF8 { source in
            var from = 0
            for index in source.indices {
                let entity: StaticString
                switch source[index] {
                case UInt8(ascii: "&"): entity = "&amp;"
                case UInt8(ascii: "<"): entity = "&lt;"
                case UInt8(ascii: ">"): entity = "&gt;"
                case UInt8(ascii: "\""): entity = "&quot;"
                case UInt8(ascii: "'"): entity = "&#39;"
                default: continue
                }
                if from < index { bytes.append(contentsOf: source[from..<index]) }
                entity.withUTF8Buffer { bytes.append(contentsOf: $0) }
                from = index + 1
            }
            if from < source.count { bytes.append(contentsOf: source[from...]) }
        }
    }
}
