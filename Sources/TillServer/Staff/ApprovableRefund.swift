import HTTPTypes
import TillCore

/// A refund that somebody else can approve on the spot: what is approved is this and nothing else.
struct ApprovableRefund: Hashable, Sendable {
    let payment: PaymentID
    let amount: Money

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("action", "refund")
        writer.field("payment", payment.rawValue)
        writer.field("amount", amount.minorUnits)
        writer.field("currency", amount.currency.code)
        writer.endObject()
    }

    /// That it needs somebody's approval.
    func problem(for person: StaffGrant) -> Problem {
        let limit = person.refundLimit(in: amount.currency)
        var problem = Problem(
            .forbidden, "approval_required",
            "\(person.name) may give back \(limit.map { $0.isZero ? "nothing" : "\($0)" } ?? "nothing") of a payment "
                + "without approval. Nothing was given back.",
            next: "Have somebody approve it who may, with their PIN.")
        problem.permission = StaffPermission.refundFreely.rawValue
        problem.approvable = self
        return problem
    }
}
