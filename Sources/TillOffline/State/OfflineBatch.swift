import TillCore

/// An unresolved batch: contents and progress.
///
/// open → fetched → submitted → accepted → resolved. Until the provider has decided, the batch may be reset, which
/// reopens its payments. A payment is in one batch at a time.
public struct OfflineBatch: Hashable, Sendable {
    /// The progress of a batch.
    public enum State: Hashable, Sendable {
        /// Assembled; it may already have been exported or displayed.
        case fetched
        /// Possibly received by the provider.
        case submitted(times: Int)
        /// Decided by the provider.
        case accepted(BatchReceipt)

        /// A stable identifier for programs.
        public var name: String {
            switch self {
            case .fetched: "fetched"
            case .submitted: "submitted"
            case .accepted: "accepted"
            }
        }
    }

    /// The signed contents.
    public var content: BatchContent
    /// Current progress.
    public var state: State

    /// The provider's decisions, if any.
    public var receipt: BatchReceipt? { if case .accepted(let receipt) = state { receipt } else { nil } }
}
