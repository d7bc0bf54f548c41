import HTTPTypes
package import TillCore
package import TillCounter

/// A refund that another staff member can approve on the spot. An approval covers exactly this payment and amount.
package struct ApprovableRefund: Hashable, Sendable {
    package let payment: PaymentID
    package let amount: Money

    package init(payment: PaymentID, amount: Money) {
        self.payment = payment
        self.amount = amount
    }

    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("action", "refund")
        writer.field("payment", payment.rawValue)
        writer.field("amount", amount.minorUnits)
        writer.field("currency", amount.currency.code)
        writer.endObject()
    }

    /// Returns the problem that asks for approval by a staff member with a sufficient refund limit.
    package func problem(for person: StaffGrant) -> Problem {
        let limit = person.refundLimit(in: amount.currency)
        var problem = Problem(
            .forbidden, "approval_required",
            "\(person.name) may give back \(limit.map { $0.isZero ? "nothing" : "\($0)" } ?? "nothing") of a payment "
                + "without approval. Nothing was given back.",
            next: "Have somebody approve it who may, with their PIN.")
        problem.permission = StaffPermission.refundFreely.rawValue
        problem.approvable = .refund(self)
        return problem
    }
}
