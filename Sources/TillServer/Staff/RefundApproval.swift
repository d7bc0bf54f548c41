import TillCore
import TillJournal

/// That somebody approved one refund of somebody else's: which, for whom and at which device. Kept with what became of
/// it.
struct RefundApproval: Hashable, Sendable {
    /// Somebody as they were called then.
    struct Person: Hashable, Sendable {
        let id: StaffID
        let name: String
    }

    let id: String
    let account: AccountID
    let refund: ApprovableRefund
    let requestedBy: Person
    let approvedBy: Person
    let device: String
    let made: MeasuredMoment
    /// The digest of the key under which the refund was asked for; `nil`: it was not used.
    var usedKey: [UInt8]?
}

extension RefundApproval: RecordDocument {
    static let collection: RecordCollection = "refund_approval"
    static func of(_ payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("payment", refund.payment.rawValue)
        writer.field("amount", refund.amount.minorUnits)
        writer.field("currency", refund.amount.currency.code)
        writer.field("requested_by", requestedBy.id.rawValue)
        writer.field("requested_name", requestedBy.name)
        writer.field("approved_by", approvedBy.id.rawValue)
        writer.field("approved_name", approvedBy.name)
        writer.field("device", device)
        writer.moment("made", made)
        if let usedKey { writer.field("used_key", Hex.lowercase(usedKey)) }
        writer.endObject()
        return Record(
            RecordID(RefundApproval.collection, id), body: writer.bytes, fields: ["payment": refund.payment.rawValue],
            // One that was used is kept with its payment.
            due: usedKey == nil ? made.at.adding(RefundApprovals.kept) : nil)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        id = stored.id.key
        account = AccountID(rawValue: try body.text("account"))
        guard let currency = Currency(ifValid: try body.text("currency")) else { throw body.damaged("currency") }
        refund = ApprovableRefund(
            payment: PaymentID(rawValue: try body.text("payment")),
            amount: Money(minorUnits: try body.int("amount"), currency: currency))
        requestedBy = Person(
            id: StaffID(rawValue: try body.text("requested_by")), name: try body.text("requested_name"))
        approvedBy = Person(
            id: StaffID(rawValue: try body.text("approved_by")), name: try body.text("approved_name"))
        device = try body.text("device")
        made = try MeasuredMoment(body, "made")
        usedKey = body.optionalText("used_key") == nil ? nil : try body.bytes("used_key")
    }

    /// As programs get it, over HTTP and with `--json`.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.key("approval")
        refund.write(into: &writer)
        writer.field("requested_by", requestedBy.name)
        writer.field("approved_by", approvedBy.name)
        writer.field("at", made.at.description)
        writer.endObject()
    }
}
