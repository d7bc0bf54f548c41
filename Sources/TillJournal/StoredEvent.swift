public import TillCore

/// An event with its place in the journal.
public struct StoredEvent: Hashable, Sendable {
    /// Its place: 1, 2, 3, … without gaps.
    public var sequence: Int64
    public var payment: PaymentID
    public var account: AccountID
    /// Its place in the payment: 1, 2, 3, … without gaps.
    public var version: Int
    /// What happened, and when.
    public var record: RecordedEvent

    public init(sequence: Int64, payment: PaymentID, account: AccountID, version: Int, record: RecordedEvent) {
        self.sequence = sequence
        self.payment = payment
        self.account = account
        self.version = version
        self.record = record
    }
}
