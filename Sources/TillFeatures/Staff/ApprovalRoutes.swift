import HTTPTypes
import Hummingbird
package import TillCheckout
import TillCore
import TillCounter
package import TillWeb

/// `/v1/approvals`: approval of a refund that exceeds the signed-in person's limit, by a second person at the same
/// device.
package struct ApprovalRoutes: Sendable {
    /// The maximum request body size, in bytes.
    package static let maximumBodyBytes = 4_096

    package let checkout: Checkout
    package let approvals: RefundApprovals
    package let signIn: StaffSignIn

    package init(checkout: Checkout, approvals: RefundApprovals, signIn: StaffSignIn) {
        (self.checkout, self.approvals, self.signIn) = (checkout, approvals, signIn)
    }

    package func register(on router: CounterRouter) {
        router.post(
            "/v1/approvals", for: .read, of: .caller, needs: .refund, maximumBodyBytes: ApprovalRoutes.maximumBodyBytes
        ) { try await approve($0) }
    }

    private func approve(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["action", "payment", "amount", "staff", "pin"])
        guard try body.text("action", atMost: 20) == "refund" else {
            throw Problem.field("action", "It must be refund.")
        }
        guard let text = try body.text("payment", atMost: 128), let id = PaymentID(ifValid: text) else {
            throw Problem.field("payment", "It must be the identifier of a payment.")
        }
        guard let word = try body.text("staff", atMost: 128), let staff = StaffID(ifValid: word) else {
            throw Problem.field("staff", "It must be the identifier of who approves.")
        }
        let pin = Secret(try body.text("pin", atMost: PINPolicy.maximumDigits) ?? "")
        let payment = try await checkout.payment(id, account: incoming.account)
        guard incoming.person != nil, let hash = incoming.credential?.session,
            let session = try await signIn.sessions.open(hash)
        else { throw ApprovalRoutes.noPerson }
        guard let amount = try body.amount("amount", payment.currency) else {
            throw Problem.field("amount", "It is missing.", code: "invalid_amount")
        }
        let approver = try await signIn.check(staff, pin, at: session)
        guard let grant = try await signIn.staff.grant(of: approver), grant.covers(refundOf: amount, of: payment) else {
            signIn.log.record(.approvalRefused(staff), at: session.device)
            throw Problem.roleForbids(approver.name, approver.role, StaffPermission.refundFreely.rawValue)
        }
        let approval = try await approvals.approve(
            ApprovableRefund(payment: id, amount: amount), by: grant, for: incoming, key: key)
        signIn.log.record(.approved(staff, for: approval.requestedBy.id, id), at: session.device)
        var writer = JSONWriter()
        approval.write(into: &writer)
        return .json(writer.bytes, status: .created)
    }

    private static let noPerson = Problem(
        .conflict, "no_person", "Only somebody who is signed in at the page can have something approved.",
        next: "Sign in at the page with a PIN. A key with the scope refund needs no approval.")
}
