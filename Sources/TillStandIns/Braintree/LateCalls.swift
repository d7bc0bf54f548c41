import Synchronization
import TillCore
import TillSandbox

/// Which of the next calls arrive late, and by how much.
final class LateCalls: Sendable {
    private let spans = Mutex<[SandboxOperation: [Span]]>([:])

    func add(_ operation: SandboxOperation, _ span: Span) {
        spans.withLock { $0[operation, default: []].append(span) }
    }

    /// The delay of the call that is made now; `nil` if it has none.
    func next(_ operation: SandboxOperation) -> Span? {
        spans.withLock { spans in
            guard let first = spans[operation]?.first else { return nil }
            spans[operation]?.removeFirst()
            return first
        }
    }
}
