import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillWeb

/// Routes for open page sessions: all of the account's with the staff permission, and a staff member's own.
package struct OpenSessionRoutes: Sendable {
    package let authenticator: RequestAuthenticator
    package let sessions: @Sendable (AccountID) -> OpenSessions

    package init(authenticator: RequestAuthenticator, sessions: @escaping @Sendable (AccountID) -> OpenSessions) {
        self.authenticator = authenticator
        self.sessions = sessions
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/sessions", for: .staff, of: .caller) { try await list($0) }
        router.on([.delete], "/v1/sessions/{id}", for: .staff, of: .caller) {
            try await end($0.parameters.text("id"), $0)
        }
        router.open([.get, .head], "/session/own", for: .clerk) { request, _ in try await own(request) }
        router.open([.delete], "/session/own", for: .clerk) { request, _ in try await endOthers(request) }
        router.open([.delete], "/session/own/{id}", for: .clerk) { request, parameters in
            try await endOwn(parameters.text("id"), request)
        }
    }

    // MARK: All of the account

    private func list(_ incoming: Incoming) async throws -> Response {
        let current = try await current(incoming.credential)
        return answer(try await sessions(incoming.account).all(), current)
    }

    /// Ends a session. A session of a higher-ranking staff member is refused.
    private func end(_ id: String, _ incoming: Incoming) async throws -> Response {
        let open = sessions(incoming.account)
        guard let session = try await open.all().first(where: { $0.id == id }) else { throw Problem.notFound }
        let directory = authenticator.staff.directory(incoming.account)
        if let staff = session.staff, let person = try await authenticator.staff.person(staff, of: incoming.account) {
            try await incoming.checkRank(of: person.role, directory)
        }
        return ended(try await open.end(id))
    }

    private func current(_ credential: Principal.Credential?) async throws -> String? {
        guard let hash = credential?.session else { return nil }
        return try await authenticator.sessions.open(hash)?.device
    }

    // MARK: The caller's own

    /// Returns the session of a request and the staff member signed in to it.
    private func signedIn(_ request: Request) async throws -> (session: PageSessionRecord, person: StaffGrant) {
        let (session, principal) = try await authenticator.pageSession(of: request)
        guard let person = try await authenticator.person(of: session, principal)?.person else {
            throw Problem.personRequired
        }
        return (session, person)
    }

    private func own(_ request: Request) async throws -> Response {
        let (session, person) = try await signedIn(request)
        return answer(try await sessions(session.account).all(of: person.id), session.device)
    }

    private func endOwn(_ id: String, _ request: Request) async throws -> Response {
        let (session, person) = try await signedIn(request)
        let hashes = try await Attribution.ofRequest(by: person.actor, at: session.deviceID) {
            try await sessions(session.account).end(id, of: person.id)
        }
        guard !hashes.isEmpty else { throw Problem.notFound }
        return ended(hashes)
    }

    private func endOthers(_ request: Request) async throws -> Response {
        let (session, person) = try await signedIn(request)
        return ended(
            try await Attribution.ofRequest(by: person.actor, at: session.deviceID) {
                try await sessions(session.account).endAll(of: person.id, but: session.device)
            })
    }

    /// Drops ended sessions from this counter's cache at once.
    private func ended(_ hashes: [[UInt8]]) -> Response {
        for hash in hashes { authenticator.sessions.drop(hash) }
        return Response(status: .noContent)
    }

    private func answer(_ open: [OpenSession], _ current: String?) -> Response {
        .json(OpenSession.document(open) { $0.id == current }.bytes)
    }
}
