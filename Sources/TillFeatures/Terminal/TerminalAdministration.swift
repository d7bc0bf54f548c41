import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillCounter
import TillProvider
import TillWeb

/// The administration of card readers: `POST /v1/terminal/readers`, and `PATCH` and `DELETE` of one. Readers of a
/// provider without management are set in the counter's configuration; they can be chosen, and nothing else.
extension TerminalRoutes {
    /// The maximum size of a code, a label or a location, in UTF-8 bytes.
    private static let maximumTextBytes = 128

    func registerAdministration(on router: CounterRouter) {
        let one = "/v1/terminal/readers/{id}"
        router.post("/v1/terminal/readers", for: .admin, of: .counter, needs: .settings) { try await add($0) }
        router.on([.patch], one, for: .admin, of: .counter, needs: .settings) {
            try await change($0.parameters.literal(), $0)
        }
        router.on([.delete], one, for: .admin, of: .counter, needs: .settings) {
            try await remove($0.parameters.literal())
        }
    }

    private func add(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["code", "label", "location", "provider"])
        guard let code = try TerminalRoutes.word("code", in: body) else {
            throw Problem.field("code", "It is missing.")
        }
        let label = try TerminalRoutes.word("label", in: body)
        let location = try TerminalRoutes.word("location", in: body)
        let place = try registrar(try TerminalRoutes.word("provider", in: body))
        let reader = try await registry.register(
            code: code, label: label, location: location, with: place.management)
        return answer(reader, of: place.fleet, status: .created)
    }

    /// Returns the readers to which one is to be added: the named provider's, or those of the only one.
    private func registrar(
        _ name: String?
    ) throws(Problem) -> (fleet: any ReaderFleet, management: any ReaderManagement) {
        let all = service?.managed ?? []
        guard !all.isEmpty else { throw TerminalRoutes.unmanaged }
        let found = name == nil && all.count > 1 ? nil : all.first { name == nil || $0.module.rawValue == name }
        guard let found else {
            let names = all.map(\.module.rawValue).joined(separator: ", ")
            throw Problem.field("provider", "It must be one of \(names).")
        }
        return (found.fleet, found.management)
    }

    private func change(_ id: String, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["label", "preferred"])
        let label = try TerminalRoutes.word("label", in: body)
        var preferred: Bool?
        if let flag = body["preferred"], !flag.isNull {
            guard let value = flag.boolValue else { throw Problem.field("preferred", "It must be true or false.") }
            preferred = value
        }
        // Of two changes the second could fail after the first was made.
        guard (label == nil) != (preferred == nil) else {
            throw Problem.field("label", "Give either a label or preferred.")
        }
        let fleet = try await fleet(with: id)
        if let label {
            guard let management = fleet.management else { throw TerminalRoutes.unmanaged }
            let found = try await management.anyReader(named: id)
            return answer(try await registry.rename(found, to: label, with: management), of: fleet)
        }
        let found = try await fleet.reader(named: id)
        if preferred == true {
            try await registry.choose(found)
        } else if registry.chosen()?.id == found.id {
            _ = try await registry.forget()
        }
        return answer(found, of: fleet)
    }

    private func remove(_ id: String) async throws -> Response {
        let fleet = try await fleet(with: id)
        guard let management = fleet.management else { throw TerminalRoutes.unmanaged }
        try await registry.remove(try await management.anyReader(named: id), with: management)
        return Response(status: .noContent)
    }

    /// Returns an optional text of one line.
    private static func word(_ name: String, in body: JSONValue) throws -> String? {
        guard let text = try body.text(name, atMost: maximumTextBytes) else { return nil }
        guard text.isOneLine, text.contains(where: { !$0.isWhitespace }) else {
            throw Problem.field(name, "It must be text in one line.")
        }
        return text
    }

    private static let unmanaged = Problem(
        .conflict, "unsupported", "These readers are not managed from here. Nothing was changed.",
        next: "They are set in the counter's configuration, or in the provider's dashboard.")
}
