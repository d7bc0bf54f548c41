import HTTPTypes
package import TillCore
package import TillCounter
package import TillJournal
package import TillWeb

/// The passkeys of staff: challenge, registration, sign-in and removal.
package struct Passkeys: Sendable {
    /// The maximum length of a name, in bytes.
    package static let maximumNameBytes = 64
    /// The time after sign-in during which a person can change credentials; later, a new sign-in is required.
    static let freshness = Span.minutes(10)

    package let office: OfficeSignIn

    package init(office: OfficeSignIn) {
        self.office = office
    }

    private var store: any RecordStore { office.store }
    private var time: Timestamp { office.clock.now().at }

    package func challenge(for purpose: PasskeyChallenge.Purpose) throws(StaffError) -> PasskeyChallenge {
        try PasskeyChallenge.make(for: purpose, at: time, office.hasher.pepper)
    }

    private func check(_ bytes: [UInt8], for purpose: PasskeyChallenge.Purpose) throws -> PasskeyChallenge {
        try PasskeyChallenge(bytes, for: purpose, at: time, office.hasher.pepper)
    }

    // MARK: Signing in

    /// Begins a personal session for the owner of the signing passkey.
    /// - Returns: the session's token.
    package func begin(_ assertion: PasskeyAnswer.Assertion, at party: RelyingParty) async throws -> String {
        var claimed: Passkey?
        do {
            let person = try await judge(assertion, at: party, &claimed)
            office.log.record(.enteredOffice(person.id, by: .passkey), at: "office")
            return try await office.sessions.begin(for: person, by: .passkey)
        } catch let fault as PasskeyFault {
            office.log.record(.wrongPasskey(claimed?.staff, fault), at: "office")
            if fault == .counter, let claimed { try await noteCopy(of: claimed) }
            throw Passkeys.refused
        }
    }

    private func judge(
        _ assertion: PasskeyAnswer.Assertion, at party: RelyingParty, _ claimed: inout Passkey?
    ) async throws -> StaffRecord {
        let id = RecordID(Passkey.collection, Passkey.key(assertion.credential))
        guard let stored = try await store.record(id) else { throw PasskeyFault.unknown }
        var passkey = try Passkey(stored)
        claimed = passkey
        let judged = try assertion.judged(by: passkey, at: party)
        let challenge = try check(judged.challenge, for: .signIn)
        guard let person = try await office.staff.person(passkey.staff, of: passkey.account) else {
            throw PasskeyFault.unknown
        }
        passkey.counter = judged.counter
        passkey.usedAt = time
        let changes = [RecordChange.update(passkey.record, from: stored.version)]
        do throws(JournalError) {
            try await store.change(changes + challenge.spent(at: time, isInDoubt: office.clock.isInDoubt))
        } catch {
            guard case .recordConflict = error else { throw error }
            throw PasskeyFault.challenge
        }
        return person
    }

    /// Notes in the audit log that an authenticator may have been cloned.
    private func noteCopy(of passkey: Passkey) async throws(JournalError) {
        let note = AuditNote(
            .passkeyRefused, .refused, by: Attribution(ofRequestBy: .stranger), account: passkey.account,
            subject: passkey.staff.rawValue, reason: "its counter went back",
            changes: [AuditChange("passkey", to: passkey.name)])
        try await store.change([], noting: [note])
    }

    // MARK: Management

    /// Returns a person's passkeys, oldest first.
    package func all(of staff: StaffID) async throws(JournalError) -> [Passkey] {
        try await Records<Passkey>(store).list(matching: Passkey.of(staff), limit: Passkey.maximumPerPerson)
    }

    /// Adds a passkey for the person of a session; ends all their other sessions.
    /// - Returns: the passkey, and the session's new token.
    package func add(
        _ registration: PasskeyAnswer.Registration, name: String, in session: PageSessionRecord, at party: RelyingParty
    ) async throws -> (passkey: Passkey, token: String) {
        let person = try await fresh(session)
        let (passkey, challenge) = try judge(
            registration, of: person, name: name, for: .register(session: session.hash), at: party)
        guard
            let changed = try await office.staff.directory(person.account).add(
                passkey, of: person.id, spending: challenge, changes(by: challenge))
        else { throw Passkeys.notAdded }
        office.log.record(.credentialsChanged(person.id), at: "office")
        return (passkey, try await office.renew(session, of: changed))
    }

    private func judge(
        _ registration: PasskeyAnswer.Registration, of person: StaffRecord, name: String,
        for purpose: PasskeyChallenge.Purpose, at party: RelyingParty
    ) throws -> (passkey: Passkey, challenge: PasskeyChallenge) {
        do {
            let judged = try registration.judged(at: party)
            let challenge = try check(judged.challenge, for: purpose)
            let passkey = Passkey(
                judged.made, counter: judged.data.counter, of: person, at: party, name: name, now: time)
            return (passkey, challenge)
        } catch let fault as PasskeyFault {
            office.log.record(.wrongPasskey(person.id, fault), at: "office")
            throw Passkeys.notAdded
        }
    }

    private func changes(by challenge: PasskeyChallenge) -> [RecordChange] {
        challenge.spent(at: time, isInDoubt: office.clock.isInDoubt)
    }

    /// Removes a passkey of the person of a session; ends all their other sessions.
    /// - Returns: the session's new token.
    package func remove(_ id: String, in session: PageSessionRecord) async throws -> String {
        let person = try await fresh(session)
        guard let changed = try await office.staff.directory(person.account).remove(passkey: id, of: person.id) else {
            throw Problem.notFound
        }
        office.log.record(.credentialsChanged(person.id), at: "office")
        return try await office.renew(session, of: changed)
    }

    /// Returns `true` if the person also has a password.
    func hasPassword(_ staff: StaffID) async throws(JournalError) -> Bool {
        try await store.record(OfficeCredentials.id(staff)) != nil
    }

    /// Returns the person of a session with a recent sign-in.
    func fresh(_ session: PageSessionRecord) async throws -> StaffRecord {
        guard let entered = session.person,
            let person = try await office.staff.person(entered.id, of: session.account)
        else { throw Problem.unauthorized }
        guard session.began.age(at: office.clock.now()) < Passkeys.freshness else {
            throw Passkeys.stale.claimed(by: person.actor)
        }
        return person
    }

    // MARK: By invitation

    /// Returns the person of an invitation, and the challenge for their authenticator.
    package func offer(_ word: String) async throws -> (person: StaffRecord, challenge: PasskeyChallenge) {
        let found = try await office.invitation(word)
        return (found.person, try challenge(for: .enrol(invitation: found.invitation.hash)))
    }

    /// Enrolls the passkey that an invited person chose instead of a password, and signs the person in.
    /// - Returns: the session's token.
    func enrol(
        _ word: String, with registration: PasskeyAnswer.Registration, name: String, at party: RelyingParty
    ) async throws -> String {
        let found = try await office.invitation(word)
        let (passkey, challenge) = try judge(
            registration, of: found.person, name: name, for: .enrol(invitation: found.invitation.hash), at: party)
        let directory = office.staff.directory(found.person.account)
        let enrolled = try await Attribution.ofRequest(by: found.person.actor) {
            try await directory.enrol(by: found.invitation, version: found.version) { () throws(StaffError) in
                try await directory.chosen(passkey, spending: challenge, changes(by: challenge))
            }
        }
        guard let enrolled else { throw Passkeys.notAdded }
        return try await office.letIn(enrolled, by: .passkey)
    }

    // MARK: Refusals

    package static let unavailable = Problem(
        .conflict, "passkeys_unavailable",
        "Browsers make passkeys only for a name and over TLS, and this page has an address without them. "
            + "Nothing was changed.",
        next: "Open the page as https://till.example or http://localhost:8080; behind a proxy set receipt_url.")
    private static let refused = Problem(
        .unauthorized, "passkey_refused", "That passkey lets nobody in here. Nobody was signed in.",
        next: "Try again, or sign in with your password and a code.")
    private static let notAdded = Problem(
        .unprocessableContent, "passkey_invalid", "The passkey cannot be taken. Nothing was changed.",
        next: "Try again; use one that checks who you are, by a PIN, a finger or a face.")
    private static let stale = Problem(
        .forbidden, "sign_in_again", "You signed in more than ten minutes ago. Nothing was changed.",
        next: "Sign out, sign in again and repeat it.")
}

extension StaffDirectory {
    /// Returns the changes that store a passkey; `nil` if it is already registered or its challenge was used.
    /// - Parameter spent: the changes that record the use of the challenge.
    package func chosen(
        _ passkey: Passkey, spending challenge: PasskeyChallenge, _ spent: [RecordChange]
    ) async throws(StaffError) -> (changes: [RecordChange], note: [AuditChange])? {
        guard try await kept(passkey.record.id) == nil, try await kept(challenge.id) == nil else { return nil }
        return ([.insert(passkey.record)] + spent, [AuditChange("passkey", to: passkey.name)])
    }

    /// Adds a passkey to a person.
    /// - Returns: the changed person; `nil` if the passkey is already registered or its challenge was used.
    package func add(
        _ passkey: Passkey, of staff: StaffID, spending challenge: PasskeyChallenge, _ spent: [RecordChange]
    ) async throws(StaffError) -> StaffRecord? {
        try await changeOffice(of: staff) { (person) throws(StaffError) in
            guard let chosen = try await chosen(passkey, spending: challenge, spent) else { return nil }
            guard try await passkeys(of: staff).count < Passkey.maximumPerPerson else { throw .tooManyPasskeys }
            return chosen
        }
    }

    /// Removes a passkey from a person.
    /// - Returns: the changed person; `nil` for an unknown passkey.
    package func remove(passkey id: String, of staff: StaffID) async throws(StaffError) -> StaffRecord? {
        try await changeOffice(of: staff) { (person) throws(StaffError) in
            let all = try await passkeys(of: staff)
            guard let passkey = all.first(where: { $0.id == id }) else { return nil }
            if all.count == 1, try await kept(OfficeCredentials.id(staff)) == nil { throw .lastPasskey }
            return ([.remove(passkey.record.id)], [AuditChange("passkey", from: passkey.name, to: nil)])
        }
    }
}
