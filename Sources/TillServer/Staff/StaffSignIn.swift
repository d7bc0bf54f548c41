import HTTPTypes
import TillCore
import TillJournal

/// Says who is at a device: a PIN is checked, its guessing held up, and the session of the device has the person.
struct StaffSignIn: Sendable {
    let staff: StaffOnDuty
    let sessions: PageSessions
    let attempts: PINAttempts
    let hasher: PINHasher
    let log: SignInLog

    /// Signs somebody in at a session's device. Who manages staff lifts what keeps others out there.
    func enter(
        _ id: StaffID, _ pin: Secret<String>, at session: PageSessionRecord
    ) async throws -> PageSessionRecord {
        let person = try await check(id, pin, at: session)
        let grant = try await staff.grant(of: person)
        let entered = SessionPerson(id: person.id, generation: person.generation)
        let note = AuditNote(.personSignedIn, at: session, by: Attribution(ofRequestBy: person.actor))
        guard let after = try await sessions.set(entered, of: session.hash, noting: [note]) else {
            throw Problem.unauthorized
        }
        if grant?.role.permissions.contains(.staff) == true { try await attempts.clear(session.device) }
        try await attempts.forget()
        log.record(.signedIn(id), at: session.device)
        return after
    }

    /// Whose PIN it is.
    /// - Throws: ``Problem`` for a wrong one, and for one that comes too early or too often.
    func check(
        _ id: StaffID, _ pin: Secret<String>, at session: PageSessionRecord
    ) async throws -> StaffRecord {
        guard let person = try await staff.person(id, of: session.account), let kept = person.pin else {
            throw StaffSignIn.nobody
        }
        switch try await attempts.begin(id, at: session.device) {
        case .mayTry: break
        case .wait(let span): throw StaffSignIn.wait(span).claimed(by: person.actor)
        case .locked:
            log.record(.lockedOut(id), at: session.device)
            throw StaffSignIn.locked(person.name).claimed(by: person.actor)
        }
        guard try await hasher.matches(pin, kept) else {
            log.record(.wrongPIN(id), at: session.device)
            guard try await !attempts.isSpent(session.device) else {
                try await sessions.end(session.hash)
                log.record(.deviceEnded, at: session.device)
                throw StaffSignIn.deviceEnded.claimed(by: person.actor)
            }
            throw StaffSignIn.wrong.claimed(by: person.actor)
        }
        try await attempts.succeed(id, at: session.device)
        return person
    }

    /// Nobody is signed in at the device any more.
    func lock(_ session: PageSessionRecord, by actor: Actor) async throws {
        let note = AuditNote(.deviceLocked, at: session, by: Attribution(ofRequestBy: actor))
        try await sessions.set(nil, of: session.hash, noting: [note])
        log.record(.locked, at: session.device)
    }

    private static let nobody = Problem(
        .notFound, "staff_not_found", "Nobody of the staff can sign in under that name. Nobody was signed in.",
        next: "Choose somebody from the list.")

    private static let wrong = Problem(
        .forbidden, "pin_wrong", "That is not the PIN. Nobody was signed in, and nothing was done.",
        next: "Enter it again; after \(PINAttempts.maximumPerPerson) wrong ones it is not taken any more.")

    private static func wait(_ span: Span) -> Problem {
        Problem(
            .tooManyRequests, "pin_too_early", "The PIN before was wrong, so this one was not looked at.",
            next: "Wait a moment, and enter it again."
        ).retrying(after: Int(max(1, (span.milliseconds + 999) / 1_000)))
    }

    private static func locked(_ name: String) -> Problem {
        Problem(
            .forbidden, "person_locked_out",
            "\(name) entered too many wrong PINs at this device. Nobody was signed in.",
            next: "Have somebody who manages staff sign in here, or sign the device in anew with `till sign-in`.")
    }

    private static let deviceEnded = Problem(
        .unauthorized, "device_signed_out", "Too many wrong PINs came from this device: it was signed out.",
        next: "Run `till sign-in` on the machine of the till, and open the address that it prints.")
}
