package import TillCore
package import TillCounter
package import TillJournal

/// The approval of one refund by a second staff member: refund, requester, approver and device. Stored together with
/// its use.
package struct RefundApproval: Hashable, Sendable {
    /// A staff member, with the name at the time of the approval.
    package struct Person: Hashable, Sendable {
        package let id: StaffID
        package let name: String
    }

    package let id: String
    package let account: AccountID
    package let refund: ApprovableRefund
    package let requestedBy: Person
    package let approvedBy: Person
    package let device: String
    package let made: MeasuredMoment
    /// The digest of the idempotency key of the refund that used the approval; `nil` if unused.
    var usedKey: [UInt8]?
}

extension RefundApproval: RecordDocument {
    package static let collection: RecordCollection = "refund_approval"
    package static func of(_ payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    package var record: Record {
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
            // A used approval is retained with its payment.
            due: usedKey == nil ? made.at.adding(RefundApprovals.kept) : nil)
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
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

    /// Writes the approval as the API and `--json` return it.
    package func write(into writer: inout JSONWriter) {
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
