public import TillCore

/// A payment with work due now, as returned by ``Journal/due(at:after:limit:)``.
public struct DuePayment: Hashable, Sendable {
    public var payment: PaymentID
    /// The provider of its newest attempt; `nil` if there was none. Known without reading the payment's events, so that
    /// an unreadable payment, or one with an unreachable provider, does not delay others.
    public var provider: ProviderName?
    /// The time since which it is due; `nil` if a process died while working on it.
    public var moment: Timestamp?

    public init(payment: PaymentID, provider: ProviderName?, moment: Timestamp?) {
        self.payment = payment
        self.provider = provider
        self.moment = moment
    }

    /// Its position in the outbox, from which reading continues.
    public var place: OutboxPlace { OutboxPlace(moment: moment, payment: payment) }
}

extension Journal {
    /// Returns payments with work due, most overdue first.
    public func due(at moment: Timestamp, limit: Int) async throws(JournalError) -> [PaymentID] {
        try await due(at: moment, after: nil, limit: limit).map(\.payment)
    }
}
