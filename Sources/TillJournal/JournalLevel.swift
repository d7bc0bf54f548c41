/// The level of a journal's tables beside that of this build, which adds what is missing when it opens the journal.
public struct JournalLevel: Hashable, Sendable {
    /// The level of the tables; 0 if there are none.
    public let found: Int64
    /// The level that this build writes. A journal with a higher one is refused.
    public let newest: Int64
    /// The names of the objects that this build adds, in their order.
    public let missing: [String]

    /// Creates a level with the objects that are still to be added.
    public init(found: Int64, newest: Int64, missing: [String]) {
        (self.found, self.newest, self.missing) = (found, newest, missing)
    }

    /// A Boolean value that indicates whether this build has nothing to add.
    public var isCurrent: Bool { found == newest && missing.isEmpty }
}
