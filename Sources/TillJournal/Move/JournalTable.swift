import Crypto

/// A table of a journal as moved between a file and a database: both have the same columns. Holders are omitted, since
/// no process holds anything during a move.
package struct JournalTable: Hashable, Sendable {
    /// The type of a column.
    package enum Kind: Hashable, Sendable {
        case int
        case text
        case blob
        /// A Boolean, which a file stores as 1 or 0.
        case flag
    }

    package struct Column: Hashable, Sendable {
        package let name: String
        package let kind: Kind
    }

    package let name: String
    package let columns: [Column]
    /// The number of leading columns that form the key; rows are read in key order.
    package let keyCount: Int

    private init(_ name: String, _ key: [(String, Kind)], _ rest: [(String, Kind)] = []) {
        self.name = name
        columns = (key + rest).map { Column(name: $0, kind: $1) }
        keyCount = key.count
    }

    package var key: [Column] { Array(columns.prefix(keyCount)) }
    /// The column names, separated by commas.
    package var list: String { columns.map(\.name).joined(separator: ", ") }

    /// All moved tables, in dependency order; an empty journal has no rows in them. The derived totals (`tally`) are
    /// recomputed.
    package static let all: [JournalTable] = [
        JournalTable(
            "event", [("sequence", .int)],
            [
                ("payment", .text), ("version", .int), ("account", .text), ("name", .text), ("at", .int),
                ("body", .text), ("link", .blob),
            ]),
        JournalTable(
            "payment", [("id", .text)],
            [
                ("account", .text), ("order_id", .text), ("order_number", .text), ("live", .int), ("version", .int),
                ("status", .text), ("amount", .int), ("currency", .text), ("captured", .int), ("refunded", .int),
                ("provider", .text), ("tender", .text), ("created_at", .int), ("updated_at", .int),
            ]),
        JournalTable("outbox", [("payment", .text)], [("due_at", .int)]),
        JournalTable(
            "idempotency", [("account", .text), ("operation", .text), ("key", .text)],
            [
                ("fingerprint", .blob), ("request", .blob), ("finished", .flag), ("payment", .text), ("step", .text),
                ("status", .int), ("body", .blob), ("created_at", .int),
            ]),
        JournalTable("webhook", [("provider", .text), ("id", .text)], [("at", .int)]),
        JournalTable(
            "record", [("position", .int)],
            [
                ("collection", .text), ("key", .text), ("version", .int), ("body", .blob), ("due_at", .int),
                ("created_at", .int), ("updated_at", .int),
            ]),
        JournalTable(
            "record_field", [("collection", .text), ("name", .text), ("value", .text), ("record", .int)]),
        JournalTable("audit", [("sequence", .int)], [("at", .int), ("body", .text), ("link", .blob)]),
    ]
}

/// The value of a column.
package enum JournalCell: Hashable, Sendable {
    case null
    case int(Int64)
    /// The bytes of a text in UTF-8, or of a blob.
    case bytes([UInt8])
}

/// The identity and heads of a journal, apart from its tables.
package struct JournalAnchors: Hashable, Sendable {
    package var start: [UInt8]
    package var epoch: Int64
    package var head: ChainHead
    package var audit: AuditStanding

    package init(start: [UInt8], epoch: Int64, head: ChainHead, audit: AuditStanding) {
        (self.start, self.epoch, self.head, self.audit) = (start, epoch, head, audit)
    }
}

/// A digest over the rows of a table, in key order.
struct JournalDigest {
    private var hash = SHA256()
    private(set) var rows = 0

    mutating func add(_ row: [JournalCell]) {
        rows += 1
        for cell in row {
            switch cell {
            case .null: add(0, [])
            case .int(let number): add(1, withUnsafeBytes(of: number.bigEndian) { Array($0) })
            case .bytes(let bytes): add(2, bytes)
            }
        }
    }

    /// Prefixes the bytes with their length, so that the encoding is unambiguous.
    private mutating func add(_ kind: UInt8, _ bytes: [UInt8]) {
        hash.update(data: [kind])
        hash.update(data: withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { Array($0) })
        hash.update(data: bytes)
    }

    func finished() -> [UInt8] { Array(hash.finalize()) }
}
