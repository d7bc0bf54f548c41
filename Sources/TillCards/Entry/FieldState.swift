/// How a field of a card form stands while somebody types.
public enum FieldState<Reason: Error & Hashable & Sendable>: Hashable, Sendable {
    /// Nothing is wrong so far; more is needed.
    case incomplete
    /// It can be sent. More digits may still be possible.
    case valid
    /// It cannot become right by typing on.
    case invalid(Reason)

    /// The field can be sent.
    public var isValid: Bool { self == .valid }
}
