/// A result row in PostgreSQL's binary form. Columns count from 0; the reader knows their types.
struct PostgresRow: Sendable {
    /// The bytes of each column; `nil` for null.
    var columns: [[UInt8]?]

    func bytes(_ index: Int) -> [UInt8] { columns[index] ?? [] }
    func optionalBytes(_ index: Int) -> [UInt8]? { columns[index] }
    func text(_ index: Int) -> String { String(decoding: bytes(index), as: UTF8.self) }
    func optionalText(_ index: Int) -> String? { columns[index].map { String(decoding: $0, as: UTF8.self) } }
    func bool(_ index: Int) -> Bool { columns[index]?.first == 1 }
    func int(_ index: Int) -> Int64 { optionalInt(index) ?? 0 }

    /// Returns a `bigint`, or a smaller integer.
    func optionalInt(_ index: Int) -> Int64? {
        guard let bytes = columns[index], let first = bytes.first else { return nil }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }
}
