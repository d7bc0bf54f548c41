package import TillCore
import TillCounter
package import TillJournal

/// A note on a payment: text, author and time. It is never changed and never removed.
package struct PaymentNote: Hashable, Sendable {
    /// The identifier: `note_` and 24 letters, of the payment and the note's number.
    package let id: String
    /// The request that made it, as 24 letters of its idempotency key.
    let request: String
    package let account: AccountID
    package let payment: PaymentID
    package let text: String
    package let at: Timestamp
    package let by: Attribution

    package init(
        id: String, request: String, account: AccountID, payment: PaymentID, text: String, at: Timestamp,
        by: Attribution
    ) {
        (self.id, self.request, self.account, self.payment) = (id, request, account, payment)
        (self.text, self.at, self.by) = (text, at, by)
    }

    /// Returns the identifier of a payment's note by its number, from 0: a payment has one note of each number.
    static func id(of payment: PaymentID, number: Int) -> String { "note_" + letters("number/\(payment)/\(number)") }

    /// Returns the name of a request: the same key makes one note on a payment.
    static func request(on payment: PaymentID, key: String) -> String { letters("key/\(payment)/\(key)") }

    /// Letters in place of hexadecimal digits, of which some would read as a card number.
    private static func letters(_ text: String) -> String {
        var letters: [UInt8] = []
        for byte in digest("till/note/\(text)".utf8).prefix(12) { letters += [0x61 + (byte >> 4), 0x61 + (byte & 15)] }
        return String(decoding: letters, as: UTF8.self)
    }
}

extension PaymentNote: RecordDocument {
    package static let collection: RecordCollection = "payment_note"

    /// The notes of a payment.
    package static func of(_ payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    package var record: Record {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("payment", payment.rawValue)
        writer.field("request", request)
        writer.field("text", text)
        writer.field("at", at.milliseconds)
        writer.key("by")
        by.write(into: &writer)
        writer.endObject()
        return Record(
            RecordID(PaymentNote.collection, id), body: writer.bytes, fields: ["payment": payment.rawValue])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let by = body.json["by"].flatMap({ Attribution($0) }) else { throw body.damaged("by") }
        self.init(
            id: stored.id.key, request: try body.text("request"),
            account: AccountID(rawValue: try body.text("account")),
            payment: PaymentID(rawValue: try body.text("payment")), text: try body.text("text"),
            at: Timestamp(milliseconds: try body.int("at")), by: by)
    }

    /// Writes the note as the API returns it.
    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("text", text)
        writer.field("at", at.description)
        writer.key("by")
        PaymentJSON.write(by, into: &writer)
        writer.endObject()
    }
}
