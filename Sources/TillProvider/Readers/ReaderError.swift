public import TillCore

/// Why readers did not do what was asked.
public struct ReaderError: ExplainedError, Hashable {
    /// What it means for whoever asked.
    public enum Kind: Hashable, Sendable {
        /// There is no such reader.
        case notFound
        /// It was refused, and the same again will be.
        case refused
        /// It may work in a moment.
        case unavailable
        /// A field of the request cannot be taken.
        case invalid(field: String)
    }

    public let kind: Kind
    /// The stable word, the provider's own where it has one.
    public let code: String
    public let what: String
    public let moneyMoved: MoneyMoved
    /// What to do next.
    public let next: String

    public init(_ kind: Kind, code: String, _ what: String, moneyMoved: MoneyMoved = .no, next: String) {
        self.kind = kind
        self.code = code
        self.what = what
        self.moneyMoved = moneyMoved
        self.next = next
    }

    /// No reader of a fleet has this name.
    public static func notFound(_ name: String) -> ReaderError {
        ReaderError(
            .notFound, code: "reader_not_found", "There is no reader \(name.prefix(128)).",
            next: "Name one that the counter lists.")
    }

    /// Only a simulated reader takes this.
    public static let isReal = ReaderError(
        .refused, code: "reader_is_real", "This is no simulated reader.", next: "Use a real card.")
}
