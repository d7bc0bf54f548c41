/// Writes fixed fields and length-prefixed bytes, little-endian.
struct PackedWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int = 256) { bytes.reserveCapacity(count) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func word(_ value: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    mutating func long(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    mutating func signed(_ value: Int64) { long(UInt64(bitPattern: value)) }
    /// Writes bytes of a length known to the reader.
    mutating func plain(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }
    /// Writes bytes with a length prefix.
    mutating func counted(_ value: some Collection<UInt8>) {
        word(UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }
    mutating func text(_ value: String) { counted(value.utf8) }
    mutating func text(optional value: String?) {
        byte(value == nil ? 0 : 1)
        if let value { text(value) }
    }
}

/// Reads the format of ``PackedWriter``. Every step is checked; `nil` once something is missing.
struct PackedReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    var isAtEnd: Bool { place == bytes.endIndex }
    /// Number of bytes read.
    var consumed: Int { place - bytes.startIndex }

    mutating func byte() -> UInt8? {
        guard place < bytes.endIndex else { return nil }
        defer { place += 1 }
        return bytes[place]
    }
    mutating func plain(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - place else { return nil }
        defer { place += count }
        return bytes[place..<(place + count)]
    }
    mutating func word() -> UInt32? {
        plain(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    mutating func long() -> UInt64? {
        plain(8).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }
    mutating func signed() -> Int64? { long().map { Int64(bitPattern: $0) } }
    mutating func counted() -> ArraySlice<UInt8>? { word().flatMap { plain(Int($0)) } }
    mutating func text() -> String? { counted().map { String(decoding: $0, as: UTF8.self) } }
    /// Returns an outer `nil` if the bytes end, an inner `nil` for an absent text.
    mutating func optionalText() -> String?? {
        switch byte() {
        case 0: .some(nil)
        case 1: text().map { .some($0) }
        default: nil
        }
    }
}
