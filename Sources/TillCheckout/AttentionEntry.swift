public import TillCore
public import TillJournal

/// That a payment has something that a person must review: what the operators' queue is listed from, written in the
/// same commit as the event. The payment itself says what; an entry of a payment that has nothing left is removed
/// when it is read.
public struct AttentionEntry: RecordDocument, Hashable {
    public static let collection: RecordCollection = "attention"
    public let payment: PaymentID
    public let account: AccountID
    /// When the oldest of it was raised.
    public let since: Timestamp

    /// `nil`: the payment has nothing for a person.
    public init?(_ payment: Payment) {
        guard let oldest = payment.openAttention.map(\.since).min() else { return nil }
        self.payment = payment.id
        account = payment.account
        since = oldest
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        payment = PaymentID(rawValue: try body.text("payment"))
        account = AccountID(rawValue: try body.text("account"))
        since = Timestamp(milliseconds: try body.int("since"))
    }

    /// What the entry becomes with a payment's new events: it is there exactly as long as something is open.
    static func changes(from before: Payment, to payment: Payment) -> [RecordChange] {
        if let entry = AttentionEntry(payment) { return [.insertIfAbsent(entry.record)] }
        return before.openAttention.isEmpty ? [] : [.remove(recordID(payment.id))]
    }

    /// The entry's name, whether there is one or not.
    static func recordID(_ payment: PaymentID) -> RecordID { RecordID(collection, payment.rawValue) }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("payment", payment.rawValue)
        writer.field("account", account.rawValue)
        writer.field("since", since.milliseconds)
        writer.endObject()
        return Record(
            AttentionEntry.recordID(payment), body: writer.bytes,
            fields: ["account": account.rawValue], due: since)
    }
}
