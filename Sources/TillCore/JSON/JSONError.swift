/// Why a document is not the JSON that Till reads, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// Line of the fault, from 1; 0 if the fault has no place, such as a document that is too long.
    public var line: Int
    /// Column of the fault in bytes, from 1; 0 if it has no place.
    public var column: Int
    /// What is wrong, without the place.
    public var reason: String

    public init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }
}

extension JSONError: CustomStringConvertible {
    /// A sentence with the place.
    public var description: String {
        line == 0 ? "This is not JSON: \(reason)." : "Line \(line), column \(column): \(reason)."
    }
}
