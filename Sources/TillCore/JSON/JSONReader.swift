/// A single-pass parser over the bytes of a document. Every access is guarded by `position < bytes.count`, and the
/// depth of the recursion by the limits.
struct JSONReader {
    /// The number of members that the outermost object has room for at once.
    private static let usualMembers = 8

    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    let allowsTrailingCommas: Bool
    private var position = 0
    private var depth = 0
    private var values = 0

    init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits, allowsTrailingCommas: Bool) {
        self.bytes = bytes
        self.limits = limits
        self.allowsTrailingCommas = allowsTrailingCommas
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        skipSpace()
        guard position < bytes.count else { throw error("the document is empty") }
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw error("something follows the end of the document") }
        return value
    }

    // MARK: Values

    /// The byte at the position; zero (which JSON allows nowhere) past the end.
    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func value() throws(JSONError) -> JSONValue {
        values += 1
        guard values <= limits.maximumValues else { throw error("more than \(limits.maximumValues) values") }
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try nested { (reader) throws(JSONError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { (reader) throws(JSONError) in try reader.array() }
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), 0x30...0x39: return .number(try number())
        default:
            throw error(position < bytes.count ? "a value is expected here" : "the document ends in the middle")
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < limits.maximumDepth else { throw error("more than \(limits.maximumDepth) levels deep") }
        depth += 1
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            elements.append(try value())
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw error(expecting: "a comma or ]") }
            skipSpace()
            if allowsTrailingCommas, take("]") { return .array(elements) }
        }
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONMember] = []
        var keys: Set<String> = []
        skipSpace()
        if take("}") { return .object(members) }
        // The document itself, such as an event, usually has five to eight members; growing to that takes four arrays.
        // Inner objects reserve nothing: there may be any number of them.
        if depth == 1 { members.reserveCapacity(JSONReader.usualMembers) }
        while true {
            guard next == UInt8(ascii: "\"") else { throw error(expecting: "a key in quotation marks") }
            let start = position
            let key = try string()
            // Few keys are compared one by one, many through a set, so that no document costs quadratic time.
            if members.count == 16 { keys = Set(members.lazy.map(\.key)) }
            let isNew = members.count < 16 ? !members.contains { $0.key == key } : keys.insert(key).inserted
            guard isNew else { throw error("the key “\(key.shownInError)” occurs twice in one object", at: start) }
            skipSpace()
            guard take(":") else { throw error(expecting: "a colon") }
            skipSpace()
            members.append(JSONMember(key: key, value: try value()))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw error(expecting: "a comma or }") }
            skipSpace()
            if allowsTrailingCommas, take("}") { return .object(members) }
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let start = position
        let matches = word.withUTF8Buffer { letters in
            guard bytes.count - position >= letters.count else { return false }
            for (offset, letter) in letters.enumerated() where bytes[position + offset] != letter { return false }
            position += letters.count
            return true
        }
        guard matches else { throw error("only true, false and null are written without quotation marks", at: start) }
    }

    private mutating func number() throws(JSONError) -> String {
        let start = position
        _ = take("-")
        if take("0") {
            guard !(0x30...0x39).contains(next) else { throw error("a number must not start with zeros", at: start) }
        } else {
            try digits()
        }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    private mutating func digits() throws(JSONError) {
        guard (0x30...0x39).contains(next) else { throw error(expecting: "a digit") }
        while (0x30...0x39).contains(next) { position += 1 }
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        let opening = position
        position += 1
        let start = position
        var ored: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try text(of: bytes[start..<position], isASCII: ored < 0x80, opening)
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(opening: opening, start: start) }
            guard byte >= 0x20 else { throw error("a control character must be escaped in a string") }
            ored |= byte
            position += 1
        }
        throw error("the string that starts here does not end", at: opening)
    }

    private func text(
        of run: Slice<UnsafeBufferPointer<UInt8>>, isASCII: Bool, _ opening: Int
    ) throws(JSONError) -> String {
        let run = UnsafeBufferPointer(rebasing: run)
        if isASCII { return String(decoding: run, as: UTF8.self) }
        guard let text = String(ifUTF8: run) else {
            throw error("the string that starts here is not UTF-8", at: opening)
        }
        return text
    }

    /// Reads the rest of a string from its first backslash on.
    private mutating func escapedString(opening: Int, start: Int) throws(JSONError) -> String {
        var buffer = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(ifUTF8: buffer) else {
                    throw error("the string that starts here is not UTF-8", at: opening)
                }
                return text
            case UInt8(ascii: "\\"):
                try escape(into: &buffer)
            case 0..<0x20:
                throw error("a control character must be escaped in a string")
            default:
                buffer.append(byte)
                position += 1
            }
        }
        throw error("the string that starts here does not end", at: opening)
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(letter)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try hexadecimal(start)
            if (0xD800...0xDBFF).contains(scalar) {
                guard take("\\"), take("u") else { throw error("half of a surrogate pair stands alone", at: start) }
                let low = try hexadecimal(start)
                guard (0xDC00...0xDFFF).contains(low) else {
                    throw error("half of a surrogate pair stands alone", at: start)
                }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(scalar) else {
                throw error("half of a surrogate pair stands alone", at: start)
            }
            buffer.append(contentsOf: UTF8.encode(scalar) ?? .init())
        default:
            throw error("this escape is not known", at: start)
        }
    }

    private mutating func hexadecimal(_ start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            switch next {
            case let digit where (0x30...0x39).contains(digit): value = value << 4 | UInt32(digit - 0x30)
            case let digit where (0x41...0x46).contains(digit): value = value << 4 | UInt32(digit - 0x37)
            case let digit where (0x61...0x66).contains(digit): value = value << 4 | UInt32(digit - 0x57)
            default: throw error("\\u needs four hexadecimal digits", at: start)
            }
            position += 1
        }
        return value
    }

    // MARK: Steps

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard UInt32(next) == scalar.value else { return false }
        position += 1
        return true
    }

    private func error(expecting what: String) -> JSONError {
        error(position < bytes.count ? "\(what) is expected here" : "the document ends in the middle")
    }

    private func error(_ reason: String, at place: Int? = nil) -> JSONError {
        var line = 1
        var column = 1
        for byte in bytes.prefix(min(place ?? position, bytes.count)) {
            if byte == 0x0A {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return JSONError(line: line, column: column, reason: reason)
    }
}
