public import TillCore

/// A file format of a provider's statements.
public protocol StatementFormat: Sendable {
    /// The value of `--format`: lower-case letters, digits and dashes.
    var name: String { get }
    /// The time for which the line of a payment may be missing from a statement that extends past it.
    var lag: Span { get }
    /// Returns `true` if the beginning of a file looks like this format.
    func recognizes(_ bytes: [UInt8]) -> Bool
    /// Parses all lines, in any order.
    /// - Throws: ``StatementError`` with the line; a file is accepted whole or not at all.
    func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine]
}

/// A provider's statements over its API.
public protocol StatementSource: Sendable {
    /// The time for which the line of a payment may be missing, as in ``StatementFormat/lag``.
    var lag: Span { get }
    /// Returns the account of the statements; `nil` if unknown.
    func account() async -> String?
    /// Returns all lines of a period of at most several weeks, both ends included.
    /// - Throws: ``StatementError`` if a line cannot be read, the provider does not respond, or the shop must first
    ///   enable something; never returns a partial result.
    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart
    /// Returns the same, and reports progress during long downloads.
    func part(
        from: Timestamp, to: Timestamp, progress: FetchProgress?
    ) async throws(StatementError) -> StatementPart
}

extension StatementSource {
    /// By default, reports no progress, as suits a source with short responses.
    public func part(
        from: Timestamp, to: Timestamp, progress: FetchProgress?
    ) async throws(StatementError) -> StatementPart { try await part(from: from, to: to) }
}

/// The lines that a provider reports for a period.
public struct StatementPart: Sendable {
    public let lines: [StatementLine]
    /// The period that is covered completely; `nil`: from the first to the last of the lines.
    public let covers: (from: Timestamp, to: Timestamp)?

    /// - Parameter covers: `nil` for reports, which are generated later than their content.
    public init(_ lines: [StatementLine], covers: (from: Timestamp, to: Timestamp)? = nil) {
        self.lines = lines
        self.covers = covers
    }
}

/// The limits of a statement.
public enum StatementLimits {
    /// Bytes per file.
    public static let maximumBytes = 64 << 20
    /// Lines per import: of all files imported together, or of one response of a ``StatementSource``.
    public static let maximumLines = 200_000
    /// Bytes per line: of a CSV row, or of a JSON transaction as text.
    public static let maximumLineBytes = 128 << 10
    /// Cells per CSV row.
    public static let maximumColumns = 256
    /// Bytes per cell.
    public static let maximumCellBytes = 16 << 10
    /// Header bytes examined to recognize a file.
    public static let maximumHeaderBytes = 64 << 10
    /// Values per JSON file, or cells per CSV file: several times as many as real transactions of ``maximumBytes``
    /// contain.
    public static let maximumValues = 8_000_000

    /// Returns the error for more lines than one import accepts.
    /// - Parameter limit: the maximum number of lines, ``maximumLines`` unless the source accepts fewer.
    public static func tooManyLines(_ limit: Int = maximumLines) -> StatementError {
        StatementError("it has more than \(limit) lines, and no more are imported at once", remedy: .split)
    }

    /// Parses a JSON file within these limits.
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
