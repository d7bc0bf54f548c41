public import TillCore

/// A form of file in which a provider gives statements.
public protocol StatementFormat: Sendable {
    /// What `--format` says for it: lower-case letters, digits and dashes.
    var name: String { get }
    /// For how long after a payment moved its line may be missing in a statement that continues after it.
    var lag: Span { get }
    /// Whether a file is likely to be one, by its beginning.
    func recognizes(_ bytes: [UInt8]) -> Bool
    /// All lines, in any order.
    /// - Throws: ``StatementError`` that names the line; a file is taken whole or not at all.
    func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine]
}

/// A provider's statements over its interface.
public protocol StatementSource: Sendable {
    /// For how long after a payment moved its line may be missing, as in ``StatementFormat/lag``.
    var lag: Span { get }
    /// Whose statements they are; `nil`: not known.
    func account() async -> String?
    /// All that the provider gives of a time, both ends included: of several weeks at most.
    /// - Throws: ``StatementError`` if one line cannot be read, the provider does not answer, or the shop has to set
    ///   something up first; never a part.
    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart
    /// The same, reporting progress where that takes long.
    func part(
        from: Timestamp, to: Timestamp, progress: FetchProgress?
    ) async throws(StatementError) -> StatementPart
}

extension StatementSource {
    /// One that is fetched in short answers says nothing.
    public func part(
        from: Timestamp, to: Timestamp, progress: FetchProgress?
    ) async throws(StatementError) -> StatementPart { try await part(from: from, to: to) }
}

/// What a provider gives of a time.
public struct StatementPart: Sendable {
    public let lines: [StatementLine]
    /// The time of which it has every line; `nil`: from the first of its lines to the last.
    public let covers: (from: Timestamp, to: Timestamp)?

    /// - Parameter covers: `nil` for reports, which are made later than what stands in them.
    public init(_ lines: [StatementLine], covers: (from: Timestamp, to: Timestamp)? = nil) {
        self.lines = lines
        self.covers = covers
    }
}

/// What a statement may cost.
public enum StatementLimits {
    /// Bytes of one file.
    public static let maximumBytes = 64 << 20
    /// Lines of one import: of all files that are given at once, or of one answer of a ``StatementSource``.
    public static let maximumLines = 200_000
    /// Bytes of one line: of a CSV file's row, or of a JSON document's transaction as text.
    public static let maximumLineBytes = 128 << 10
    /// Cells of one line of a CSV file.
    public static let maximumColumns = 256
    /// Bytes of one cell.
    public static let maximumCellBytes = 16 << 10
    /// Bytes of a header by which a file is recognized.
    public static let maximumHeaderBytes = 64 << 10
    /// Values of one JSON file, or cells of one CSV file: several times what ``maximumBytes`` of real transactions
    /// have.
    public static let maximumValues = 8_000_000

    /// That there are more lines than are imported at once.
    /// - Parameter limit: lines of one import, ``maximumLines`` unless the way they come takes fewer.
    public static func tooManyLines(_ limit: Int = maximumLines) -> StatementError {
        StatementError("it has more than \(limit) lines, and no more are imported at once", remedy: .split)
    }

    /// Reads a JSON file within these limits.
    public static func json(_ bytes: [UInt8]) throws(StatementError) -> JSONValue {
        guard bytes.count <= maximumBytes else {
            throw StatementError("it has more than \(maximumBytes) bytes", remedy: .split)
        }
        let limits = JSONLimits(maximumBytes: maximumBytes, maximumValues: maximumValues)
        do throws(JSONError) { return try JSONValue(parsing: bytes, limits: limits) } catch {
            throw StatementError("it is no JSON document: \(error)")
        }
    }
}
