/// What a document may cost before it is refused. Each limit guards one resource of the process that reads it.
public struct JSONLimits: Hashable, Sendable {
    /// Length of the whole document. Guards memory.
    public var maximumBytes: Int
    /// Nested arrays and objects; 512 at most, whatever is asked for. Guards the stack.
    public var maximumDepth: Int
    /// Values of every kind in the document. Guards time: two bytes can be one value.
    public var maximumValues: Int

    /// Limits; the defaults fit any request or provider answer that Till knows.
    public init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 64, maximumValues: Int = 100_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = min(maximumDepth, 512)
        self.maximumValues = maximumValues
    }

    /// 1 MiB, 64 levels, 100,000 values.
    public static let standard = JSONLimits()
}
