public import TillCore
public import TillJournal

/// A receipt on its way to somebody by e-mail. It is recorded before the mail server is asked, with the address
/// masked: the address itself is nowhere kept, so sending again needs it again.
public struct ReceiptMail: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// A process is sending it.
        case sending
        /// The mail server took it.
        case sent
        /// The mail server refused it: certainly not sent.
        case failed
        /// The mail server may have taken it.
        case mayHaveBeenSent = "may_have_been_sent"
    }

    public var id: String
    public var payment: PaymentID
    /// To whom, masked: `j•••@example.com`.
    public var to: String
    public var state: State
    /// The last report, for people.
    public var note: String
    /// When it was asked for.
    public var createdAt: Timestamp

    /// A receipt that is about to be sent.
    public init(id: String, payment: PaymentID, to masked: String, at: Timestamp) {
        self.id = id
        self.payment = payment
        to = masked
        state = .sending
        note = ""
        createdAt = at
    }
}

extension ReceiptMail: RecordDocument {
    /// Where they are kept.
    public static let collection: RecordCollection = "receipt_mail"

    /// One that is being sent belongs to the process that writes it.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("payment", payment.rawValue)
        writer.field("to", to)
        writer.field("state", state.rawValue)
        writer.field("note", note)
        writer.endObject()
        return Record(
            RecordID(ReceiptMail.collection, id), body: writer.bytes, fields: ["payment": payment.rawValue],
            isHeld: state == .sending)
    }

    /// One that a process that died was sending may have been sent.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            id: stored.id.key, payment: PaymentID(rawValue: try body.text("payment")), to: try body.text("to"),
            at: stored.createdAt)
        note = try body.text("note")
        state = State(rawValue: try body.text("state")) ?? .mayHaveBeenSent
        guard state == .sending, stored.holder == .deadProcess || stored.holder == .nobody else { return }
        state = .mayHaveBeenSent
        note = "Till stopped while it was sent."
    }
}
