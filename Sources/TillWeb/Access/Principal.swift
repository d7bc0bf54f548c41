import HTTPTypes
package import TillCore
package import TillCounter

/// The authenticated caller: account, scopes, audit identity.
package struct Principal: Hashable, Sendable {
    /// The credential of a request.
    package enum Credential: Hashable, Sendable {
        /// A key, by its SHA-256.
        case key(hash: [UInt8])
        /// A session of the counter's page, by the SHA-256 of its token.
        case session(hash: [UInt8])

        /// The session's hash; `nil` for a key.
        package var session: [UInt8]? { if case .session(let hash) = self { hash } else { nil } }
    }

    package let account: AccountID
    package let credential: Credential
    package let scopes: Set<APIScope>

    /// The identity in the audit log.
    package let actor: Actor
    /// The staff member signed in: by PIN at a device, by password or passkey in the back office; `nil` for a key, and
    /// without staff.
    package var person: StaffGrant?
    /// The session's device; `nil` for a key.
    package var device: DeviceID?
    /// The cash drawer that the device has chosen; `nil` for a key.
    package var drawer: DrawerName?
    /// The SHA-256 of the key that started the session.
    package var key: [UInt8]?

    /// The credential charged for the caller in the account's limits: sessions of a key share with the key.
    package var share: Credential { key.map { .key(hash: $0) } ?? credential }

    /// - Throws: 403 with the missing scope and the scopes granted.
    package func require(_ scope: APIScope) throws(Problem) {
        guard !scopes.contains(scope) else { return }
        if let person { throw person.lacks(scope.staffPermission) }
        var problem = Problem(
            .forbidden, "permission_missing",
            "This key may not do that. It needs the scope \(scope.rawValue), and it has "
                + (scopes.isEmpty ? "none" : scopes.words.joined(separator: ", ")) + ". Nothing was done.",
            next: "Use a key with that scope: till keys create --scope \(scope.rawValue).")
        problem.scopes = (scope, scopes)
        problem.by = actor
        throw problem
    }
}
