import TillCore

/// One batch that is not resolved yet: what is in it and how far it has come.
///
/// open → fetched → submitted → accepted → resolved; until the provider has decided it may be given up, and its
/// payments are open again. A payment is in one batch at a time.
public struct OfflineBatch: Hashable, Sendable {
    /// How far a batch has come.
    public enum State: Hashable, Sendable {
        /// Put together; it may have been shown to somebody.
        case fetched
        /// It may be with the provider.
        case submitted(times: Int)
        /// The provider has decided.
        case accepted(BatchReceipt)

        /// A stable word for programs.
        public var name: String {
            switch self {
            case .fetched: "fetched"
            case .submitted: "submitted"
            case .accepted: "accepted"
            }
        }
    }

    /// What is in it.
    public var content: BatchContent
    /// How far it has come.
    public var state: State

    /// The provider's decisions, once there are any.
    public var receipt: BatchReceipt? { if case .accepted(let receipt) = state { receipt } else { nil } }
}
