import Synchronization
import TillCore
import TillSandbox

/// Delays scheduled for the next calls of each operation.
final class LateCalls: Sendable {
    private let spans = Mutex<[SandboxOperation: [Span]]>([:])

    func add(_ operation: SandboxOperation, _ span: Span) {
        spans.withLock { $0[operation, default: []].append(span) }
    }

    /// Removes and returns the delay of the current call; `nil` if it has none.
    func next(_ operation: SandboxOperation) -> Span? {
        spans.withLock { spans in
            guard let first = spans[operation]?.first else { return nil }
            spans[operation]?.removeFirst()
            return first
        }
    }
}
