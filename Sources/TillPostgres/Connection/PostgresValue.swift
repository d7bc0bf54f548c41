/// A parameter, sent in PostgreSQL's binary form.
enum PostgresValue: Sendable {
    case null(OID)
    case int(Int64)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case json([UInt8])
    /// A text in UTF-8.
    case utf8([UInt8])
    case bytesArray([[UInt8]])
    /// Encoded elements of that type; `nil` for null.
    case array([[UInt8]?], of: OID)
    case intArray([Int64])

    /// The object identifier of a type in PostgreSQL's catalog.
    enum OID: UInt32, Sendable {
        case bool = 16
        case bytea = 17
        case int8 = 20
        case text = 25
        case boolArray = 1_000
        case byteaArray = 1_001
        case textArray = 1_009
        case int8Array = 1_016
        case jsonb = 3_802

        /// The corresponding array type.
        var array: OID {
            switch self {
            case .bool: .boolArray
            case .bytea: .byteaArray
            case .int8: .int8Array
            case .text, .jsonb, .boolArray, .byteaArray, .int8Array, .textArray: .textArray
            }
        }
    }

    static func optional(_ number: Int64?) -> PostgresValue { number.map { .int($0) } ?? .null(.int8) }
    static func optional(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null(.text) }

    var type: OID {
        switch self {
        case .null(let type): type
        case .int: .int8
        case .bool: .bool
        case .text, .utf8: .text
        case .bytes: .bytea
        case .json: .jsonb
        case .bytesArray: .byteaArray
        case .intArray: .int8Array
        case .array(_, let type): type.array
        }
    }

    /// The binary form; `nil` for null.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .int(let number): PostgresValue.bigEndian(number)
        case .bool(let value): [value ? 1 : 0]
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes), .utf8(let bytes): bytes
        case .array(let elements, let type): PostgresValue.encoded(elements, of: type)
        // The version byte of jsonb's binary form, then the text.
        case .json(let bytes): [1] + bytes
        case .bytesArray(let arrays): PostgresValue.encoded(arrays, of: .bytea)
        case .intArray(let numbers): PostgresValue.encoded(numbers.map { PostgresValue.bigEndian($0) }, of: .int8)
        }
    }

    /// Encodes a one-dimensional array that counts from 1.
    private static func encoded(_ elements: [[UInt8]?], of type: OID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        let dimensions: Int32 = elements.isEmpty ? 0 : 1
        let hasNulls: Int32 = elements.contains { $0 == nil } ? 1 : 0
        bytes += bigEndian(dimensions) + bigEndian(hasNulls) + bigEndian(type.rawValue)
        guard !elements.isEmpty else { return bytes }
        bytes += bigEndian(Int32(clamping: elements.count)) + bigEndian(Int32(1))
        for element in elements {
            bytes += bigEndian(element.map { Int32(clamping: $0.count) } ?? -1)
            bytes += element ?? []
        }
        return bytes
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
