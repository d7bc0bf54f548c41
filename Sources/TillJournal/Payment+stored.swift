package import TillCore

extension Payment {
    /// Creates a payment from its events; `nil` if there are none.
    /// - Throws: ``JournalError/corrupted(_:)`` if they do not begin with its creation or violate one of its rules: no
    ///   decision is made, and no money is moved, on an invalid history.
    package init?(stored events: [StoredEvent]) throws(JournalError) {
        guard let first = events.first else { return nil }
        guard let payment = Payment(folding: events.lazy.map(\.record)) else {
            throw Payment.withoutCreation(first.payment)
        }
        self = try payment.sound()
    }

    /// Creates a payment from its events as ``init(stored:)`` does, without their positions in the journal.
    /// - Parameter id: The payment, for the error.
    package init?(_ id: PaymentID, folding events: [RecordedEvent]) throws(JournalError) {
        guard !events.isEmpty else { return nil }
        guard let payment = Payment(folding: events) else { throw Payment.withoutCreation(id) }
        self = try payment.sound()
    }

    static func withoutCreation(_ id: PaymentID) -> JournalError {
        .corrupted("payment \(id) does not begin with its creation")
    }

    /// Returns the payment itself if its history violates no rule.
    func sound() throws(JournalError) -> Payment {
        if let broken { throw .corrupted("payment \(id): \(broken)") }
        return self
    }
}
