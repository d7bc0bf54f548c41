public import TillCore

/// An error for a reader operation that was not performed.
public struct ReaderError: ExplainedError, Hashable {
    /// The category of the error, for the caller.
    public enum Kind: Hashable, Sendable {
        /// No such reader exists.
        case notFound
        /// The operation was refused, and repeating it will be refused too.
        case refused
        /// Temporarily unavailable; a retry may succeed.
        case unavailable
        /// A field of the request is invalid.
        case invalid(field: String)
    }

    public let kind: Kind
    /// The stable error code, the provider's own if it has one.
    public let code: String
    public let what: String
    public let moneyMoved: MoneyMoved
    /// The recommended next step.
    public let next: String

    public init(_ kind: Kind, code: String, _ what: String, moneyMoved: MoneyMoved = .no, next: String) {
        self.kind = kind
        self.code = code
        self.what = what
        self.moneyMoved = moneyMoved
        self.next = next
    }

    /// Returns the error for a name that matches no reader of the fleet.
    public static func notFound(_ name: String) -> ReaderError {
        ReaderError(
            .notFound, code: "reader_not_found", "There is no reader \(name.prefix(128)).",
            next: "Name one that the counter lists.")
    }

    /// The error for an operation restricted to simulated readers.
    public static let isReal = ReaderError(
        .refused, code: "reader_is_real", "This is no simulated reader.", next: "Use a real card.")
}
