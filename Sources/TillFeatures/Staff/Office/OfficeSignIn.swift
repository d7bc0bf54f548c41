import Foundation
import HTTPTypes
package import TillCore
package import TillCounter
package import TillJournal
package import TillWeb

/// Back-office sign-in with a password and a one-time code, and the enrollment of both. A refusal reveals nothing more:
/// an unknown name, a wrong password and a wrong code yield the same response after the same work.
package struct OfficeSignIn: Sendable {
    /// The credentials presented at sign-in.
    package struct Claim: Sendable {
        package let name: String
        package let password: Secret<String>
        package let code: Secret<String>
    }

    /// The account of the staff.
    package let account: AccountID
    package let staff: StaffOnDuty
    package let sessions: PageSessions
    package let attempts: SignInAttempts
    /// Separate from the hasher of PINs, so that a full queue of one does not block the other.
    package let hasher: ScryptHasher
    package let policy: PasswordPolicy
    package let store: any RecordStore
    package let clock: MeasuringClock
    package let log: SignInLog

    package init(
        account: AccountID, staff: StaffOnDuty, sessions: PageSessions, attempts: SignInAttempts,
        hasher: ScryptHasher, policy: PasswordPolicy, store: any RecordStore, clock: MeasuringClock, log: SignInLog
    ) {
        self.account = account
        self.staff = staff
        self.sessions = sessions
        self.attempts = attempts
        self.hasher = hasher
        self.policy = policy
        self.store = store
        self.clock = clock
        self.log = log
    }

    private var time: Timestamp { clock.now().at }

    // MARK: Signing in

    /// Begins a personal session for valid credentials.
    /// - Parameter address: the client's address.
    /// - Returns: the session's token.
    package func begin(_ claim: Claim, from address: String) async throws -> String {
        let person = try await check(claim, from: address)
        log.record(.enteredOffice(person.id, by: .password), at: "office")
        return try await sessions.begin(for: person, by: .password)
    }

    /// Verifies credentials and returns their owner. The attempt is durable before it is verified, and it consumes the
    /// code.
    private func check(_ claim: Claim, from address: String) async throws -> StaffRecord {
        let person = try await staff.person(named: claim.name, of: account)
        let name = OfficeSignIn.subject(claim.name, of: account)
        let everywhere = person?.id.rawValue ?? "nobody"
        try await count(name, at: address, .password, person)
        try await count(
            everywhere, at: SignInAttempts.everywhere, .passwordInAll, person, isJudged: person != nil)
        let known = try await Records<OfficeCredentials>(store).document(everywhere)
        let code = try known?.oneTimeCode(hasher.pepper) ?? OneTimeCode.make()
        let password = PasswordPolicy.normalized(claim.password)
        let isRight: Bool
        do throws(StaffError) { isRight = try await matches(password, known) } catch {
            if error == .busy {
                // Not verified, so it does not count as wrong.
                try await attempts.withdraw(name, at: address, .password)
                try await attempts.withdraw(everywhere, at: SignInAttempts.everywhere, .passwordInAll)
            }
            throw error
        }
        let step = code.accepts(claim.code, at: time, after: known?.lastStep)
        guard let person, let known, isRight, let step, try await spend(step, known) else {
            log.record(.wrongPassword(person?.id), at: "office")
            throw person.map { OfficeSignIn.refused.claimed(by: $0.actor) } ?? OfficeSignIn.refused
        }
        try await attempts.succeed(name, at: address)
        try await attempts.succeed(everywhere, at: SignInAttempts.everywhere)
        try await attempts.forget()
        return person
    }

    /// Returns `true` if the password matches; does the same work for missing credentials.
    private func matches(_ password: Secret<String>, _ known: OfficeCredentials?) async throws(StaffError) -> Bool {
        guard let known else { return try await hasher.matchesNothing(password, of: account) }
        return try await hasher.matches(password, known.password, of: account)
    }

    /// Records the use of a code before the sign-in succeeds.
    /// - Returns: `false` if this code, a later one or another password came first.
    func spend(_ step: Int64, _ known: OfficeCredentials) async throws(JournalError) -> Bool {
        try await Records<OfficeCredentials>(store).update(known.staff.rawValue) { kept in
            guard kept.password == known.password, step > kept.lastStep ?? .min else { return false }
            kept.lastStep = step
            return true
        } != nil
    }

    private func count(
        _ subject: String, at place: String, _ limits: SignInAttempts.Limits, _ person: StaffRecord?,
        isJudged: Bool = true
    ) async throws {
        let standing = try await attempts.begin(subject, at: place, limits)
        guard isJudged else { return }
        let problem: Problem
        switch standing {
        case .mayTry: return
        case .wait(let span): problem = OfficeSignIn.tooMany(span)
        case .locked:
            log.record(.officeLocked(person?.id), at: "office")
            problem = OfficeSignIn.tooMany(SignInAttempts.Limits.password.memory)
        }
        throw person.map { problem.claimed(by: $0.actor) } ?? problem
    }

    /// Returns the key under which a name's attempts are counted. Hashed, because the field may contain other input,
    /// such as a password.
    private static func subject(_ name: String, of account: AccountID) -> String {
        let folded = StaffRecord.folded(name).precomposedStringWithCanonicalMapping
        return Hex.lowercase(digest("\(account)\u{0}\(folded)".utf8).prefix(16))
    }

    // MARK: Invitations

    /// The content of an invitation page.
    package struct Offer: Sendable {
        package let person: StaffRecord
        package let code: OneTimeCode
    }

    /// Returns the person of an invitation and the secret for the authenticator app, which stays the same until the
    /// link is used.
    package func offer(_ word: String) async throws -> Offer {
        let found = try await invitation(word)
        if let sealed = found.invitation.sealedCode {
            let secret = try hasher.pepper.open(sealed, for: found.person.id.rawValue)
            return Offer(person: found.person, code: OneTimeCode(secret: secret))
        }
        let code = OneTimeCode.make()
        var shown = found.invitation
        shown.sealedCode = try hasher.pepper.seal(code.secret, for: found.person.id.rawValue)
        do throws(JournalError) { try await store.change([.update(shown.record, from: found.version)]) } catch {
            guard case .recordConflict = error else { throw error }
            throw OfficeSignIn.spent
        }
        return Offer(person: found.person, code: code)
    }

    /// Enrolls the chosen password and the app's first code, and signs the person in.
    /// - Returns: the session's token.
    func enrol(_ word: String, password: Secret<String>, code: Secret<String>) async throws -> String {
        let found = try await invitation(word)
        guard let sealed = found.invitation.sealedCode else { throw OfficeSignIn.wrongCode }
        let password = PasswordPolicy.normalized(password)
        try policy.check(password, of: found.person.name)
        let secret = try hasher.pepper.open(sealed, for: found.person.id.rawValue)
        guard let step = OneTimeCode(secret: secret).accepts(code, at: time, after: nil) else {
            throw OfficeSignIn.wrongCode
        }
        let credentials = OfficeCredentials(
            staff: found.person.id, password: try await hasher.hash(password, of: found.person.account),
            sealedCode: sealed, lastStep: step)
        let enrolled = try await Attribution.ofRequest(by: found.person.actor) {
            let directory = staff.directory(found.person.account)
            return try await directory.enrol(by: found.invitation, version: found.version) { () throws(StaffError) in
                try await directory.chosen(credentials)
            }
        }
        guard let enrolled else { throw OfficeSignIn.spent }
        return try await letIn(enrolled, by: .password)
    }

    /// Begins the first session of a newly enrolled person.
    func letIn(_ enrolled: StaffRecord, by proof: OfficeProof) async throws -> String {
        staff.forget()
        log.record(.credentialsChanged(enrolled.id), at: "office")
        return try await sessions.begin(for: enrolled, by: proof)
    }

    /// Returns the invitation of a word, and its person.
    /// - Throws: ``spent`` if it is not currently valid.
    func invitation(
        _ word: String
    ) async throws -> (invitation: Invitation, version: Int, person: StaffRecord) {
        guard let found = try await Invitation.find(word, in: store, at: time) else { throw OfficeSignIn.spent }
        // Another process may have just added the person.
        staff.forget()
        guard let person = try await staff.person(found.invitation.staff, of: found.invitation.account) else {
            throw OfficeSignIn.spent
        }
        return (found.invitation, found.version, person)
    }

    // MARK: Changing

    /// Changes a person's password after verifying the current one and a code; ends all their other sessions.
    /// - Returns: the session's new token.
    package func change(
        _ claim: Claim, to password: Secret<String>, in session: PageSessionRecord, from address: String
    ) async throws -> String {
        let password = PasswordPolicy.normalized(password)
        try policy.check(password, of: claim.name)
        let person = try await check(claim, from: address)
        let hash = try await hasher.hash(password, of: person.account)
        let changed = try await staff.directory(person.account).set(hash, of: person.id)
        log.record(.credentialsChanged(person.id), at: "office")
        return try await renew(session, of: changed)
    }

    /// Continues the session in which the person changed their credentials.
    package func renew(_ session: PageSessionRecord, of person: StaffRecord) async throws -> String {
        staff.forget()
        let entered = SessionPerson(id: person.id, generation: person.generation)
        guard let handed = try await sessions.hand(session, to: entered, noting: []) else { throw Problem.unauthorized }
        return handed.token
    }

    // MARK: Refusals

    package static let refused = Problem(
        .unauthorized, "sign_in_refused", "Name, password and code do not go together. Nobody was signed in.",
        next: "Check all three; each code is taken once. Whoever manages the staff can invite you again.")

    package static let spent = Problem(
        .unauthorized, "invitation_spent",
        "This link was used before, replaced by another one, or is older than a day. Nothing was changed.",
        next: "Ask whoever manages the staff for a new one: till staff invite.")

    private static let wrongCode = Problem(
        .unprocessableContent, "code_wrong", "That is not the code that the app shows now. Nothing was changed.",
        next: "Check the time of the phone, and enter the next code.")

    private static func tooMany(_ wait: Span) -> Problem {
        Problem(
            .tooManyRequests, "too_many_sign_ins",
            "Too many wrong passwords or codes came for that name. This one was not checked.",
            next: "Wait, or sign in with a passkey; a device signs in with `till sign-in` at any time."
        ).retrying(after: Int(max(1, (wait.milliseconds + 999) / 1_000)))
    }
}
