public import TillCore

/// A fault in the counter's setup that staff must mend, found while the counter runs. It is not stored: it ends when
/// its cause does.
public struct SetupNotice: Hashable, Sendable {
    /// The maximum number of notices of one part of the counter; later ones are left out.
    public static let maximumListed = 100

    /// The stable name of the fault: `association_missing`.
    public var code: String
    /// The part of the setup, such as a domain.
    public var subject: String
    /// The time since which the fault has stood, or is to be attended to; `nil` if it is not known.
    public var since: Timestamp?
    /// A sentence about what is wrong, and what follows from it.
    public var reason: String
    /// The recommended action.
    public var next: String

    public init(_ code: String, of subject: String, since: Timestamp? = nil, _ reason: String, next: String) {
        self.code = code
        self.subject = subject
        self.since = since
        self.reason = reason
        self.next = next
    }
}

extension SetupNotice: CustomStringConvertible {
    /// The reason, the time and the action, as sentences.
    public var description: String {
        let time = since.map { " It has been so since \($0)." } ?? ""
        return "\(reason)\(time) \(next)"
    }
}
