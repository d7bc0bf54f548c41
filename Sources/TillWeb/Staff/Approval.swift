package import TillCore
package import TillCounter
package import TillJournal

/// The approval of one refund or discount by a second staff member: what, requester, approver and device. Stored
/// together with its use.
package struct Approval: Hashable, Sendable {
    /// A staff member, with the name at the time of the approval.
    package struct Person: Hashable, Sendable {
        package let id: StaffID
        package let name: String
    }

    package let id: String
    package let account: AccountID
    package let what: Approvable
    package let requestedBy: Person
    package let approvedBy: Person
    package let device: String
    package let made: MeasuredMoment
    /// The digest of the idempotency key of the request that used the approval; `nil` if unused.
    var usedKey: [UInt8]?
}

extension Approval: RecordDocument {
    package static let collection: RecordCollection = "refund_approval"
    package static func of(_ payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        switch what {
        case .refund(let refund):
            writer.field("payment", refund.payment.rawValue)
            writer.field("amount", refund.amount.minorUnits)
            writer.field("currency", refund.amount.currency.code)
        case .discount(let discount):
            writer.field("amount", discount.amount.minorUnits)
            writer.field("currency", discount.amount.currency.code)
            writer.field("discount", discount.discount.amount.minorUnits)
            writer.field("reason", discount.discount.reason)
        }
        writer.field("requested_by", requestedBy.id.rawValue)
        writer.field("requested_name", requestedBy.name)
        writer.field("approved_by", approvedBy.id.rawValue)
        writer.field("approved_name", approvedBy.name)
        writer.field("device", device)
        writer.moment("made", made)
        if let usedKey { writer.field("used_key", Hex.lowercase(usedKey)) }
        writer.endObject()
        let end = made.at.adding(Approvals.kept)
        let id = RecordID(Approval.collection, self.id)
        switch what {
        case .refund(let refund):
            // A used approval is retained with its payment.
            return Record(
                id, body: writer.bytes, fields: ["payment": refund.payment.rawValue], due: usedKey == nil ? end : nil)
        // The payment's creation names who approved its discount.
        case .discount: return Record(id, body: writer.bytes, due: end)
        }
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        id = stored.id.key
        account = AccountID(rawValue: try body.text("account"))
        guard let currency = Currency(ifValid: try body.text("currency")) else { throw body.damaged("currency") }
        let amount = Money(minorUnits: try body.int("amount"), currency: currency)
        if let units = body.optionalInt("discount") {
            let discount: Discount
            do throws(DiscountError) {
                discount = try Discount(
                    stored: Money(minorUnits: units, currency: currency), reason: body.optionalText("reason") ?? "",
                    beside: amount)
            } catch { throw body.damaged("discount") }
            what = .discount(ApprovableDiscount(discount, charging: amount))
        } else {
            what = .refund(ApprovableRefund(payment: PaymentID(rawValue: try body.text("payment")), amount: amount))
        }
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
        what.write(into: &writer)
        writer.field("requested_by", requestedBy.name)
        writer.field("approved_by", approvedBy.name)
        writer.field("at", made.at.description)
        writer.endObject()
    }
}
