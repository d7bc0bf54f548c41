import Synchronization
import TillCore

/// How far lists lag behind the ledger, as a search of a provider's may: what is younger is there, and not listed.
final class ListLateness: Sendable {
    private let span = Mutex(Span.seconds(0))

    func set(_ late: Span) { span.withLock { $0 = late } }

    /// - Parameter moment: in milliseconds since 1970.
    func shows(_ moment: Int64, at now: Timestamp) -> Bool {
        now.since(Timestamp(milliseconds: moment)) >= span.withLock { $0 }
    }
}
