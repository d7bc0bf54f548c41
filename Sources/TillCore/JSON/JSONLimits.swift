/// The parsing limits beyond which a document is refused. Each limit guards one resource of the process.
public struct JSONLimits: Hashable, Sendable {
    /// The length of the whole document. Guards memory.
    public var maximumBytes: Int
    /// The nesting depth of arrays and objects; capped at 512. Guards the stack.
    public var maximumDepth: Int
    /// The number of values of every kind in the document. Guards time: two bytes can be one value.
    public var maximumValues: Int

    /// Creates limits; the defaults fit every known request and provider response.
    public init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 64, maximumValues: Int = 100_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = min(maximumDepth, 512)
        self.maximumValues = maximumValues
    }

    /// 1 MiB, 64 levels, 100,000 values.
    public static let standard = JSONLimits()
}
