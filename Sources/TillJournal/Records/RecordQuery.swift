public import TillCore

/// An indexed field and the value that it must have.
public struct RecordMatch: Hashable, Sendable {
    public var field: String
    /// The value, compared byte by byte.
    public var value: String

    public init(_ field: String, _ value: String) {
        self.field = field
        self.value = value
    }
}

/// In which order records are listed, and from where on.
public enum RecordOrder: Hashable, Sendable {
    /// By the time of insertion, from the first one, or from the one behind a position.
    case oldestFirst(after: Int64? = nil)
    /// By the time of insertion, from the last one, or from the one before a position.
    case newestFirst(before: Int64? = nil)
    /// Only those that are due by then, the most overdue first.
    case due(by: Timestamp)
}

/// Which records to list.
public struct RecordQuery: Hashable, Sendable {
    public var collection: RecordCollection
    /// Only those that carry this value; `nil`: all.
    public var match: RecordMatch?
    public var order: RecordOrder
    /// How many; 1 to ``RecordLimits/maximumPage``, anything else is brought into it.
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
