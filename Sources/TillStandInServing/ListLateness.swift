import Synchronization
package import TillCore

/// The lag of lists behind the ledger, as in a provider's search: newer entries exist and are not listed yet.
package final class ListLateness: Sendable {
    private let span = Mutex(Span.seconds(0))

    package init() {}

    package func set(_ late: Span) { span.withLock { $0 = late } }

    /// - Parameter moment: in milliseconds since 1970.
    package func shows(_ moment: Int64, at now: Timestamp) -> Bool {
        now.since(Timestamp(milliseconds: moment)) >= span.withLock { $0 }
    }
}
