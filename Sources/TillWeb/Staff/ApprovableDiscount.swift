import HTTPTypes
package import TillCore
package import TillCounter

/// A discount that another staff member can approve on the spot, before its payment is created. An approval covers
/// exactly this discount, with its reason, beside this amount.
package struct ApprovableDiscount: Hashable, Sendable {
    package let discount: Discount
    /// The amount charged after the discount.
    package let amount: Money

    package init(_ discount: Discount, charging amount: Money) {
        self.discount = discount
        self.amount = amount
    }

    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("action", "discount")
        writer.field("amount", amount.minorUnits)
        writer.field("currency", amount.currency.code)
        writer.key("discount")
        writer.beginObject()
        writer.field("amount", discount.amount.minorUnits)
        writer.field("reason", discount.reason)
        writer.endObject()
        writer.endObject()
    }

    /// Returns the problem that asks for approval by a staff member with a sufficient discount limit.
    package func problem(for person: StaffGrant) -> Problem {
        let limit = person.discountLimit(in: amount.currency).flatMap { $0.isZero ? nil : $0 }
        let allowed = limit.map { "a discount of \($0)" } ?? "no discount"
        var problem = Problem(
            .forbidden, "approval_required",
            "\(person.name) may give \(allowed) on a payment without approval. Nothing was charged.",
            next: "Have somebody approve it who may, with their PIN.")
        problem.permission = StaffPermission.discountFreely.rawValue
        problem.approvable = .discount(self)
        return problem
    }
}
