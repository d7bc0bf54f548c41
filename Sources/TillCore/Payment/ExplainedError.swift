/// An error that counter staff can act on: what happened, whether money moved, and what to do next.
public protocol ExplainedError: Error, Sendable, CustomStringConvertible {
    /// A stable identifier for programs, such as `refund_exceeds_captured`.
    var code: String { get }
    /// A description of the failure, one sentence.
    var what: String { get }
    var moneyMoved: MoneyMoved { get }
    /// The recommended next step, one sentence.
    var next: String { get }
}

extension ExplainedError {
    public var description: String { "\(what) \(moneyMoved.sentence) \(next)" }
}

/// Indicates whether a failed step moved money.
public enum MoneyMoved: String, Hashable, Sendable {
    /// No money moved, and none will.
    case no
    case yes
    /// Not known yet; being resolved.
    case unknown

    /// A human-readable sentence.
    public var sentence: String {
        switch self {
        case .no: "No money moved."
        case .yes: "Money moved."
        case .unknown: "It is not known yet whether money moved."
        }
    }
}
