import HTTPTypes
import Hummingbird
import TillCore
import TillCounter
package import TillWeb

/// The passkey routes: challenges and options for a browser, and the passkeys of the signed-in person.
package struct PasskeyRoutes: Sendable {
    /// The maximum request body size, in bytes: an attestation in base64.
    package static let maximumBodyBytes = 32_768
    /// The time that a browser waits for the authenticator.
    private static let timeout = Span.minutes(2)

    package let authenticator: RequestAuthenticator
    package let passkeys: Passkeys
    /// The routes that accept the invitation a passkey enrolls by.
    package let office: OfficeRoutes

    package init(authenticator: RequestAuthenticator, passkeys: Passkeys, office: OfficeRoutes) {
        (self.authenticator, self.passkeys, self.office) = (authenticator, passkeys, office)
    }

    package func register(on router: CounterRouter) {
        router.open([.post], "/session/passkey", for: .clerk) { request, _ in try await challenge(request) }
        router.open([.get, .head], "/session/passkeys", for: .clerk) { request, _ in try await list(request) }
        router.open([.post], "/session/passkeys", for: .clerk) { request, _ in try await add(request) }
        router.open([.post], "/session/passkeys/challenge", for: .clerk) { request, _ in
            try await registration(request)
        }
        router.open([.post], "/session/invitation/passkey", for: .clerk) { request, _ in
            try await invitation(request)
        }
        router.open([.delete], "/session/passkeys/{id}", for: .clerk) { request, parameters in
            try await remove(parameters.text("id"), request)
        }
    }

    /// Returns the relying party of a request's page.
    static func party(_ request: Request, _ authenticator: RequestAuthenticator) throws(Problem) -> RelyingParty {
        guard let party = RelyingParty(origin: authenticator.pageOrigin(of: request).lowercased()) else {
            throw Passkeys.unavailable
        }
        return party
    }

    // MARK: By invitation

    private func invitation(_ request: Request) async throws -> Response {
        let body = try await office.document(request, ["invitation"])
        let party = try PasskeyRoutes.party(request, authenticator)
        let (person, challenge) = try await office.withInvitation(in: body) { try await passkeys.offer($0) }
        return try await creation(by: person, challenge, party)
    }

    // MARK: Signing in

    private func challenge(_ request: Request) async throws -> Response {
        try authenticator.checkPage(request)
        let party = try PasskeyRoutes.party(request, authenticator)
        let body = Incoming(
            request: request, account: passkeys.office.account, maximumBodyBytes: PasskeyRoutes.maximumBodyBytes)
        try await body.document().allow([])
        var writer = JSONWriter()
        writer.beginObject()
        try members(of: passkeys.challenge(for: .signIn), party, into: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func members(
        of challenge: PasskeyChallenge, _ party: RelyingParty, into writer: inout JSONWriter
    ) {
        writer.field("challenge", Base64URL.text(challenge.bytes))
        writer.field("relying_party", party.id)
        writer.field("timeout_ms", PasskeyRoutes.timeout.milliseconds)
    }

    /// Returns the assertion in the body of `POST /session`.
    static func assertion(in body: JSONValue) throws -> PasskeyAnswer.Assertion {
        let passkey = try passkey(
            in: body, of: ["credential", "client_data", "authenticator_data", "signature", "user"])
        func bytes(_ name: String) throws -> [UInt8] {
            try PasskeyRoutes.bytes(name, of: passkey, in: "passkey.", atMost: PasskeyAnswer.Assertion.maximumBytes)
        }
        return PasskeyAnswer.Assertion(
            credential: try bytes("credential"), clientData: try bytes("client_data"),
            authenticatorData: try bytes("authenticator_data"), signature: try bytes("signature"),
            user: try bytes("user"))
    }

    /// Returns the authenticator's response in a body, limited to these members.
    private static func passkey(in body: JSONValue, of members: Set<String>) throws -> JSONValue {
        guard let passkey = body["passkey"], passkey.objectValue != nil else {
            throw Problem.field("passkey", "It must be an object.")
        }
        try passkey.allow(members, in: "passkey.")
        return passkey
    }

    private static func bytes(
        _ name: String, of body: JSONValue, in place: String = "", atMost limit: Int
    ) throws -> [UInt8] {
        guard let text = try body.text(name, in: place, atMost: (limit * 4 + 2) / 3), !text.isEmpty,
            let bytes = Base64URL.decode(text)
        else { throw Problem.field(place + name, "It must be base64url without padding.") }
        return bytes
    }

    // MARK: For signed-in people

    private func list(_ request: Request) async throws -> Response {
        let (_, person) = try await authenticator.personal(request)
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("most", Passkey.maximumPerPerson)
        writer.field("has_password", try await passkeys.hasPassword(person.id))
        writer.key("passkeys")
        writer.beginArray()
        for passkey in try await passkeys.all(of: person.id) { passkey.write(into: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private func registration(_ request: Request) async throws -> Response {
        let (session, _) = try await authenticator.personal(request)
        let party = try PasskeyRoutes.party(request, authenticator)
        let body = Incoming(
            request: request, account: session.account, maximumBodyBytes: PasskeyRoutes.maximumBodyBytes)
        try await body.document().allow([])
        let person = try await passkeys.fresh(session)
        let challenge = try passkeys.challenge(for: .register(session: session.hash))
        return try await creation(by: person, challenge, party)
    }

    /// Returns the browser's options for creating a passkey.
    private func creation(
        by person: StaffRecord, _ challenge: PasskeyChallenge, _ party: RelyingParty
    ) async throws -> Response {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        members(of: challenge, party, into: &writer)
        writer.field("shop", passkeys.office.policy.shop)
        writer.field("user", Base64URL.text(person.id.rawValue.utf8))
        writer.field("name", person.name)
        writer.key("algorithms")
        writer.beginArray()
        for algorithm in PasskeyKey.algorithms { writer.int(algorithm) }
        writer.endArray()
        writer.key("known")
        writer.beginArray()
        for passkey in try await passkeys.all(of: person.id) { writer.string(Base64URL.text(passkey.credential)) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private func add(_ request: Request) async throws -> Response {
        let (session, person) = try await authenticator.personal(request)
        let party = try PasskeyRoutes.party(request, authenticator)
        let incoming = Incoming(
            request: request, account: session.account, maximumBodyBytes: PasskeyRoutes.maximumBodyBytes)
        let body = try await incoming.document()
        try body.allow(["name", "passkey"])
        let (name, registration) = try PasskeyRoutes.registration(in: body)
        let added = try await Attribution.ofRequest(by: person.actor, at: session.deviceID) {
            try await passkeys.add(registration, name: name, in: session, at: party)
        }
        var writer = JSONWriter()
        added.passkey.write(into: &writer)
        var response = Response.json(writer.bytes, status: .created)
        response.headers[.setCookie] = try await authenticator.sessions.cookie(for: request).holding(added.token)
        return response
    }

    /// Returns the name and the registration of a body.
    static func registration(in body: JSONValue) throws -> (name: String, PasskeyAnswer.Registration) {
        guard let name = try body.text("name", atMost: Passkeys.maximumNameBytes), !name.isEmpty,
            name.isOneLine
        else { throw Problem.field("name", "It must be one line of at most \(Passkeys.maximumNameBytes) bytes.") }
        let passkey = try PasskeyRoutes.passkey(in: body, of: ["client_data", "attestation"])
        let registration = PasskeyAnswer.Registration(
            clientData: try PasskeyRoutes.bytes(
                "client_data", of: passkey, in: "passkey.", atMost: PasskeyClientData.maximumBytes),
            attestation: try PasskeyRoutes.bytes(
                "attestation", of: passkey, in: "passkey.", atMost: PasskeyAnswer.Registration.maximumBytes))
        return (name, registration)
    }

    private func remove(_ id: String, _ request: Request) async throws -> Response {
        let (session, person) = try await authenticator.personal(request)
        let token = try await Attribution.ofRequest(by: person.actor, at: session.deviceID) {
            try await passkeys.remove(id, in: session)
        }
        let cookie = try await authenticator.sessions.cookie(for: request)
        return Response(status: .noContent, headers: [.setCookie: cookie.holding(token)])
    }
}
