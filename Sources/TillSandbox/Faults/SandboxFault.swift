public import TillCore

/// A fault in the communication with a provider.
public enum SandboxFault: Hashable, Sendable {
    /// No response; nothing was done.
    case timeoutBeforeCommit
    /// No response; the request was carried out.
    case timeoutAfterCommit
    /// Carried out, and answered with a 500.
    case serverErrorAfterSuccess
    /// Not carried out, and answered with a 500; a provider that stores responses under idempotency keys repeats it for
    /// this key from then on.
    case stickyServerError
    /// Answered with a 409: the key is in use by another request. Nothing was done.
    case conflict
    case slow(Span)
    /// The request arrives twice.
    case duplicateDelivery
    /// Answered with a 503. Nothing was done.
    case outage
    /// Not a byte was sent.
    case notSent

    /// The fault's name, as in `POST /_sandbox/faults`.
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

    /// Creates the fault with a name; `slow` takes two seconds by default.
    public init?(name: String, span: Span = .seconds(2)) {
        let all: [SandboxFault] = [.slow(span), .stickyServerError] + SandboxFault.inOrder
        guard let fault = all.first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    /// The faults in the order of the amounts and test cards that trigger them; see ``SandboxFaults``.
    package static let inOrder: [SandboxFault] = [
        .timeoutBeforeCommit, .timeoutAfterCommit, .serverErrorAfterSuccess, .conflict, .slow(.seconds(2)), .outage,
        .notSent, .duplicateDelivery,
    ]
}
