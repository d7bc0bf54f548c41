public import TillCore

/// What can go wrong on the way to a provider and back.
public enum SandboxFault: Hashable, Sendable {
    /// The answer never comes and nothing was done.
    case timeoutBeforeCommit
    /// The answer never comes and it was done.
    case timeoutAfterCommit
    /// Done, and answered with a 500.
    case serverErrorAfterSuccess
    /// Answered with a 500 and not done; a provider that keeps answers under their keys gives the same to this
    /// key from then on.
    case stickyServerError
    /// Answered with a 409: somebody else uses the key right now. Nothing was done.
    case conflict
    case slow(Span)
    /// The request arrives twice.
    case duplicateDelivery
    /// Answered with a 503. Nothing was done.
    case outage
    /// Not one byte left.
    case notSent

    /// Its name, as in `POST /_sandbox/faults`.
    public var name: String {
        switch self {
        case .timeoutBeforeCommit: "timeoutBeforeCommit"
        case .timeoutAfterCommit: "timeoutAfterCommit"
        case .serverErrorAfterSuccess: "serverErrorAfterSuccess"
        case .stickyServerError: "stickyServerError"
        case .conflict: "conflict"
        case .slow: "slow"
        case .duplicateDelivery: "duplicateDelivery"
        case .outage: "outage"
        case .notSent: "notSent"
        }
    }

    /// The fault of that name; `slow` takes two seconds by default.
    public init?(name: String, span: Span = .seconds(2)) {
        let all: [SandboxFault] = [.slow(span), .stickyServerError] + SandboxFault.inOrder
        guard let fault = all.first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    /// In the order of the amounts and test cards that cause them; see ``SandboxFaults``.
    package static let inOrder: [SandboxFault] = [
        .timeoutBeforeCommit, .timeoutAfterCommit, .serverErrorAfterSuccess, .conflict, .slow(.seconds(2)), .outage,
        .notSent, .duplicateDelivery,
    ]
}
