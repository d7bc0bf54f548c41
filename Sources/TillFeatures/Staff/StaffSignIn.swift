import HTTPTypes
package import TillCore
package import TillCounter
import TillJournal
package import TillWeb

/// PIN sign-in at a device: verifies the PIN, throttles guessing and assigns the person to the device's session.
package struct StaffSignIn: Sendable {
    package let staff: StaffOnDuty
    package let sessions: PageSessions
    package let attempts: SignInAttempts
    package let hasher: ScryptHasher
    package let log: SignInLog

    package init(
        staff: StaffOnDuty, sessions: PageSessions, attempts: SignInAttempts, hasher: ScryptHasher, log: SignInLog
    ) {
        (self.staff, self.sessions, self.attempts, self.hasher, self.log) = (staff, sessions, attempts, hasher, log)
    }

    /// Signs a person in at a session's device. A person with the staff permission also clears the device's lockouts.
    /// - Returns: the session and its new token.
    package func enter(
        _ id: StaffID, _ pin: Secret<String>, at session: PageSessionRecord
    ) async throws -> (session: PageSessionRecord, token: String) {
        guard !session.isPersonal else { throw StaffSignIn.personal }
        let person = try await check(id, pin, at: session)
        let grant = try await staff.grant(of: person)
        let entered = SessionPerson(id: person.id, generation: person.generation)
        let note = AuditNote(
            .personSignedIn, at: session, by: Attribution(ofRequestBy: person.actor, at: session.deviceID))
        guard let after = try await sessions.hand(session, to: entered, noting: [note]) else {
            throw Problem.unauthorized
        }
        if grant?.role.permissions.contains(.staff) == true { try await attempts.clear(session.device) }
        try await attempts.forget()
        log.record(.signedIn(id), at: session.device)
        return after
    }

    /// Verifies a PIN and returns its owner.
    /// - Throws: `Problem` for a wrong PIN, and for an attempt that comes too early or exceeds the limits.
    package func check(
        _ id: StaffID, _ pin: Secret<String>, at session: PageSessionRecord
    ) async throws -> StaffRecord {
        guard let person = try await staff.person(id, of: session.account), let kept = person.pin else {
            throw StaffSignIn.nobody
        }
        let counted = try await count(person, at: session)
        guard try await judged(pin, kept, of: session.account, counted) else {
            log.record(.wrongPIN(id), at: session.device)
            guard try await !attempts.isSpent(session.device) else {
                try await sessions.end(session.hash)
                log.record(.deviceEnded, at: session.device)
                throw StaffSignIn.deviceEnded.claimed(by: person.actor)
            }
            throw StaffSignIn.wrong.claimed(by: person.actor)
        }
        try await attempts.succeed(id.rawValue, at: session.device)
        try await attempts.succeed(id.rawValue, at: SignInAttempts.everyDevice)
        // One known PIN must not clear the guesses at others.
        for count in counted where count.limits == .pinsOfAccount { try await withdraw(count) }
        return person
    }

    /// A place where an attempt is counted.
    private struct Count {
        let name: String
        let place: String
        let limits: SignInAttempts.Limits
        /// `true` if the limits apply to this device.
        var isBinding = true
    }

    /// Counts an attempt at the device, for the person on all devices, and for all people of the account. An attempt
    /// that is refused counts nowhere.
    private func count(_ person: StaffRecord, at session: PageSessionRecord) async throws -> [Count] {
        // Start codes require access to the machine. An API key or a personal sign-in can begin any number of sessions.
        let isLimited = session.key != nil || session.isPersonal
        let name = person.id.rawValue
        var counts = [
            Count(name: name, place: session.device, limits: .pin),
            Count(name: name, place: SignInAttempts.everyDevice, limits: .pinInAll, isBinding: isLimited),
        ]
        if isLimited {
            counts.append(
                Count(
                    name: SignInAttempts.everybody(of: session.account), place: SignInAttempts.everyDevice,
                    limits: .pinsOfAccount))
        }
        var counted: [Count] = []
        for count in counts {
            let standing = try await attempts.begin(count.name, at: count.place, count.limits)
            if standing == .mayTry {
                counted.append(count)
                continue
            }
            guard count.isBinding else { continue }
            for earlier in counted { try await withdraw(earlier) }
            throw refusal(standing, count, person, session).claimed(by: person.actor)
        }
        return counted
    }

    private func refusal(
        _ standing: SignInAttempts.Standing, _ count: Count, _ person: StaffRecord, _ session: PageSessionRecord
    ) -> Problem {
        if case .wait(let span) = standing { return StaffSignIn.wait(span) }
        switch count.limits {
        case .pin:
            log.record(.lockedOut(person.id), at: session.device)
            return StaffSignIn.locked(person.name)
        case .pinInAll:
            log.record(.lockedOutEverywhere(person.id), at: session.device)
            return StaffSignIn.lockedEverywhere(person.name)
        default:
            log.record(.lockedOutEverywhere(person.id), at: session.device)
            return StaffSignIn.lockedEverywhere("the people of the shop")
        }
    }

    private func withdraw(_ count: Count) async throws {
        try await attempts.withdraw(count.name, at: count.place, count.limits)
    }

    /// Returns `true` if the PIN matches. An attempt that the queue refuses is not verified and does not count as
    /// wrong.
    private func judged(
        _ pin: Secret<String>, _ kept: ScryptHash, of account: AccountID, _ counted: [Count]
    ) async throws -> Bool {
        do { return try await hasher.matches(pin, kept, of: account) } catch StaffError.busy {
            for count in counted { try await withdraw(count) }
            throw StaffError.busy
        }
    }

    /// Signs the person out of the device.
    package func lock(_ session: PageSessionRecord, by actor: Actor) async throws {
        let note = AuditNote(
            .deviceLocked, at: session, by: Attribution(ofRequestBy: actor, at: session.deviceID))
        try await sessions.lock(session.hash, noting: [note])
        log.record(.locked, at: session.device)
    }

    private static let personal = Problem(
        .conflict, "session_is_personal",
        "This browser is signed in to the back office as one person. Nobody else was signed in.",
        next: "Sign out first, and sign the device in with `till sign-in`.")

    private static let nobody = Problem(
        .notFound, "staff_not_found", "Nobody of the staff can sign in under that name. Nobody was signed in.",
        next: "Choose somebody from the list.")

    private static let wrong = Problem(
        .forbidden, "pin_wrong", "That is not the PIN. Nobody was signed in, and nothing was done.",
        next: "Enter it again; after \(SignInAttempts.Limits.pin.maximum) wrong ones it is locked.")

    private static func wait(_ span: Span) -> Problem {
        Problem(
            .tooManyRequests, "pin_too_early", "The PIN before was wrong, so this one was not checked.",
            next: "Wait a moment, and enter it again."
        ).retrying(after: Int(max(1, (span.milliseconds + 999) / 1_000)))
    }

    private static func locked(_ name: String) -> Problem {
        Problem(
            .forbidden, "person_locked_out",
            "\(name) entered too many wrong PINs at this device. Nobody was signed in.",
            next: "Have somebody who manages staff sign in here, or sign the device in again with `till sign-in`.")
    }

    private static func lockedEverywhere(_ name: String) -> Problem {
        let hours = SignInAttempts.Limits.pinInAll.memory.milliseconds / Span.hours(1).milliseconds
        return Problem(
            .forbidden, "person_locked_out",
            "Too many wrong PINs came for \(name) from several devices. Nobody was signed in.",
            next: "Wait \(hours == 1 ? "an hour" : "\(hours) hours"), or sign the device in with `till sign-in` on the "
                + "machine of the till: there the right PIN is taken at any time.")
    }

    private static let deviceEnded = Problem(
        .unauthorized, "device_signed_out", "Too many wrong PINs came from this device: it was signed out.",
        next: "Run `till sign-in` on the machine of the till, and open the address that it prints.")
}
