/// Writes a JSON document straight into bytes, without building values first.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.field("order", "1001")
/// writer.field("amount", 1250)
/// writer.endObject()
/// print(writer.text)  // {"order":"1001","amount":1250}
/// ```
///
/// The writer places commas and colons. It does not check that every container is closed or that a member has a key:
/// that is up to the caller.
public struct JSONWriter: Sendable {
    /// The document written so far, as UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false
    private let isPretty: Bool
    private var depth = 0

    /// Creates a writer with an empty document.
    /// - Parameter capacity: The number of bytes reserved up front.
    public init(reserving capacity: Int = 256) {
        isPretty = false
        bytes.reserveCapacity(capacity)
    }

    init(pretty: Bool) {
        isPretty = pretty
        bytes.reserveCapacity(256)
    }

    /// The document as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Begins an object; each of its members is a field or a key and a value.
    public mutating func beginObject() { begin("{") }
    /// Ends the object that was begun last.
    public mutating func endObject() { end("}") }
    /// Begins an array; its elements follow as values.
    public mutating func beginArray() { begin("[") }
    /// Ends the array that was begun last.
    public mutating func endArray() { end("]") }

    /// Writes the key of a member; its value is written next.
    public mutating func key(_ key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        needsComma = false
        isAfterKey = true
    }

    /// Writes a string, escaped as JSON requires.
    public mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    public mutating func int(_ value: Int64) {
        separate()
        let magnitude = value.magnitude
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        // From the first digit on: to turn the digits round afterwards would copy them to an array of their own.
        var power: UInt64 = 1
        while magnitude / power > 9 { power *= 10 }
        while power > 0 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude / power % 10))
            power /= 10
        }
    }

    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    public mutating func null() { raw("null") }

    /// Writes text that is already JSON, such as the digits of a number. Not checked.
    public mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes bytes that are already a JSON document. Not checked.
    public mutating func raw(bytes document: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: document)
    }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let digits): raw(digits)
        case .string(let text): string(text)
        case .array(let values):
            beginArray()
            for value in values { self.value(value) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    // MARK: Members

    /// Writes a member with a string.
    public mutating func field(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes a member with a string, or with `null`.
    public mutating func field(_ key: String, _ value: String?) {
        self.key(key)
        if let value { string(value) } else { null() }
    }

    /// Writes a member with an integer.
    public mutating func field(_ key: String, _ value: Int64) {
        self.key(key)
        int(value)
    }

    /// Writes a member with an integer.
    public mutating func field(_ key: String, _ value: Int) {
        self.key(key)
        int(Int64(value))
    }

    /// Writes a member with `true` or `false`.
    public mutating func field(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// Writes a member with any value.
    public mutating func field(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    // MARK: Bytes

    private var isAfterKey = false

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if isPretty, depth > 0, !isAfterKey { newLine() }
        needsComma = true
        isAfterKey = false
    }

    private mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(truncatingIfNeeded: bracket.value))
        needsComma = false
        depth += 1
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        depth -= 1
        if isPretty, needsComma { newLine() }
        bytes.append(UInt8(truncatingIfNeeded: bracket.value))
        needsComma = true
    }

    private mutating func newLine() {
        bytes.append(0x0A)
        for _ in 0..<max(0, depth) { bytes.append(contentsOf: [0x20, 0x20]) }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            let needsEscape = utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
            if needsEscape {
                for byte in utf8 { append(escaping: byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x0C: bytes.append(contentsOf: "\\f".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        default: bytes.append(byte)
        }
    }
}
