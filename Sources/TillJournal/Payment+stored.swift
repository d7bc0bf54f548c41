package import TillCore

extension Payment {
    /// A payment from its events; `nil` if there are none.
    /// - Throws: ``JournalError/corrupted(_:)`` if they do not begin with its creation or break one of its rules: nothing is
    ///   decided, and no money is moved, on a history that cannot be right.
    package init?(stored events: [StoredEvent]) throws(JournalError) {
        guard let first = events.first else { return nil }
        guard let payment = Payment(folding: events.lazy.map(\.record)) else {
            throw .corrupted("payment \(first.payment) does not begin with its creation")
        }
        if let broken = payment.broken { throw .corrupted("payment \(first.payment): \(broken)") }
        self = payment
    }
}
