import HTTPTypes
import TillCore

/// Who asks: whose account it is, what they may do, and what stands in the records about them.
struct Principal: Hashable, Sendable {
    /// What a request came in with.
    enum Credential: Hashable, Sendable {
        /// A key, by the SHA-256 of it.
        case key(hash: [UInt8])
        /// A session of the counter's page, by the SHA-256 of its token.
        case session(hash: [UInt8])

        /// The session's hash; `nil` for a key.
        var session: [UInt8]? { if case .session(let hash) = self { hash } else { nil } }
    }

    let account: AccountID
    let credential: Credential
    let permissions: Set<Permission>

    /// Who it is, for the records.
    let actor: Actor
    /// Who of the staff has entered a PIN; `nil` for a key, and where there is no staff.
    var person: StaffGrant?
    /// The device that a session is of; `nil` for a key.
    var device: DeviceID?
    /// The key that a session was begun with, by the SHA-256 of it.
    var key: [UInt8]?

    /// In whose share of what the account has it is: a key's sessions share with the key.
    var share: Credential { key.map { .key(hash: $0) } ?? credential }

    /// - Throws: 403 that names the scope that is missing, and those that there are.
    func require(_ permission: Permission) throws(Problem) {
        guard !permissions.contains(permission) else { return }
        if let person { throw person.lacks(permission.staffPermission) }
        var problem = Problem(
            .forbidden, "permission_missing",
            "This key may not do that. It needs the scope \(permission.rawValue), and it has "
                + (permissions.isEmpty ? "none" : permissions.words.joined(separator: ", ")) + ". Nothing was done.",
            next: "Use a key with that scope: till keys create --scope \(permission.rawValue).")
        problem.scopes = (permission, permissions)
        problem.by = actor
        throw problem
    }
}
