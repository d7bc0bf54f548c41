/// The subset of CBOR (RFC 8949) that authenticators use, in the canonical form of CTAP 2.1 (8): definite lengths,
/// shortest integers, no tags, no fractions, no duplicate keys.
package indirect enum CBORValue: Hashable, Sendable {
    case unsigned(UInt64)
    /// A negative number.
    case negative(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([CBORValue: CBORValue])
    case bool(Bool)
    case null

    /// The maximum nesting depth: an attestation has its certificates at the third level.
    static let maximumDepth = 4
    /// The maximum number of members of a container.
    static let maximumMembers = 32

    /// Reads one value and leaves the remaining bytes.
    package static func read(_ bytes: inout ArraySlice<UInt8>, depth: Int = 0) throws(PasskeyFault) -> CBORValue {
        guard depth < maximumDepth, let first = bytes.popFirst() else { throw .malformed("CBOR") }
        if first >> 5 == 7 {
            switch first & 31 {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .malformed("CBOR")
            }
        }
        let number = try argument(first & 31, &bytes)
        switch first >> 5 {
        case 0: return .unsigned(number)
        case 1:
            guard let below = Int64(exactly: number) else { throw .malformed("CBOR") }
            return .negative(-1 - below)
        case 2: return .bytes(try taken(number, from: &bytes))
        case 3:
            guard let text = String(validating: try taken(number, from: &bytes), as: UTF8.self) else {
                throw .malformed("CBOR")
            }
            return .text(text)
        case 4:
            guard number <= maximumMembers else { throw .malformed("CBOR") }
            var values: [CBORValue] = []
            for _ in 0..<number { values.append(try read(&bytes, depth: depth + 1)) }
            return .array(values)
        case 5:
            guard number <= maximumMembers else { throw .malformed("CBOR") }
            var members: [CBORValue: CBORValue] = [:]
            for _ in 0..<number {
                let key = try read(&bytes, depth: depth + 1)
                guard members.updateValue(try read(&bytes, depth: depth + 1), forKey: key) == nil else {
                    throw .malformed("CBOR")
                }
            }
            return .map(members)
        default: throw .malformed("CBOR")
        }
    }

    /// Reads the number after an initial byte; rejects one that fits into fewer bytes.
    private static func argument(_ short: UInt8, _ bytes: inout ArraySlice<UInt8>) throws(PasskeyFault) -> UInt64 {
        guard short >= 24 else { return UInt64(short) }
        guard short < 28 else { throw .malformed("CBOR") }
        let length = 1 << Int(short - 24)
        let number = try taken(UInt64(length), from: &bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = length == 1 ? 24 : 1 << (UInt64(length) * 4)
        guard number >= least else { throw .malformed("CBOR") }
        return number
    }

    private static func taken(_ count: UInt64, from bytes: inout ArraySlice<UInt8>) throws(PasskeyFault) -> [UInt8] {
        guard count <= UInt64(bytes.count) else { throw .malformed("CBOR") }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return Array(bytes.prefix(Int(count)))
    }

    /// Returns a member of a map.
    package subscript(key: CBORValue) -> CBORValue? { if case .map(let members) = self { members[key] } else { nil } }

    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
