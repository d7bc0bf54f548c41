/// An element of the gateway's XML as the stand-in reads and writes it: line layout like Braintree's, with `nil="true"`
/// for absent values. Deliberately independent of the client's reader, so that an error in either is detected by the
/// other.
struct BraintreeElement: Sendable {
    /// The deepest nesting that is read.
    static let maximumDepth = 32

    let name: String
    let type: String?
    let text: String
    let children: [BraintreeElement]

    init(_ name: String, _ text: String = "", type: String? = nil) {
        (self.name, self.type, self.text, children) = (name, type, text, [])
    }

    init(_ name: String, type: String? = nil, of children: [BraintreeElement]) {
        (self.name, self.type, text, self.children) = (name, type, "", children)
    }

    /// The first child of that name.
    subscript(name: String) -> BraintreeElement? { children.first { $0.name == name } }

    /// The text of the first child of that name; `nil` if it is missing or empty.
    func value(_ name: String) -> String? { self[name].flatMap { $0.text.isEmpty ? nil : $0.text } }

    /// The document as UTF-8.
    func bytes() -> [UInt8] {
        Array((["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"] + lines("")).joined(separator: "\n").utf8)
    }

    private func lines(_ indent: String) -> [String] {
        let head = indent + "<" + name + (type.map { " type=\"\($0)\"" } ?? "")
        if !children.isEmpty {
            return [head + ">"] + children.flatMap { $0.lines(indent + "  ") } + [indent + "</\(name)>"]
        }
        guard !text.isEmpty else { return [head + (type == "array" ? "/>" : " nil=\"true\"/>")] }
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "&", "<", ">", "'", "\"": "&#\(scalar.value);"
            default: String(scalar)
            }
        }
        return [head + ">" + escaped.joined() + "</\(name)>"]
    }

    /// Parses a document; fails if it is malformed.
    init?(parsing body: [UInt8]) {
        guard let document = String(validating: body, as: UTF8.self) else { return nil }
        var reader = Reader(rest: document[...])
        guard let root = reader.document() else { return nil }
        self = root
    }

    private init(_ name: String, _ type: String?, _ text: String, _ children: [BraintreeElement]) {
        (self.name, self.type, self.text, self.children) = (name, type, text, children)
    }

    private struct Reader {
        var rest: Substring

        mutating func document() -> BraintreeElement? {
            rest = rest.drop { $0.isWhitespace }
            if rest.hasPrefix("<?xml"), let end = rest.firstRange(of: "?>") { rest = rest[end.upperBound...] }
            rest = rest.drop { $0.isWhitespace }
            guard let root = element(depth: 0), rest.allSatisfy(\.isWhitespace) else { return nil }
            return root
        }

        private mutating func element(depth: Int) -> BraintreeElement? {
            guard depth < BraintreeElement.maximumDepth, rest.first == "<", let end = rest.firstIndex(of: ">") else {
                return nil
            }
            var words = rest[..<end].dropFirst()
            rest = rest[end...].dropFirst()
            let isEmpty = words.hasSuffix("/")
            if isEmpty { words.removeLast() }
            let parts = words.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let name = parts.first, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) }) else {
                return nil
            }
            let type = parts.dropFirst().first { $0.hasPrefix("type=") }.map { String($0.dropFirst(6).dropLast()) }
            if isEmpty { return BraintreeElement(name, type, "", []) }
            var text = ""
            var children: [BraintreeElement] = []
            while let next = rest.firstIndex(of: "<") {
                text += rest[..<next]
                rest = rest[next...]
                guard rest.hasPrefix("</") else {
                    guard let child = element(depth: depth + 1) else { return nil }
                    children.append(child)
                    continue
                }
                guard rest.hasPrefix("</\(name)>") else { return nil }
                rest = rest.dropFirst(name.count + 3)
                return BraintreeElement(name, type, children.isEmpty ? Reader.unescaped(text) : "", children)
            }
            return nil
        }

        private static func unescaped(_ text: String) -> String {
            var result = ""
            var rest = text[...]
            while let start = rest.firstIndex(of: "&") {
                result += rest[..<start]
                rest = rest[start...]
                guard let end = rest.firstIndex(of: ";"), let scalar = scalar(rest[..<end].dropFirst()) else { break }
                result.unicodeScalars.append(scalar)
                rest = rest[end...].dropFirst()
            }
            return result + rest
        }

        private static func scalar(_ entity: Substring) -> Unicode.Scalar? {
            switch entity {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "quot": "\""
            case "apos": "'"
            case _ where entity.hasPrefix("#x"): UInt32(entity.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
            case _ where entity.hasPrefix("#"): UInt32(entity.dropFirst()).flatMap { Unicode.Scalar($0) }
            default: nil
            }
        }
    }
}
