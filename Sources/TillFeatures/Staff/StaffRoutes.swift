import HTTPTypes
import Hummingbird
import TillCore
package import TillCounter
package import TillWeb

/// `/v1/staff`: the management of staff; their roles are in the same routes' extension.
package struct StaffRoutes: Sendable {
    /// The maximum request body size, in bytes.
    package static let maximumBodyBytes = 4_096

    package let staff: StaffOnDuty
    package let hasher: ScryptHasher
    package let policy: PINPolicy

    package init(staff: StaffOnDuty, hasher: ScryptHasher, policy: PINPolicy) {
        (self.staff, self.hasher, self.policy) = (staff, hasher, policy)
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/staff", for: .staff, of: .caller) { try await list($0) }
        router.post("/v1/staff", for: .staff, of: .caller, maximumBodyBytes: StaffRoutes.maximumBodyBytes) {
            try await add($0)
        }
        router.on(
            [.patch], "/v1/staff/{id}", for: .staff, of: .caller, maximumBodyBytes: StaffRoutes.maximumBodyBytes
        ) { try await change($0.parameters.identifier(), $0) }
        router.on([.delete], "/v1/staff/{id}", for: .staff, of: .caller) {
            try await remove($0.parameters.identifier(), $0)
        }
        registerRoles(on: router)
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.key("staff")
        writer.beginArray()
        for person in try await staff.directory(incoming.account).all() { write(person, into: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private func add(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["name", "role", "pin"])
        guard let name = try body.text("name", atMost: StaffDirectory.maximumNameBytes) else {
            throw Problem.field("name", "It is missing.")
        }
        guard let role = try body.text("role", atMost: StaffRole.maximumNameBytes) else {
            throw Problem.field("role", "It is missing.")
        }
        let directory = staff.directory(incoming.account)
        try await incoming.checkRank(of: role, directory)
        let added = try await directory.add(
            name: name, role: role, pin: try await pin(in: body, of: incoming.account),
            id: StaffDirectory.id(for: incoming.account, key: key),
            by: incoming.actorName)
        staff.forget()
        return answer(added, status: .created)
    }

    private func change(_ id: StaffID, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(StaffRoutes.changeable)
        guard StaffRoutes.changeable.contains(where: { body[$0] != nil }) else {
            throw Problem.field("role", "Nothing is to be changed: say a role, a pin or disabled.")
        }
        for name in StaffRoutes.changeable.sorted() where body[name]?.isNull == true {
            throw Problem.field(name, "It must not be null.")
        }
        let disabled = body["disabled"]
        if let disabled, disabled.boolValue == nil { throw Problem.field("disabled", "It must be true or false.") }
        let directory = staff.directory(incoming.account)
        try await checkRank(of: id, directory, incoming)
        let role = try body.text("role", atMost: StaffRole.maximumNameBytes)
        if let role { try await incoming.checkRank(of: role, directory) }
        let changed = try await directory.change(
            id.rawValue,
            .init(role: role, pin: try await pin(in: body, of: incoming.account), isDisabled: disabled?.boolValue))
        staff.forget()
        return answer(changed)
    }

    private func remove(_ id: StaffID, _ incoming: Incoming) async throws -> Response {
        let directory = staff.directory(incoming.account)
        try await checkRank(of: id, directory, incoming)
        try await directory.remove(id.rawValue)
        staff.forget()
        return Response(status: .noContent)
    }

    /// Refuses to change a person who is unknown, or whose role may do more than the caller.
    private func checkRank(of id: StaffID, _ directory: StaffDirectory, _ incoming: Incoming) async throws {
        let known = try await directory.person(id.rawValue)
        guard known.id == id else { throw StaffError.unknownPerson(id.rawValue) }
        try await incoming.checkRank(of: known.role, directory)
    }

    /// The members of a change request.
    private static let changeable: Set<String> = ["disabled", "pin", "role"]

    private func pin(in body: JSONValue, of account: AccountID) async throws -> ScryptHash? {
        if body["pin"]?.isNull == true { throw Problem.field("pin", "It must not be null.") }
        guard let text = try body.text("pin", atMost: PINPolicy.maximumDigits) else { return nil }
        let pin = Secret(text)
        try policy.check(pin)
        return try await hasher.hash(pin, of: account)
    }

    private func write(_ person: StaffRecord, into writer: inout JSONWriter) {
        writer.beginObject()
        person.members(into: &writer)
        writer.endObject()
    }

    private func answer(_ person: StaffRecord, status: HTTPResponse.Status = .ok) -> Response {
        var writer = JSONWriter()
        write(person, into: &writer)
        return .json(writer.bytes, status: status)
    }
}

extension Incoming {
    /// The display name of the caller, for a record.
    var actorName: String { person?.name ?? "\(actor)" }

    /// Prevents privilege escalation: the caller can neither grant a role that exceeds its own permissions nor change a
    /// person with such a role. Applies to people by their role, and to keys and sessions begun with a key by their
    /// scopes.
    func checkRank(of name: String, _ directory: StaffDirectory) async throws {
        let roles = try await directory.roles()
        guard let role = roles.first(where: { $0.name == name }) else { throw StaffError.unknownRole(name) }
        try checkRank(of: role, among: roles)
    }

    /// Refuses a role that exceeds the caller's permissions or limits, as it is or as it shall be.
    /// - Parameter roles: All roles as they are now: the caller's own may have been lowered since the request began.
    func checkRank(of role: StaffRole, among roles: [StaffRole]) throws {
        let name = role.name
        if let person, roles.first(where: { $0.name == person.role.name })?.covers(role) != true {
            throw Problem(
                .forbidden, "role_exceeds_yours",
                "The role \(name) may do more than \(person.name), who has the role \(person.role.name). "
                    + "Nothing was changed.", next: "Ask someone whose role allows at least as much.")
        }
        guard role.scopes.isSubset(of: scopes) else {
            let missing = role.scopes.subtracting(scopes)
            throw Problem(
                .forbidden, "role_exceeds_yours",
                "The role \(name) may do more than \(actorName), which lacks the scopes "
                    + "\(missing.words.joined(separator: ", ")). Nothing was changed.",
                next: "Ask someone whose role allows at least as much, or use a key that has those scopes."
            ).claimed(by: actor)
        }
    }
}
