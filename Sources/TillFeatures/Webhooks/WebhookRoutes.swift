import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillWeb

/// `/v1/webhook_endpoints`: the endpoints that an account's programs are told of payments at.
package struct WebhookRoutes: Sendable {
    /// The maximum size of a request body, in bytes.
    private static let maximumBodyBytes = 8_192

    private let endpoints: WebhookEndpoints
    private let hasHardware: @Sendable (AccountID) -> Bool

    /// - Parameter hasHardware: Returns `true` for an account that may reach the counter's own network.
    package init(endpoints: WebhookEndpoints, hasHardware: @escaping @Sendable (AccountID) -> Bool) {
        (self.endpoints, self.hasHardware) = (endpoints, hasHardware)
    }

    package func register(on router: CounterRouter) {
        func post(_ path: String, _ handler: @escaping CounterRouter.Handler) {
            router.post(
                path, for: .admin, of: .caller, needs: .settings, maximumBodyBytes: WebhookRoutes.maximumBodyBytes,
                use: handler)
        }
        let one = "/v1/webhook_endpoints/{id}"
        router.get("/v1/webhook_endpoints", for: .admin, of: .caller, needs: .settings) { try await list($0) }
        post("/v1/webhook_endpoints") { try await create($0) }
        router.get(one, for: .admin, of: .caller, needs: .settings) {
            let endpoint = try await endpoints.endpoint($0.parameters.identifier(), of: $0.account)
            return try await answer(endpoint)
        }
        router.on(
            [.patch], one, for: .admin, of: .caller, needs: .settings, maximumBodyBytes: WebhookRoutes.maximumBodyBytes
        ) { try await change($0.parameters.identifier(), $0) }
        router.on([.delete], one, for: .admin, of: .caller, needs: .settings) {
            try await endpoints.delete($0.parameters.identifier(), of: $0.account)
            return Response(status: .noContent)
        }
        post(one + "/rotate") {
            try (try await $0.document()).allow([])
            let (endpoint, secret) = try await endpoints.rotate($0.parameters.identifier(), of: $0.account)
            return try await answer(endpoint, secret: secret)
        }
        post(one + "/test") {
            try (try await $0.document()).allow([])
            return answer(try await endpoints.test($0.parameters.identifier(), of: $0.account))
        }
        router.get(
            one + "/deliveries", for: .admin, of: .caller, needs: .settings, query: ["before", "limit"]
        ) { try await deliveries($0.parameters.identifier(), $0) }
        post(one + "/deliveries/{message}/resend") {
            try (try await $0.document()).allow([])
            return answer(
                try await endpoints.resend(
                    $0.parameters.identifier("message"), to: $0.parameters.identifier(), of: $0.account))
        }
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.key("webhook_endpoints")
        writer.beginArray()
        for endpoint in try await endpoints.list(incoming.account) {
            WebhookJSON.write(
                endpoint, pending: try await endpoints.pending(endpoint.id), at: endpoints.clock.now(), into: &writer)
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private func create(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["url", "types", "allow_private"])
        guard let url = try body.text("url", atMost: WebhookLimits.urlBytes) else {
            throw Problem.field("url", "It is missing.")
        }
        let (endpoint, secret) = try await endpoints.create(
            account: incoming.account, url: url, types: try types(in: body),
            allowsPrivate: try allowsPrivate(in: body, incoming) ?? false, key: key)
        return try await answer(endpoint, status: .created, secret: secret)
    }

    private static let changeable: Set<String> = ["url", "types", "allow_private", "enabled", "skip_missed"]

    private func change(_ id: WebhookEndpointID, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(WebhookRoutes.changeable)
        guard WebhookRoutes.changeable.contains(where: { body[$0] != nil }) else {
            throw Problem.field("url", "Nothing is to be changed: say a url, types, allow_private or enabled.")
        }
        for name in WebhookRoutes.changeable.sorted() where body[name]?.isNull == true {
            throw Problem.field(name, "It must not be null.")
        }
        var change = WebhookEndpoints.Change()
        change.url = try body.text("url", atMost: WebhookLimits.urlBytes)
        change.types = try types(in: body)
        change.allowsPrivate = try allowsPrivate(in: body, incoming)
        change.isEnabled = try flag("enabled", in: body)
        change.skipsMissed = try flag("skip_missed", in: body) ?? false
        return try await answer(try await endpoints.change(id, of: incoming.account, change))
    }

    private func deliveries(_ id: WebhookEndpointID, _ incoming: Incoming) async throws -> Response {
        var limit = WebhookLimits.deliveriesPage
        if let text = try incoming.query("limit") {
            guard let number = Int(text), (1...WebhookLimits.deliveriesPage).contains(number) else {
                throw Problem.field("limit", "It is 1 to \(WebhookLimits.deliveriesPage).")
            }
            limit = number
        }
        let before = try incoming.query("before").map { text in
            guard let message = WebhookMessageID(ifValid: text) else {
                throw Problem.field("before", "It must be the identifier of a message.")
            }
            return message
        }
        let found = try await endpoints.deliveries(id, of: incoming.account, before: before, limit: limit)
        var writer = JSONWriter(reserving: 4_096)
        writer.beginObject()
        writer.key("deliveries")
        writer.beginArray()
        for message in found { WebhookJSON.write(message, into: &writer) }
        writer.endArray()
        writer.field("next", found.count == limit ? found.last?.id.rawValue : nil)
        writer.endObject()
        return .json(writer.bytes)
    }

    // MARK: Parts

    private func types(in body: JSONValue) throws -> [String]? {
        guard let value = body["types"], !value.isNull else { return nil }
        guard let list = value.arrayValue, (1...WebhookLimits.typesPerEndpoint).contains(list.count) else {
            throw Problem.field("types", "It must be a list of 1 to \(WebhookLimits.typesPerEndpoint) types.")
        }
        return try list.map { entry in
            guard let text = entry.stringValue else { throw Problem.field("types", "Each type must be text.") }
            return text
        }
    }

    private func flag(_ name: String, in body: JSONValue) throws -> Bool? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let flag = value.boolValue else { throw Problem.field(name, "It must be true or false.") }
        return flag
    }

    /// Returns the permission to reach internal addresses: another account's endpoint would look into the network of
    /// the counter's owner.
    private func allowsPrivate(in body: JSONValue, _ incoming: Incoming) throws -> Bool? {
        let flag = try flag("allow_private", in: body)
        guard flag == true, !hasHardware(incoming.account) else { return flag }
        throw Problem.field(
            "allow_private", "Only the counter's own account, and those of its hardware, reach its network.")
    }

    private func answer(
        _ endpoint: WebhookEndpoint, status: HTTPResponse.Status = .ok, secret: WebhookSecret? = nil
    ) async throws -> Response {
        var writer = JSONWriter(reserving: 512)
        WebhookJSON.write(
            endpoint, pending: try await endpoints.pending(endpoint.id), at: endpoints.clock.now(), secret: secret,
            into: &writer)
        return .json(writer.bytes, status: status)
    }

    private func answer(_ message: WebhookMessage) -> Response {
        var writer = JSONWriter(reserving: 1_024)
        WebhookJSON.write(message, into: &writer)
        return .json(writer.bytes, status: .accepted)
    }
}
