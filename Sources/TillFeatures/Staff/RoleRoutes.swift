import HTTPTypes
import Hummingbird
import TillCore
import TillCounter
import TillWeb

/// `/v1/roles`: the roles that every shop has, and the shop's own. Whoever changes one grants no more than they have.
extension StaffRoutes {
    func registerRoles(on router: CounterRouter) {
        let one = "/v1/roles/{name}"
        router.get("/v1/roles", for: .staff, of: .caller) { try await roles($0) }
        router.post("/v1/roles", for: .staff, of: .caller, maximumBodyBytes: StaffRoutes.maximumBodyBytes) {
            try await addRole($0)
        }
        router.on([.put], one, for: .staff, of: .caller, maximumBodyBytes: StaffRoutes.maximumBodyBytes) {
            try await changeRole(try $0.parameters.text("name"), $0)
        }
        router.on([.delete], one, for: .staff, of: .caller) {
            try await removeRole(try $0.parameters.text("name"), $0)
        }
    }

    private func roles(_ incoming: Incoming) async throws -> Response {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.key("roles")
        writer.beginArray()
        for role in try await staff.directory(incoming.account).roles() {
            role.write(into: &writer)
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Creates a role. The same request again changes nothing.
    private func addRole(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["name"] + StaffRoutes.roleMembers)
        guard let name = try body.text("name", atMost: StaffRole.maximumNameBytes) else {
            throw Problem.field("name", "It is missing.")
        }
        let role = try StaffRoutes.role(named: name, in: body)
        let directory = staff.directory(incoming.account)
        try incoming.checkRank(of: role, among: try await directory.roles())
        try await directory.put(role, over: .none)
        return answer(role, status: .created)
    }

    /// Replaces the permissions and limits of a role, for everybody who has it; with a tag, only of the role as it was
    /// read.
    private func changeRole(_ name: String, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["tag"] + StaffRoutes.roleMembers)
        let seen = try body.text("tag", atMost: StaffRoutes.maximumTagBytes).map { StaffDirectory.KnownRole.tagged($0) }
        let role = try StaffRoutes.role(named: name, in: body)
        let directory = staff.directory(incoming.account)
        let roles = try await directory.roles()
        try checkRank(ofRole: name, among: roles, incoming)
        try incoming.checkRank(of: role, among: roles)
        do throws(StaffError) {
            try await directory.put(role, over: seen ?? .one)
        } catch { throw StaffRoutes.ofRole(error) }
        return answer(role)
    }

    private func removeRole(_ name: String, _ incoming: Incoming) async throws -> Response {
        let directory = staff.directory(incoming.account)
        try checkRank(ofRole: name, among: try await directory.roles(), incoming)
        do throws(StaffError) { try await directory.removeRole(name) } catch { throw StaffRoutes.ofRole(error) }
        staff.forget()
        return Response(status: .noContent)
    }

    /// Refuses to change a role that is unknown, or that may do more than the caller.
    private func checkRank(ofRole name: String, among roles: [StaffRole], _ incoming: Incoming) throws {
        guard let known = roles.first(where: { $0.name == name }) else {
            throw StaffRoutes.ofRole(.unknownRole(name))
        }
        try incoming.checkRank(of: known, among: roles)
    }

    /// The response where the address names the role: one that is not there is not found.
    private static func ofRole(_ error: StaffError) -> Problem {
        guard case .unknownRole = error else { return error.problem }
        return error.problem(.notFound)
    }

    private func answer(_ role: StaffRole, status: HTTPResponse.Status = .ok) -> Response {
        staff.forget()
        var writer = JSONWriter()
        role.write(into: &writer)
        return .json(writer.bytes, status: status)
    }

    // MARK: Bodies

    /// The members of a role in a request, besides its name.
    private static let roleMembers = ["discount_limits", "permissions", "refund_limits"]

    /// The maximum size of a role's tag in a request, in bytes; more than a tag has.
    private static let maximumTagBytes = 64

    private static func role(named name: String, in body: JSONValue) throws -> StaffRole {
        try StaffRole(
            name: name, permissions: try permissions(in: body), refundLimits: try limits("refund_limits", in: body),
            discountLimits: try limits("discount_limits", in: body))
    }

    private static func permissions(in body: JSONValue) throws -> Set<StaffPermission> {
        guard let value = body["permissions"] else { throw Problem.field("permissions", "It is missing.") }
        let most = StaffPermission.allCases.count
        guard let list = value.arrayValue, (1...most).contains(list.count) else {
            throw Problem.field("permissions", "It must be a list of 1 to \(most) permissions.")
        }
        let names = list.compactMap(\.stringValue)
        guard names.count == list.count else { throw Problem.field("permissions", "Each must be text.") }
        return try Set(names: names)
    }

    /// Returns limits by currency, in minor units; none if the member is missing.
    private static func limits(_ name: String, in body: JSONValue) throws -> [Currency: Int64] {
        guard let value = body[name] else { return [:] }
        guard let members = value.objectValue, members.count <= StaffRole.maximumLimits else {
            throw Problem.field(
                name, "It must be an object with at most \(StaffRole.maximumLimits) currencies and their limits.")
        }
        var found: [Currency: Int64] = [:]
        for member in members {
            guard let currency = Currency(ifValid: member.key), let units = member.value.int64Value,
                (1...StaffRole.maximumLimit).contains(units), found.updateValue(units, forKey: currency) == nil
            else {
                var problem = StaffError.invalidLimit.problem
                problem.errors = [(name, problem.detail)]
                throw problem
            }
        }
        return found
    }
}
