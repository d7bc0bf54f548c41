import HTTPTypes
package import Hummingbird
package import TillCore
import TillCounter
import TillReceipts
package import TillWeb

/// The routes of back-office credentials: invitation by a staff manager, enrollment and change by the person.
package struct OfficeRoutes: Sendable {
    /// The maximum request body size, in bytes.
    package static let maximumBodyBytes = PasskeyRoutes.maximumBodyBytes
    /// The maximum length of an invitation's word, in bytes.
    static let maximumInvitationBytes = 256

    package let authenticator: RequestAuthenticator
    package let office: OfficeSignIn
    package let passkeys: Passkeys

    package init(authenticator: RequestAuthenticator, office: OfficeSignIn, passkeys: Passkeys) {
        (self.authenticator, self.office, self.passkeys) = (authenticator, office, passkeys)
    }

    package func register(on router: CounterRouter) {
        router.post(
            "/v1/staff/{id}/invitation", for: .staff, of: .caller, maximumBodyBytes: OfficeRoutes.maximumBodyBytes
        ) { try await invite($0.parameters.identifier(), $0) }
        router.open([.post], "/session/invitation", for: .clerk) { request, _ in try await show(request) }
        router.open([.post], "/session/enrolment", for: .clerk) { request, _ in try await enrol(request) }
        router.open([.post], "/session/password", for: .clerk) { request, _ in try await change(request) }
    }

    /// Returns the name, password and code of a body.
    static func claim(in body: JSONValue, name: String? = nil) throws -> OfficeSignIn.Claim {
        guard let name = try name ?? body.text("name", atMost: StaffDirectory.maximumNameBytes) else {
            throw Problem.field("name", "It is missing.")
        }
        return OfficeSignIn.Claim(
            name: name, password: try password("password", in: body), code: try code(in: body))
    }

    private static func password(_ field: String, in body: JSONValue) throws -> Secret<String> {
        guard let text = try body.text(field, atMost: PasswordPolicy.maximumBytes) else {
            throw Problem.field(field, "It is missing.")
        }
        return Secret(text)
    }

    private static func code(in body: JSONValue) throws -> Secret<String> {
        guard let text = try body.text("code", atMost: OneTimeCode.digits) else {
            throw Problem.field("code", "It is missing.")
        }
        return Secret(text)
    }

    // MARK: For staff managers

    private func invite(_ id: StaffID, _ incoming: Incoming) async throws -> Response {
        try await incoming.document().allow([])
        let directory = office.staff.directory(incoming.account)
        let known = try await directory.person(id.rawValue)
        guard known.id == id else { throw StaffError.unknownPerson(id.rawValue) }
        try await incoming.checkRank(of: known.role, directory)
        let (person, word) = try await directory.invite(id.rawValue)
        office.staff.forget()
        var writer = JSONWriter()
        writer.beginObject()
        writer.field(
            "url", CounterAddress.invitation(word, at: authenticator.pageOrigin(of: incoming.request)))
        writer.field("valid_seconds", Invitation.lifetime.milliseconds / 1_000)
        writer.key("staff")
        writer.beginObject()
        person.members(into: &writer)
        writer.endObject()
        writer.endObject()
        return .json(writer.bytes, status: .created)
    }

    // MARK: For invited people

    /// Returns the document of a page request that is not authenticated yet.
    package func document(_ request: Request, _ fields: Set<String>) async throws -> JSONValue {
        try authenticator.checkPage(request)
        let incoming = Incoming(
            request: request, account: office.account, maximumBodyBytes: OfficeRoutes.maximumBodyBytes)
        let body = try await incoming.document()
        try body.allow(fields)
        return body
    }

    /// Performs work with the invitation of a body. Repeated guesses from an address are throttled and then refused.
    func withInvitation<Answer: Sendable>(
        in body: JSONValue, _ work: (String) async throws -> Answer
    ) async throws -> Answer {
        guard let word = try body.text("invitation", atMost: OfficeRoutes.maximumInvitationBytes) else {
            throw Problem.field("invitation", "It is missing.")
        }
        let address = RequestOrigin.current.bucket
        if let wait = authenticator.throttle.wait(address) {
            authenticator.throttle.refuse(address, isCounted: false)
            throw SessionRoutes.tooMany(wait)
        }
        do { return try await work(word) } catch let problem as Problem {
            if problem.status == .unauthorized { authenticator.throttle.refuse(address, isCounted: true) }
            throw problem
        }
    }

    private func show(_ request: Request) async throws -> Response {
        let body = try await document(request, ["invitation"])
        let offer = try await withInvitation(in: body) { try await office.offer($0) }
        let address = offer.code.address(shop: office.policy.shop, name: offer.person.name)
        var writer = JSONWriter(reserving: 4_096)
        writer.beginObject()
        writer.field("name", offer.person.name)
        writer.field("minimum_characters", PasswordPolicy.minimumCharacters)
        writer.field("secret", offer.code.base32)
        writer.field("address", address)
        writer.key("picture")
        OfficeRoutes.picture(of: address, into: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Writes a QR code as rows of 0 and 1, drawn by the page; `null` for text too long for one.
    private static func picture(of address: String, into writer: inout JSONWriter) {
        guard let code = CodeText(address).flatMap({ QRCode($0) }) else { return writer.null() }
        writer.beginArray()
        for y in 0..<code.size {
            writer.string(String((0..<code.size).map { x in code[x, y] ? "1" : "0" }))
        }
        writer.endArray()
    }

    private func enrol(_ request: Request) async throws -> Response {
        let body = try await document(request, ["invitation", "password", "code", "name", "passkey"])
        if body["passkey"] != nil {
            try body.allow(["invitation", "name", "passkey"])
            let party = try PasskeyRoutes.party(request, authenticator)
            let (name, registration) = try PasskeyRoutes.registration(in: body)
            let token = try await withInvitation(in: body) {
                try await passkeys.enrol($0, with: registration, name: name, at: party)
            }
            return try await signedIn(with: token, request)
        }
        try body.allow(["invitation", "password", "code"])
        let (password, code) = (
            try OfficeRoutes.password("password", in: body), try OfficeRoutes.code(in: body)
        )
        let token = try await withInvitation(in: body) {
            try await office.enrol($0, password: password, code: code)
        }
        return try await signedIn(with: token, request)
    }

    // MARK: For signed-in people

    private func change(_ request: Request) async throws -> Response {
        let (session, person) = try await authenticator.personal(request)
        let body = try await document(request, ["password", "code", "new_password"])
        let claim = try OfficeRoutes.claim(in: body, name: person.name)
        let token = try await Attribution.ofRequest(by: person.actor, at: session.deviceID) {
            try await office.change(
                claim, to: try OfficeRoutes.password("new_password", in: body), in: session,
                from: RequestOrigin.current.bucket)
        }
        return try await signedIn(with: token, request)
    }

    private func signedIn(with token: String, _ request: Request) async throws -> Response {
        let cookie = try await authenticator.sessions.cookie(for: request)
        return Response(status: .noContent, headers: [.setCookie: cookie.holding(token)])
    }
}

extension RequestAuthenticator {
    /// Returns the personal session of a request, and its person.
    /// - Throws: `Problem.unauthorized` without a session; 409 for the session of a device.
    func personal(_ request: Request) async throws -> (session: PageSessionRecord, person: StaffGrant) {
        let (session, principal) = try await pageSession(of: request)
        guard session.isPersonal, let person = try await person(of: session, principal)?.person else {
            throw Problem(
                .conflict, "session_not_personal",
                "Only somebody who is signed in to the back office as themselves can do this. Nothing was changed.",
                next: "Sign in with your name, password and code, or with a passkey.")
        }
        return (session, person)
    }
}
