public import TillCore

/// The name of a collection: one feature's documents of one kind.
public struct RecordCollection: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name; it is stored, so it never changes.
    public var rawValue: String
    /// A collection of that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A collection of that name.
    public init(stringLiteral name: String) { rawValue = name }
}

/// What a record is called: unique in its collection.
public struct RecordID: Hashable, Sendable, CustomStringConvertible {
    public var collection: RecordCollection
    public var key: String

    public init(_ collection: RecordCollection, _ key: String) {
        self.collection = collection
        self.key = key
    }

    /// Collection and key, for people.
    public var description: String { "\(collection.rawValue)/\(key)" }
}

/// A record to be written.
public struct Record: Hashable, Sendable {
    public var id: RecordID
    /// The document, in the feature's own form.
    public var body: [UInt8]
    /// By what it is found: a few values, exactly as they are compared. They are not returned; the body has them.
    public var fields: [String: String]
    /// When something is to be done about it, such as forgetting it; `nil`: never.
    public var due: Timestamp?
    /// This process works on it from now on. `false`: nobody does.
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

/// Who works on a record, at the moment it is read.
public enum RecordHolder: Hashable, Sendable {
    case nobody
    /// The process that reads.
    case thisProcess
    /// Another one, which lives.
    case anotherProcess
    /// One that has died: what it did last is not known, and whoever updates the record takes it over.
    case deadProcess
}

/// A record as it stands.
public struct KeptRecord: Hashable, Sendable {
    public var id: RecordID
    /// 1 when it was inserted, and one more with each update.
    public var version: Int
    public var body: [UInt8]
    /// When something is to be done about it.
    public var due: Timestamp?
    /// Who works on it now.
    public var holder: RecordHolder
    /// When it was inserted.
    public var createdAt: Timestamp
    /// When it was written last.
    public var updatedAt: Timestamp
    /// Its place among all records by the time of insertion; never given twice.
    public var position: Int64

    package init(
        id: RecordID, version: Int, body: [UInt8], due: Timestamp?, holder: RecordHolder, createdAt: Timestamp,
        updatedAt: Timestamp, position: Int64
    ) {
        (self.id, self.version, self.body, self.due, self.holder) = (id, version, body, due, holder)
        (self.createdAt, self.updatedAt, self.position) = (createdAt, updatedAt, position)
    }
}
