/// A JSON document (RFC 8259), read without loss.
///
/// ```swift
/// let text = #"{"id": "1001", "total": 12.50}"#
/// let order = try JSONValue(parsing: text.utf8)
/// guard let id = order["id"]?.stringValue, case .number(let total)? = order["total"] else { return }
/// print(id, total)  // 1001 12.50: the digits as written
/// ```
///
/// Till reads JSON itself instead of through Foundation for four reasons: a number keeps the digits as written, because
/// money must never pass through a `Double`; every limit has a name and its own error; a duplicate key is refused,
/// because two readers could take two different amounts from it; and a document has a canonical form and a difference,
/// on which idempotency rests.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The digits exactly as written: `1.50` and `1.5` are two values.
    case number(String)
    /// A string, with escapes resolved.
    case string(String)
    /// The elements of an array, in order.
    case array([JSONValue])
    /// The members of an object, in the order in which they were written.
    case object([JSONMember])
}

/// A key and its value in an object.
public struct JSONMember: Hashable, Sendable {
    /// The key, with escapes resolved.
    public var key: String
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension JSONValue {
    /// The member of an object with this key; `nil` if there is none or this is no object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text of a string; `nil` for anything else, numbers included.
    public var stringValue: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A number written as an integer (no point, no exponent) that fits 64 bits.
    public var int64Value: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits)
    }

    /// The value of `true` or `false`.
    public var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The values of an array.
    public var arrayValue: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    /// The members of an object.
    public var objectValue: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// `true` for `null`, which is not the same as a missing value.
    public var isNull: Bool { if case .null = self { true } else { false } }
}

extension JSONValue {
    /// Returns the document as UTF-8, members in their order.
    /// - Parameter pretty: Writes one member a line, indented by two spaces a level; otherwise no white space.
    public func bytes(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.value(self)
        return writer.bytes
    }

    /// The document as text without white space.
    public var text: String { String(decoding: bytes(), as: UTF8.self) }
}
