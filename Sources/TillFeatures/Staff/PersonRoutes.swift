package import Foundation
import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillWeb

/// The routes of the person signed in at a device: query, PIN sign-in and lock.
package struct PersonRoutes: Sendable {
    /// The maximum request body size, in bytes.
    package static let maximumBodyBytes = 1_024

    package let authenticator: RequestAuthenticator
    package let signIn: StaffSignIn
    package let lock: Span
    /// The shop's time zone, in which the page shows days.
    package let zone: TimeZone

    package init(authenticator: RequestAuthenticator, signIn: StaffSignIn, lock: Span, zone: TimeZone) {
        (self.authenticator, self.signIn, self.lock, self.zone) = (authenticator, signIn, lock, zone)
    }

    package func register(on router: CounterRouter) {
        router.open([.get, .head], "/session/person", for: .clerk) { request, _ in try await show(request) }
        router.open([.post], "/session/person", for: .clerk) { request, _ in try await enter(request) }
        router.open([.delete], "/session/person", for: .clerk) { request, _ in try await leave(request) }
    }

    private func show(_ request: Request) async throws -> Response {
        let (session, principal) = try await authenticator.pageSession(of: request)
        return try await answer(session, principal)
    }

    private func enter(_ request: Request) async throws -> Response {
        let (session, principal) = try await authenticator.pageSession(of: request)
        let incoming = Incoming(
            request: request, account: session.account, maximumBodyBytes: PersonRoutes.maximumBodyBytes)
        let body = try await incoming.document()
        try body.allow(["staff", "pin"])
        guard let word = try body.text("staff", atMost: 128), let staff = StaffID(ifValid: word) else {
            throw Problem.field("staff", "It must be the identifier of who signs in.")
        }
        guard let pin = try body.text("pin", atMost: PINPolicy.maximumDigits) else {
            throw Problem.field("pin", "It is missing.")
        }
        let entered = try await signIn.enter(staff, Secret(pin), at: session)
        var response = try await answer(entered.session, principal)
        response.headers[.setCookie] = try await authenticator.sessions.cookie(for: request).holding(entered.token)
        return response
    }

    private func leave(_ request: Request) async throws -> Response {
        let (session, principal) = try await authenticator.pageSession(of: request)
        let person = try await authenticator.person(of: session, principal)?.person
        guard !session.isPersonal else {
            // A personal session is not shared, so there is nothing to lock: it ends.
            try await authenticator.sessions.end(of: request, by: person?.actor)
            let cookie = try await authenticator.sessions.cookie(for: request)
            return Response(status: .noContent, headers: [.setCookie: cookie.emptied])
        }
        try await signIn.lock(session, by: person?.actor ?? principal.actor)
        return Response(status: .noContent)
    }

    private func answer(_ session: PageSessionRecord, _ device: Principal) async throws -> Response {
        let staff = authenticator.staff
        let person = try await authenticator.person(of: session, device)?.person
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("account", session.account.rawValue)
        writer.field("has_staff", try await staff.isConfigured(session.account))
        writer.field("lock_seconds", lock.milliseconds / 1_000)
        writer.field("personal", session.isPersonal)
        writer.field("zone", zone.identifier)
        writer.key("person")
        if let person { person.write(into: &writer) } else { writer.null() }
        writer.key("people")
        writer.beginArray()
        for person in try await staff.people(session.account) {
            writer.beginObject()
            writer.field("id", person.id.rawValue)
            writer.field("name", person.name)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }
}

extension StaffGrant {
    /// Writes the identity and role that the page displays.
    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id.rawValue)
        writer.field("name", name)
        writer.key("role")
        writer.beginObject()
        role.members(into: &writer)
        writer.endObject()
        writer.endObject()
    }
}
