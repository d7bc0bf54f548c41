public import TillCore
public import TillJournal

/// A receipt e-mail. It is recorded before the mail server is contacted, with the address masked: the address itself is
/// never stored, so sending again requires it again.
public struct ReceiptMail: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Being sent by a process.
        case sending
        /// Accepted by the mail server.
        case sent
        /// Refused by the mail server: certainly not sent.
        case failed
        /// Possibly accepted by the mail server.
        case mayHaveBeenSent = "may_have_been_sent"
    }

    public var id: String
    public var payment: PaymentID
    /// The masked recipient: `j•••@example.com`.
    public var to: String
    public var state: State
    /// The latest status message.
    public var note: String
    /// The time of the request.
    public var createdAt: Timestamp

    /// Creates a receipt e-mail about to be sent.
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
    /// The collection of stored e-mails.
    public static let collection: RecordCollection = "receipt_mail"

    /// The stored form. An e-mail being sent is held by the process that writes it.
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

    /// Reads the stored form. An e-mail that a dead process was sending may have been sent.
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
