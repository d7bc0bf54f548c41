/// An error that a person at the counter can act on: what happened, whether money moved, what to do next.
public protocol ExplainedError: Error, Sendable, CustomStringConvertible {
    /// A stable word for programs, such as `refund_exceeds_captured`.
    var code: String { get }
    /// What happened, one sentence.
    var what: String { get }
    var moneyMoved: MoneyMoved { get }
    /// What to do next, one sentence.
    var next: String { get }
}

extension ExplainedError {
    public var description: String { "\(what) \(moneyMoved.sentence) \(next)" }
}

/// Whether a failed step moved money.
public enum MoneyMoved: String, Hashable, Sendable {
    /// No money moved, and none will.
    case no
    case yes
    /// Not known yet; it is being resolved.
    case unknown

    /// One sentence for people.
    public var sentence: String {
        switch self {
        case .no: "No money moved."
        case .yes: "Money moved."
        case .unknown: "It is not known yet whether money moved."
        }
    }
}
