public import TillCore

/// An indexed field and its required value.
public struct RecordMatch: Hashable, Sendable {
    public var field: String
    /// The value, compared byte for byte.
    public var value: String

    public init(_ field: String, _ value: String) {
        self.field = field
        self.value = value
    }
}

/// The order and start of a list of records.
public enum RecordOrder: Hashable, Sendable {
    /// By insertion, from the first record, or the one after a position.
    case oldestFirst(after: Int64? = nil)
    /// By insertion in reverse, from the last record, or the one before a position.
    case newestFirst(before: Int64? = nil)
    /// Only records due by then, most overdue first.
    case due(by: Timestamp)
}

/// A query for records of a collection.
public struct RecordQuery: Hashable, Sendable {
    public var collection: RecordCollection
    /// Only records with this value; `nil`: all.
    public var match: RecordMatch?
    public var order: RecordOrder
    /// The maximum number of records, from 1 to ``RecordLimits/maximumPage``; other values are clamped.
    public var limit: Int

    public init(
        _ collection: RecordCollection, matching match: RecordMatch? = nil, _ order: RecordOrder = .oldestFirst(),
        limit: Int = RecordLimits.maximumPage
    ) {
        self.collection = collection
        self.match = match
        self.order = order
        self.limit = limit
    }

    package var boundedLimit: Int { min(max(limit, 1), RecordLimits.maximumPage) }
}
