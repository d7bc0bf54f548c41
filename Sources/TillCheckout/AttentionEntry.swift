public import TillCore
public import TillJournal

/// An index entry for a payment that needs manual review. The operators' queue is listed from these entries, each
/// written in the same commit as the event that raised it. The details are in the payment itself; the entry of a
/// payment with nothing open is removed when it is read.
public struct AttentionEntry: RecordDocument, Hashable {
    public static let collection: RecordCollection = "attention"
    public let payment: PaymentID
    public let account: AccountID
    /// The time at which the oldest open item was raised.
    public let since: Timestamp

    /// Creates the entry of a payment; `nil` if nothing of it is open.
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

    /// Returns the record changes that keep the entry in step with a payment's new events: it exists exactly as long as
    /// something is open.
    /// - Parameter wasOpen: `true` if something was open before the events.
    static func changes(to payment: Payment, wasOpen: Bool) -> [RecordChange] {
        if let entry = AttentionEntry(payment) { return [.insertIfAbsent(entry.record)] }
        return wasOpen ? [.remove(recordID(payment.id))] : []
    }

    /// Returns the record identifier for a payment's entry, which may or may not exist.
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
