/// Writes HTML of which only the markup in our own code is markup: it takes a `StaticString`. Everything else is
/// escaped, whatever it contains.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int = 16_384) { bytes.reserveCapacity(count) }

    var html: String { String(decoding: bytes, as: UTF8.self) }

    /// Markup from our own source.
    mutating func markup(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Text from outside, escaped and kept from turning the text around it.
    mutating func text(_ text: ReceiptText) {
        markup("<bdi>")
        escape(text.plain)
        markup("</bdi>")
    }

    /// Text inside an element that holds no elements, or an attribute in double quotes.
    mutating func bareText(_ text: ReceiptText) { escape(text.plain) }

    /// An attribute's value from a fixed set, or the address of a link.
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
