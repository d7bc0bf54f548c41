import HTTPTypes
import TillCore
package import TillCounter

extension StaffGrant {
    /// Requires a permission.
    /// - Throws: 403 with the missing permission.
    package func require(_ permission: StaffPermission) throws(Problem) {
        guard !role.permissions.contains(permission) else { return }
        throw lacks(permission.rawValue)
    }

    /// Returns the problem for a missing permission, attributed to the refused person.
    package func lacks(_ needed: String) -> Problem { .roleForbids(name, role.name, needed).claimed(by: actor) }
}

extension Problem {
    /// The problem for a permission that the role lacks.
    package static func roleForbids(_ name: String, _ role: String, _ needed: String) -> Problem {
        var problem = Problem(
            .forbidden, "permission_missing",
            "\(name) may not do that: the role \(role) lacks the permission \(needed). Nothing was done.",
            next: "Have somebody do it who may, or give them another role: till staff set-role.")
        problem.permission = needed
        return problem
    }

    /// The problem for a device without a signed-in person.
    package static let personRequired: Problem = {
        var problem = Problem(
            .unauthorized, "person_required", "Nobody is signed in at this device, or it was locked. Nothing was done.",
            next: "Choose who you are at the page, and enter your PIN.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"till\""
        return problem
    }()
}
