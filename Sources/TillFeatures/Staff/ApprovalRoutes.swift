import HTTPTypes
import Hummingbird
package import TillCheckout
import TillCore
import TillCounter
package import TillWeb

/// `/v1/approvals`: approval of a refund or a discount that exceeds the signed-in person's limit, by a second person at
/// the same device.
package struct ApprovalRoutes: Sendable {
    /// The maximum request body size, in bytes.
    package static let maximumBodyBytes = 4_096

    package let checkout: Checkout
    package let approvals: Approvals
    package let signIn: StaffSignIn

    package init(checkout: Checkout, approvals: Approvals, signIn: StaffSignIn) {
        (self.checkout, self.approvals, self.signIn) = (checkout, approvals, signIn)
    }

    package func register(on router: CounterRouter) {
        router.post(
            "/v1/approvals", for: .read, of: .caller, maximumBodyBytes: ApprovalRoutes.maximumBodyBytes
        ) { try await approve($0) }
    }

    private func approve(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        let asked = try await asked(in: body, incoming)
        guard let word = try body.text("staff", atMost: 128), let staff = StaffID(ifValid: word) else {
            throw Problem.field("staff", "It must be the identifier of who approves.")
        }
        let pin = Secret(try body.text("pin", atMost: PINPolicy.maximumDigits) ?? "")
        guard incoming.person != nil, let hash = incoming.credential?.session,
            let session = try await signIn.sessions.open(hash)
        else { throw ApprovalRoutes.noPerson }
        let approver = try await signIn.check(staff, pin, at: session)
        guard let grant = try await signIn.staff.grant(of: approver), asked.isCovered(by: grant) else {
            signIn.log.record(.approvalRefused(staff), at: session.device)
            throw Problem.roleForbids(approver.name, approver.role, asked.permission.rawValue)
        }
        let approval = try await approvals.approve(asked.what, by: grant, for: incoming, key: key)
        signIn.log.record(.approved(staff, for: approval.requestedBy.id, approval.what), at: session.device)
        var writer = JSONWriter()
        approval.write(into: &writer)
        return .json(writer.bytes, status: .created)
    }

    /// What is to be approved.
    private struct Asked {
        let what: Approvable
        /// The payment of a refund; `nil` for a discount, whose payment is not created yet.
        let payment: Payment?

        /// The permission with which it needs no approval.
        var permission: StaffPermission {
            switch what {
            case .refund: .refundFreely
            case .discount: .discountFreely
            }
        }

        func isCovered(by grant: StaffGrant) -> Bool {
            switch what {
            case .refund(let refund): payment.map { grant.covers(refundOf: refund.amount, of: $0) } ?? false
            case .discount(let discount): grant.covers(discount.discount)
            }
        }
    }

    private func asked(in body: JSONValue, _ incoming: Incoming) async throws -> Asked {
        switch try body.text("action", atMost: 20) {
        case "refund":
            try incoming.person?.require(.refund)
            try body.allow(["action", "payment", "amount", "staff", "pin"])
            guard let text = try body.text("payment", atMost: 128), let id = PaymentID(ifValid: text) else {
                throw Problem.field("payment", "It must be the identifier of a payment.")
            }
            let payment = try await checkout.payment(id, account: incoming.account)
            guard let amount = try body.amount("amount", payment.currency) else {
                throw Problem.field("amount", "It is missing.", code: "invalid_amount")
            }
            return Asked(what: .refund(ApprovableRefund(payment: id, amount: amount)), payment: payment)
        case "discount":
            try incoming.person?.require(.sell)
            try body.allow(["action", "amount", "currency", "discount", "staff", "pin"])
            let amount = try body.saleAmount()
            guard let discount = try body.discount(beside: amount) else {
                throw Problem.field("discount", "It is missing.")
            }
            return Asked(what: .discount(ApprovableDiscount(discount, charging: amount)), payment: nil)
        default: throw Problem.field("action", "It must be refund or discount.")
        }
    }

    private static let noPerson = Problem(
        .conflict, "no_person", "Only somebody who is signed in at the page can have something approved.",
        next: "Sign in at the page with a PIN. A key needs no approval for what its scopes allow.")
}
