public import TillCore

/// The name of a collection: one feature's documents of one kind.
public struct RecordCollection: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name; it is stored, so it never changes.
    public var rawValue: String
    /// Creates a collection with that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a collection with that name.
    public init(stringLiteral name: String) { rawValue = name }
}

/// The identifier of a record, unique in its collection.
public struct RecordID: Hashable, Sendable, CustomStringConvertible {
    public var collection: RecordCollection
    public var key: String

    public init(_ collection: RecordCollection, _ key: String) {
        self.collection = collection
        self.key = key
    }

    /// Collection and key, for display.
    public var description: String { "\(collection.rawValue)/\(key)" }
}

/// A record to be written.
public struct Record: Hashable, Sendable {
    public var id: RecordID
    /// The document, in the feature's own format.
    public var body: [UInt8]
    /// Index values, compared byte for byte. They are not returned by reads; the body contains them.
    public var fields: [String: String]
    /// The time at which the record is due, for instance for deletion; `nil`: never.
    public var due: Timestamp?
    /// `true` if this process works on it from now on; `false` if no process does.
    public var isHeld: Bool

    public init(
        _ id: RecordID, body: [UInt8], fields: [String: String] = [:], due: Timestamp? = nil, isHeld: Bool = false
    ) {
        self.id = id
        self.body = body
        self.fields = fields
        self.due = due
        self.isHeld = isHeld
    }
}

/// The process that works on a record, at the time of reading.
public enum RecordHolder: Hashable, Sendable {
    case nobody
    /// The reading process.
    case thisProcess
    /// Another, live process.
    case anotherProcess
    /// A dead process: its last action is unknown, and the next update takes the record over.
    case deadProcess
}

/// The current state of a record.
public struct KeptRecord: Hashable, Sendable {
    public var id: RecordID
    /// 1 on insertion, increased by each update.
    public var version: Int
    public var body: [UInt8]
    /// The time at which the record is due.
    public var due: Timestamp?
    /// The process that works on it.
    public var holder: RecordHolder
    /// The time of insertion.
    public var createdAt: Timestamp
    /// The time of the last write.
    public var updatedAt: Timestamp
    /// Its position among all records in order of insertion; never reused.
    public var position: Int64

    package init(
        id: RecordID, version: Int, body: [UInt8], due: Timestamp?, holder: RecordHolder, createdAt: Timestamp,
        updatedAt: Timestamp, position: Int64
    ) {
        (self.id, self.version, self.body, self.due, self.holder) = (id, version, body, due, holder)
        (self.createdAt, self.updatedAt, self.position) = (createdAt, updatedAt, position)
    }
}
