/// The validation state of a card form field during editing.
public enum FieldState<Reason: Error & Hashable & Sendable>: Hashable, Sendable {
    /// Valid so far, but incomplete.
    case incomplete
    /// Ready to submit. More digits may still be possible.
    case valid
    /// Invalid; further typing cannot correct it.
    case invalid(Reason)

    /// `true` if the field can be submitted.
    public var isValid: Bool { self == .valid }
}
