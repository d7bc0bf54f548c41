public import TillCore

/// A form of file in which a provider gives statements.
public protocol StatementFormat: Sendable {
    /// What `--format` says for it: lower-case letters, digits and dashes.
    var name: String { get }
    /// For how long after a payment moved its line may be missing in a statement that goes on behind it.
    var lag: Span { get }
    /// Whether a file looks like one, by its beginning.
    func recognizes(_ bytes: [UInt8]) -> Bool
    /// All lines, in any order.
    /// - Throws: ``StatementError`` that names the line; a file is taken whole or not at all.
    func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine]
}

/// A provider's statements over its interface.
public protocol StatementSource: Sendable {
    /// As for ``StatementFormat/lag``.
    var lag: Span { get }
    /// Whose statements they are; `nil`: not known.
    func account() async -> String?
    /// All lines of a time, both ends included.
    /// - Throws: ``StatementError`` if one of them cannot be read or the provider does not answer; never a part.
    func lines(from: Timestamp, to: Timestamp) async throws(StatementError) -> [StatementLine]
}

/// What a statement may cost.
public enum StatementLimits {
    /// Bytes of one file.
    public static let maximumBytes = 64 << 20
    /// Lines of one file, or of one answer of a ``StatementSource``.
    public static let maximumLines = 200_000
    /// Cells of one line of a CSV file.
    public static let maximumColumns = 256
    /// Bytes of one cell.
    public static let maximumCellBytes = 16 << 10
    /// Bytes of a header by which a file is recognized.
    public static let maximumHeaderBytes = 64 << 10
    /// Values of one JSON file.
    public static let maximumValues = 20_000_000

    /// Reads a JSON file within these limits.
    public static func json(_ bytes: [UInt8]) throws(StatementError) -> JSONValue {
        let limits = JSONLimits(maximumBytes: maximumBytes, maximumValues: maximumValues)
        do throws(JSONError) { return try JSONValue(parsing: bytes, limits: limits) } catch {
            throw StatementError("it is no JSON document: \(error)")
        }
    }
}
