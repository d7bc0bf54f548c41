/// A parameter, sent in PostgreSQL's binary form.
enum PostgresValue: Sendable {
    case null(OID)
    case int(Int64)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case json([UInt8])
    case bytesArray([[UInt8]])
    case intArray([Int64])

    /// The number of a type in PostgreSQL's catalog.
    enum OID: UInt32, Sendable {
        case bool = 16
        case bytea = 17
        case int8 = 20
        case text = 25
        case byteaArray = 1_001
        case int8Array = 1_016
        case jsonb = 3_802
    }

    static func optional(_ number: Int64?) -> PostgresValue { number.map { .int($0) } ?? .null(.int8) }
    static func optional(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null(.text) }

    var type: OID {
        switch self {
        case .null(let type): type
        case .int: .int8
        case .bool: .bool
        case .text: .text
        case .bytes: .bytea
        case .json: .jsonb
        case .bytesArray: .byteaArray
        case .intArray: .int8Array
        }
    }

    /// `nil` for null.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .int(let number): PostgresValue.bigEndian(number)
        case .bool(let value): [value ? 1 : 0]
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        // The version of the binary form of jsonb, and the text.
        case .json(let bytes): [1] + bytes
        case .bytesArray(let arrays): PostgresValue.array(arrays, of: .bytea)
        case .intArray(let numbers): PostgresValue.array(numbers.map { PostgresValue.bigEndian($0) }, of: .int8)
        }
    }

    /// One dimension, without nulls, counted from 1.
    private static func array(_ elements: [[UInt8]], of type: OID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + $1.count })
        let dimensions: Int32 = elements.isEmpty ? 0 : 1
        bytes += bigEndian(dimensions) + bigEndian(Int32(0)) + bigEndian(type.rawValue)
        guard !elements.isEmpty else { return bytes }
        bytes += bigEndian(Int32(clamping: elements.count)) + bigEndian(Int32(1))
        for element in elements {
            bytes += bigEndian(Int32(clamping: element.count))
            bytes += element
        }
        return bytes
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
