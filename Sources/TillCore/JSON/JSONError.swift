/// The first fault in a document that is not acceptable JSON, with its location.
public struct JSONError: Error, Hashable, Sendable {
    /// The line of the fault, from 1; 0 if the fault has no location, such as a document that is too long.
    public var line: Int
    /// The column of the fault in bytes, from 1; 0 if it has no location.
    public var column: Int
    /// A description of the fault, without its location.
    public var reason: String

    public init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }
}

extension JSONError: CustomStringConvertible {
    /// A sentence with the location.
    public var description: String {
        line == 0 ? "This is not JSON: \(reason)." : "Line \(line), column \(column): \(reason)."
    }
}
