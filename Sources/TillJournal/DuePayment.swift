public import TillCore

/// A payment on which something is to be done now, as ``Journal/due(at:after:limit:)`` hands it out.
public struct DuePayment: Hashable, Sendable {
    public var payment: PaymentID
    /// The provider of its newest attempt; `nil` if there was none. Known without reading the payment's events, so that
    /// one whose events cannot be read, or whose provider is away, costs others nothing.
    public var provider: ProviderName?
    /// Since when it is due; `nil`: a process died while it worked on it.
    public var moment: Timestamp?

    public init(payment: PaymentID, provider: ProviderName?, moment: Timestamp?) {
        self.payment = payment
        self.provider = provider
        self.moment = moment
    }

    /// Where it stands: what lies behind it is read from there on.
    public var place: OutboxPlace { OutboxPlace(moment: moment, payment: payment) }
}

extension Journal {
    /// Payments on which something is to be done, the most overdue first.
    public func due(at moment: Timestamp, limit: Int) async throws(JournalError) -> [PaymentID] {
        try await due(at: moment, after: nil, limit: limit).map(\.payment)
    }
}
