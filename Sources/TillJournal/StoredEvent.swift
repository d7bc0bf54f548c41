public import TillCore

/// An event with its position in the journal.
public struct StoredEvent: Hashable, Sendable {
    /// Its position: 1, 2, 3, … without gaps.
    public var sequence: Int64
    public var payment: PaymentID
    public var account: AccountID
    /// Its position within the payment: 1, 2, 3, … without gaps.
    public var version: Int
    /// The event and its time.
    public var record: RecordedEvent

    public init(sequence: Int64, payment: PaymentID, account: AccountID, version: Int, record: RecordedEvent) {
        self.sequence = sequence
        self.payment = payment
        self.account = account
        self.version = version
        self.record = record
    }
}
