/// An element of Braintree's XML: a name, attributes, text or children. Parsed strictly and within limits; document
/// types and processing instructions beyond the first line are refused, so nothing can be fetched or expanded.
package struct XMLNode: Hashable, Sendable {
    /// The maximum size of a document, in bytes.
    package static let maximumBytes = 1 << 20
    package static let maximumDepth = 32
    package static let maximumElements = 20_000

    package var name: String
    package var attributes: [String: String] = [:]
    package var text = ""
    package var children: [XMLNode] = []

    package init(_ name: String, _ text: String = "", type: String? = nil) {
        self.name = name
        self.text = text
        if let type { attributes["type"] = type }
    }

    package init(_ name: String, type: String? = nil, of children: [XMLNode]) {
        self.name = name
        self.children = children
        if let type { attributes["type"] = type }
    }

    /// The first child of that name.
    package subscript(name: String) -> XMLNode? { children.first { $0.name == name } }

    /// The text of the first child of that name; `nil` if it is missing, empty or marked as nil.
    package func value(_ name: String) -> String? {
        guard let child = self[name], child.attributes["nil"] != "true", !child.text.isEmpty else { return nil }
        return child.text
    }

    /// The document as UTF-8.
    package func bytes() -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        write(to: &text)
        return Array(text.utf8)
    }

    /// Returns the element alone, as Braintree's own clients send it.
    package func fragment() -> [UInt8] {
        var text = ""
        write(to: &text)
        return Array(text.utf8)
    }

    private func write(to text: inout String) {
        text += "<\(name)"
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            text += " \(key)=\"\(XMLNode.escape(value))\""
        }
        text += ">\(XMLNode.escape(self.text))"
        for child in children { child.write(to: &text) }
        text += "</\(name)>"
    }

    private static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "'": result += "&apos;"
            case "\"": result += "&quot;"
            default:
                if scalar.value < 0x20, scalar != "\n", scalar != "\t" { continue }
                if scalar.isASCII {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += "&#\(scalar.value);"
                }
            }
        }
        return result
    }

    /// Parses a document; fails if it is malformed or exceeds a limit.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= XMLNode.maximumBytes else { return nil }
        var reader = XMLReader(bytes: bytes)
        guard let node = reader.document() else { return nil }
        self = node
    }
}

/// A parser of elements, attributes, text and XML's own entities.
private struct XMLReader {
    let bytes: [UInt8]
    var place = 0
    var elements = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> XMLNode? {
        skipSpace()
        if starts("<?xml") {
            guard skip(past: "?>") else { return nil }
            skipSpace()
        }
        guard let root = element(depth: 1) else { return nil }
        skipSpace()
        return place == bytes.count ? root : nil
    }

    private mutating func element(depth: Int) -> XMLNode? {
        elements += 1
        guard depth <= XMLNode.maximumDepth, elements <= XMLNode.maximumElements, take(0x3C), let name = self.name()
        else {
            return nil
        }
        var node = XMLNode(name)
        while true {
            skipSpace()
            if take(0x2F) { return take(0x3E) ? node : nil }
            if take(0x3E) { break }
            guard let key = self.name(), node.attributes.count < 16, node.attributes[key] == nil else { return nil }
            skipSpace()
            guard take(0x3D) else { return nil }
            skipSpace()
            guard let quote = current, quote == 0x22 || quote == 0x27 else { return nil }
            place += 1
            let start = place
            while let byte = current, byte != quote, byte != 0x3C { place += 1 }
            guard current == quote, let value = decoded(start..<place) else { return nil }
            place += 1
            node.attributes[key] = value
        }
        var text = ""
        while true {
            let start = place
            while let byte = current, byte != 0x3C { place += 1 }
            guard let piece = decoded(start..<place) else { return nil }
            text += piece
            guard current == 0x3C else { return nil }
            if starts("</") {
                place += 2
                guard self.name() == name else { return nil }
                skipSpace()
                guard take(0x3E) else { return nil }
                break
            }
            if starts("<!--") {
                guard skip(past: "-->") else { return nil }
                continue
            }
            guard let child = element(depth: depth + 1) else { return nil }
            node.children.append(child)
        }
        // Whitespace between elements is ignored.
        if node.children.isEmpty { node.text = text }
        return node
    }

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private func starts(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    private mutating func skip(past text: String) -> Bool {
        while place < bytes.count {
            if starts(text) {
                place += text.utf8.count
                return true
            }
            place += 1
        }
        return false
    }

    private mutating func name() -> String? {
        let start = place
        while let byte = current {
            let isName =
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == 0x2D || byte == 0x5F || byte == 0x2E || byte == 0x3A
            guard isName, place - start < 100 else { break }
            place += 1
        }
        return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
    }

    private func decoded(_ range: Range<Int>) -> String? {
        guard let text = String(validating: bytes[range], as: UTF8.self) else { return nil }
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let and = rest.firstIndex(of: "&") {
            result += rest[..<and]
            guard let end = rest[and...].firstIndex(of: ";") else { return nil }
            let entity = rest[rest.index(after: and)..<end]
            switch entity {
            case "amp": result += "&"
            case "lt": result += "<"
            case "gt": result += ">"
            case "apos": result += "'"
            case "quot": result += "\""
            default:
                let value: UInt32?
                if entity.hasPrefix("#x") {
                    value = UInt32(entity.dropFirst(2), radix: 16)
                } else if entity.hasPrefix("#") {
                    value = UInt32(entity.dropFirst())
                } else {
                    value = nil
                }
                guard let scalar = value.flatMap({ Unicode.Scalar($0) }) else { return nil }
                result.unicodeScalars.append(scalar)
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
