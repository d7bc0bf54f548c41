import HTTPTypes
import TillCore

/// What somebody of the staff may do now, by the role that they have.
struct StaffGrant: Hashable, Sendable {
    let id: StaffID
    let name: String
    let role: StaffRole

    /// The scopes of routes that are open to them.
    var scopes: Set<Permission> { role.scopes }

    /// - Throws: 403 that names the permission that is missing.
    func require(_ permission: StaffPermission) throws(Problem) {
        guard !role.permissions.contains(permission) else { return }
        throw lacks(permission.rawValue)
    }

    /// That the role does not have what is needed, with who was refused.
    func lacks(_ needed: String) -> Problem { .roleForbids(name, role.name, needed).claimed(by: actor) }

    /// Who it is, for the records.
    var actor: Actor { .staff(id, name: name) }

    /// What may be given back of one payment in all; `nil`: as much as there is.
    func refundLimit(in currency: Currency) -> Money? {
        guard !role.permissions.contains(.refundFreely) else { return nil }
        return Money(minorUnits: role.refundLimits[currency] ?? 0, currency: currency)
    }

    /// Whether a refund is within the limit, with what was given back of the payment before: a limit that could be
    /// reached again and again would be none.
    func covers(refundOf amount: Money, of payment: Payment) -> Bool {
        guard role.permissions.contains(.refund) else { return false }
        return refundLimit(in: amount.currency).map { payment.isWithin($0, refunding: amount) } ?? true
    }
}

extension Problem {
    /// What somebody's role does not allow.
    static func roleForbids(_ name: String, _ role: String, _ needed: String) -> Problem {
        var problem = Problem(
            .forbidden, "permission_missing",
            "\(name) may not do that: the role \(role) lacks the permission \(needed). Nothing was done.",
            next: "Have somebody do it who may, or give them another role: till staff set-role.")
        problem.permission = needed
        return problem
    }

    /// Nobody has entered a PIN at the device, or it was locked.
    static let personRequired: Problem = {
        var problem = Problem(
            .unauthorized, "person_required", "Nobody is signed in at this device, or it was locked. Nothing was done.",
            next: "Choose who you are at the page, and enter your PIN.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"till\""
        return problem
    }()
}
