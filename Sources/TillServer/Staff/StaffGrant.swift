import HTTPTypes
import TillCore

/// The current permissions of a staff member, according to their role.
struct StaffGrant: Hashable, Sendable {
    let id: StaffID
    let name: String
    let role: StaffRole

    /// The route scopes that the role opens.
    var scopes: Set<Permission> { role.scopes }

    /// Requires a permission.
    /// - Throws: 403 with the missing permission.
    func require(_ permission: StaffPermission) throws(Problem) {
        guard !role.permissions.contains(permission) else { return }
        throw lacks(permission.rawValue)
    }

    /// Returns the problem for a missing permission, attributed to the refused person.
    func lacks(_ needed: String) -> Problem { .roleForbids(name, role.name, needed).claimed(by: actor) }

    /// The actor for the audit log.
    var actor: Actor { .staff(id, name: name) }

    /// Returns the maximum total refund of one payment; `nil` for no limit.
    func refundLimit(in currency: Currency) -> Money? {
        guard !role.permissions.contains(.refundFreely) else { return nil }
        return Money(minorUnits: role.refundLimits[currency] ?? 0, currency: currency)
    }

    /// Returns `true` if the refund, together with earlier refunds of the payment, is within the limit. Cumulative, so
    /// that repeated refunds cannot exceed it.
    func covers(refundOf amount: Money, of payment: Payment) -> Bool {
        guard role.permissions.contains(.refund) else { return false }
        return refundLimit(in: amount.currency).map { payment.isWithin($0, refunding: amount) } ?? true
    }
}

extension Problem {
    /// The problem for a permission that the role lacks.
    static func roleForbids(_ name: String, _ role: String, _ needed: String) -> Problem {
        var problem = Problem(
            .forbidden, "permission_missing",
            "\(name) may not do that: the role \(role) lacks the permission \(needed). Nothing was done.",
            next: "Have somebody do it who may, or give them another role: till staff set-role.")
        problem.permission = needed
        return problem
    }

    /// The problem for a device without a signed-in person.
    static let personRequired: Problem = {
        var problem = Problem(
            .unauthorized, "person_required", "Nobody is signed in at this device, or it was locked. Nothing was done.",
            next: "Choose who you are at the page, and enter your PIN.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"till\""
        return problem
    }()
}
